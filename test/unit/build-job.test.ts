import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import type { BuildReport } from '../../electron/contract/build'
import type { Diagnostic } from '../../electron/contract/diagnostics'
import { defaultSettings } from '../../electron/contract/settings'
import { sanitizeJob } from '../../renderer/features/build/sanitize'
import { beginAt } from '../../renderer/store/asked-at'
import { buildJob } from '../../renderer/store/build'
import { filesChanged, requestBuild } from '../../renderer/store/loop'
import { currentProblems, followProblems } from '../../renderer/store/problems'
import { projectStore } from '../../renderer/store/project'
import { schemasStore } from '../../renderer/store/schemas'
import { settingsStore } from '../../renderer/store/settings'
import { connectMain, settled, type Held } from '../support/main-process'
import { openInWindow } from '../support/open-in-window'

type Answer = { build: BuildReport; load?: { operators: []; classes: []; seconds: number } }

const good = (key: string): Answer => ({
  build: {
    ok: true,
    seconds: 1,
    library: '',
    addon: '',
    loadPath: '',
    key,
    hot: false,
    diagnostics: [],
    steps: [],
    compiler: '',
    libtorch: '',
  },
  load: { operators: [], classes: [], seconds: 0.1 },
})

const error: Diagnostic = {
  severity: 'error',
  file: '/project/op.cpp',
  line: 3,
  column: 1,
  message: '',
  source: 'clang',
  code: '',
  notes: [],
}

const main = connectMain()
let builds: Held<'operator.build'>

beforeEach(() => {
  buildJob.reset()
  sanitizeJob.reset()
  builds = main.hold('operator.build')
  openInWindow('/project', {}, [
    { path: 'op.cpp', role: 'source' },
    { path: 'op.h', role: 'header' },
    { path: 'README.md', role: 'other' },
  ])
  settingsStore.setState({ settings: { ...defaultSettings, buildOnSave: true } })
})

const shownKey = (): string | undefined => buildJob.store.getState().value?.report.key

describe('a build', () => {
  it('is ended for a newer one; of several wishes that wait, the last is built', async () => {
    const wishes = [
      requestBuild('asked'),
      requestBuild('asked', { timeTrace: true }),
      requestBuild('saved'),
    ]
    await settled()
    expect(main.asked('operator.build').map(({ timeTrace }) => timeTrace)).toEqual([false, false])
    expect(main.asked('job.cancel')[0]).toEqual({ job: builds.begun[0]?.input.job })
    builds.succeed(good('newest'))
    await Promise.all(wishes)
    expect(shownKey()).toBe('newest')
    expect(buildJob.isRunning()).toBe(false)
  })

  it('that is stopped leaves what was known', async () => {
    const first = requestBuild('asked')
    builds.succeed(good('known'))
    await first
    const second = requestBuild('asked')
    const stopping = buildJob.stop()
    expect(buildJob.store.getState().stopping).toBe(true)
    await Promise.all([second, stopping])
    expect(shownKey()).toBe('known')
    expect(buildJob.store.getState()).toMatchObject({ running: null, stopping: false, error: null })
  })

  it('that cannot be attempted replaces what was known by its error', async () => {
    const first = requestBuild('asked')
    builds.succeed(good('known'))
    await first
    const second = requestBuild('asked')
    builds.fail({ code: 'project.invalid', message: 'opsmith.json does not parse.' })
    await second
    expect(buildJob.store.getState()).toMatchObject({
      value: null,
      error: { code: 'project.invalid' },
    })
  })

  it('counts its steps by the events of its own job', async () => {
    const running = requestBuild('asked')
    const progress = { done: 2, steps: 5, running: ['op.cpp'], errors: [] }
    main.send('build.progressed', { job: builds.last.input.job, ...progress })
    main.send('build.progressed', { job: 'another', done: 4, steps: 4, running: [], errors: [] })
    expect(buildJob.store.getState().progress).toEqual(progress)
    builds.succeed(good('done'))
    await running
  })

  it('the errors of a source are problems while others still compile', async () => {
    followProblems()
    const running = requestBuild('asked')
    const failed = { ...error, message: "use of undeclared identifier 'z'" }
    main.send('build.progressed', {
      job: builds.last.input.job,
      done: 1,
      steps: 5,
      running: ['kernel.cu'],
      errors: [failed],
    })
    expect(currentProblems()).toMatchObject([failed])
    builds.succeed(good('done'))
    await running
    expect(currentProblems()).toEqual([])
  })

  it('has its operators known when its end is seen', async () => {
    schemasStore.setState({ load: null })
    const known: boolean[] = []
    const stop = buildJob.store.subscribe(({ running }) => {
      if (running === null) known.push(schemasStore.getState().load !== null)
    })
    const running = requestBuild('asked')
    builds.succeed(good('loaded'))
    await running
    stop()
    expect(known).toEqual([true])
  })

  it('takes as long as its user waits: from the save on, whatever was done before it began', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const running = requestBuild('saved', { since: performance.now() - 2_000 })
    builds.succeed(good('felt'))
    await running
    const { value } = buildJob.store.getState()
    expect(value?.felt).toBeGreaterThanOrEqual(2)
    expect(value?.felt).toBeLessThan(5)
  })

  it('that a key began takes from the press of the key, which the window may have heard late', async () => {
    let running: Promise<void> | undefined
    beginAt(performance.now() - 3_000, () => {
      running = requestBuild('asked')
    })
    builds.succeed(good('late'))
    await running
    expect(buildJob.store.getState().value?.felt).toBeGreaterThanOrEqual(3)
  })

  it('of a project that was closed shows nothing in the next one', async () => {
    const running = requestBuild('asked')
    projectStore.setState({
      project: {
        folder: '/projects/second',
        manifestFile: '/projects/second/opsmith.json',
        name: 'second',
        files: [],
        trust: 'trusted',
      },
    })
    builds.succeed(good('of the first'))
    await running
    expect(shownKey()).toBeUndefined()
  })
})

describe('who starts a build', () => {
  it('is asked for the setting, except where somebody wants the build itself', async () => {
    settingsStore.setState({ settings: { ...defaultSettings, buildOnSave: false } })
    await requestBuild('saved')
    await requestBuild('projectOpened')
    await requestBuild('manifestChanged')
    expect(builds.begun).toHaveLength(0)
    for (const reason of ['asked', 'beforeExport'] as const) {
      const running = requestBuild(reason)
      builds.succeed(good(reason))
      await running
    }
    expect(builds.begun).toHaveLength(2)
  })

  it('is one build for several files, whichever comes last, and none for others', async () => {
    filesChanged(['README.md'])
    expect(builds.begun).toHaveLength(0)
    filesChanged(['op.cpp', 'op.h', 'README.md'])
    await settled()
    expect(builds.begun).toHaveLength(1)
  })
})

describe('a sanitizer build', () => {
  it('goes on when it is asked for again, and can be stopped', async () => {
    const sanitized = main.hold('operator.sanitize')
    const running = sanitizeJob.run()
    expect(await sanitizeJob.run()).toBeNull()
    expect(sanitized.begun).toHaveLength(1)
    await sanitizeJob.stop()
    expect(await running).toMatchObject({ ok: false, error: { code: 'cancelled' } })
    expect(sanitizeJob.store.getState()).toMatchObject({ running: null, value: null, error: null })
  })
})
