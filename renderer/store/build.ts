import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { BuildReport } from '../../electron/contract/build'
import type { Diagnostic } from '../../electron/contract/diagnostics'
import type { LoadReport } from '../../electron/contract/operators'
import { ok, type WorkbenchError } from '../../electron/contract/outcome'
import { call, listen } from '../bridge/bridge'
import { buildStamp, filesStore, openVersions } from './files'
import { dismissCrash, noteCrash } from './host'
import { createJob, useJob, type JobState } from './job'
import { LineLog, throttled } from './line-log'
import { currentFolder } from './project'
import { forgetRegistry } from './registry'
import { takeLoad } from './schemas'

/** What came of a build that could be attempted, good or not. */
type Built = {
  report: BuildReport
  /** The build that followed: the plain one of a hot one, or one by nvcc too; null until it has ended, or for none. */
  settled: BuildReport | null
  /** What the op host registered; null when nothing was loaded. */
  load: LoadReport | null
  /** It was built, but the op host could not load it. */
  loadError: WorkbenchError | null
  /** The versions of the open files that the build read. */
  versions: Readonly<Record<string, string>>
  /** Seconds from when the user asked for it, by a save most often, until it was loaded. */
  felt: number
}

type BuildInput = {
  /** Compiles all of the project again and records where the time went. */
  timeTrace: boolean
  /** When the user asked for it, as in asked-at.ts. */
  since: number
  /** Called when the library is loaded and known, before the window renders it. */
  onLoad: () => void
}

type BuildProgress = {
  done: number
  steps: number
  /** The steps that are under way. */
  running: readonly string[]
  /** Of the sources that have failed so far. */
  errors: readonly Diagnostic[]
}

type BuildState = JobState<Built, BuildProgress>

/** Builds what is on disk and loads it. Started by requestBuild() in loop.ts only. */
export const buildJob = createJob<BuildInput, Built, BuildProgress>({
  kind: 'build',
  latest: 'wins',
  stamp: buildStamp,
  progress: {
    event: 'build.progressed',
    read: ({ done, steps, running, errors }) => ({ done, steps, running, errors }),
  },
  run: async ({ timeTrace, since }, { folder, job }) => {
    const versions = openVersions()
    buildLog.clear()
    // A stopped build is shown as stopped until the next one has ended.
    noteOutput(outputStore.getState())
    const result = await call('operator.build', { folder, job, timeTrace })
    if (!result.ok) {
      const cancelled = result.error.code === 'cancelled'
      if (currentFolder() === folder) noteOutput({ cancelled })
      return result
    }
    const { build: report, load, loadError } = result.value
    return ok({
      report,
      settled: null,
      load: load ?? null,
      loadError: loadError ?? null,
      versions,
      felt: (performance.now() - since) / 1000,
    })
  },
  arrived: ({ load, loadError }, stamp) => {
    if (loadError?.exit) noteCrash(loadError.exit)
    if (load === null) return
    dismissCrash()
    takeLoad(load, stamp)
    forgetRegistry()
  },
  known: ({ load }, { onLoad }) => {
    // Here and not in `run`: React renders after a change of a store, and would delay `onLoad`.
    noteOutput({ cancelled: false })
    if (load !== null) onLoad()
  },
})

/** What the compilers write, and whether the last build was stopped before its end. */
type BuildOutput = { logVersion: number; cancelled: boolean }

const outputStore = createStore<BuildOutput>(() => ({ logVersion: 0, cancelled: false }))

export const buildLog = new LineLog()

function noteOutput({ cancelled }: Pick<BuildOutput, 'cancelled'>): void {
  outputStore.setState({ logVersion: buildLog.version, cancelled })
}

export function useBuild<T>(select: (state: BuildState) => T): T {
  return useJob(buildJob, select)
}

export function useBuildOutput<T>(select: (output: BuildOutput) => T): T {
  return useStore(outputStore, select)
}

export function forgetBuild(): void {
  buildLog.clear()
  outputStore.setState(outputStore.getInitialState(), true)
}

export function listenToBuilds(): void {
  listen('build.settled', ({ folder, report }) => {
    const { value, running } = buildJob.store.getState()
    if (folder !== currentFolder() || running !== null || value === null) return
    buildJob.set({ value: { ...value, settled: report } })
  })
  const changed = throttled(() => outputStore.setState({ logVersion: buildLog.version }), 60)
  listen('build.output', (event) => {
    if (event.job !== buildJob.store.getState().running) return
    buildLog.append(event.text)
    changed()
  })
}

/** The open files whose text is not the one that was built, a line each. */
export function editedFiles(): string {
  const { stamp, value } = buildJob.store.getState()
  const unchanged = stamp === buildStamp()
  return Object.values(filesStore.getState().files)
    .filter((file) => {
      if (file.external) return false
      const known = value?.versions[file.path]
      return file.dirty || (known === undefined ? !unchanged : known !== file.version)
    })
    .map((file) => file.path)
    .join('\n')
}

/** A plain build that fails where the hot one did not has the last word. */
export function judgedReport(): BuildReport | null {
  const { value } = buildJob.store.getState()
  if (value === null) return null
  return value.settled?.ok === false ? value.settled : value.report
}
