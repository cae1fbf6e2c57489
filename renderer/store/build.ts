import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { BuildReport } from '../../electron/contract/build'
import type { WorkbenchError } from '../../electron/contract/outcome'
import type { TimeTrace } from '../../electron/contract/time-trace'
import { listen } from '../bridge/bridge'
import { buildStamp, filesStore } from './files'
import { LineLog, throttled } from './line-log'
import { projectStore } from './project'

type BuildState = {
  /** The build that is running. */
  job: string | null
  stopping: boolean
  startedAt: number
  done: number
  steps: number
  report: BuildReport | null
  /** The plain build that followed a hot one; null until it has ended, or when there was no hot one. */
  settled: BuildReport | null
  /** The build could not be attempted. */
  error: WorkbenchError | null
  /** It was built, but the op host could not load it. */
  loadError: WorkbenchError | null
  /** What the sources were when the shown build began. */
  stamp: string | null
  /** The versions of the open files that the shown build read. */
  versions: Readonly<Record<string, string>>
  cancelled: boolean
  /** Of the last build that was asked where its time went; a later one that was not keeps it. */
  traced: { trace: TimeTrace; load: number | null; stamp: string } | null
  logVersion: number
}

export const buildStore = createStore<BuildState>(() => ({
  job: null,
  stopping: false,
  startedAt: 0,
  done: 0,
  steps: 0,
  report: null,
  settled: null,
  error: null,
  loadError: null,
  stamp: null,
  versions: {},
  cancelled: false,
  traced: null,
  logVersion: 0,
}))

export const buildLog = new LineLog()

export function useBuild<T>(select: (state: BuildState) => T): T {
  return useStore(buildStore, select)
}

export function forgetBuild(): void {
  buildLog.clear()
  buildStore.setState(buildStore.getInitialState(), true)
}

export function listenToBuilds(): void {
  listen('build.settled', ({ folder, report }) => {
    const { report: hot, job } = buildStore.getState()
    if (folder === projectStore.getState().project?.folder && job === null && hot?.hot)
      buildStore.setState({ settled: report })
  })
  const changed = throttled(() => buildStore.setState({ logVersion: buildLog.version }), 60)
  listen('build.started', (event) => {
    if (event.job === buildStore.getState().job) buildStore.setState({ steps: event.steps })
  })
  listen('build.output', (event) => {
    if (event.job !== buildStore.getState().job) return
    buildLog.append(event.text)
    changed()
  })
  listen('build.progressed', (event) => {
    if (event.job !== buildStore.getState().job) return
    buildStore.setState({ done: event.done, steps: event.steps })
  })
}

/** The open files whose text is not the one that was built, a line each. */
export function editedFiles(): string {
  const { stamp, versions } = buildStore.getState()
  const unchanged = stamp === buildStamp()
  return Object.values(filesStore.getState().files)
    .filter((file) => {
      if (file.external) return false
      const known = versions[file.path]
      return file.dirty || (known === undefined ? !unchanged : known !== file.version)
    })
    .map((file) => file.path)
    .join('\n')
}

/** A plain build that fails where the hot one did not has the last word. */
export function judgedReport({ report, settled }: BuildState): BuildReport | null {
  return settled?.ok === false ? settled : report
}
