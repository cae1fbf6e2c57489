import { beforeEach, describe, expect, it, vi } from 'vitest'

import {
  timingReport,
  type TimingReport,
  type TimingRow,
} from '../../electron/contract/timing-report'
import { ok } from '../../electron/contract/outcome'
import { defaultSettings } from '../../electron/contract/settings'
import { emptyTimingDraft } from '../../renderer/features/timings/draft'
import { allTimingsJob, kernelsJob, timingJob } from '../../renderer/features/timings/jobs'
import {
  chooseTimed,
  editTiming,
  forgetTimings,
  listKernels,
  measureCeilings,
  refreshTimings,
  runAllTimings,
  runTiming,
  stopTimings,
} from '../../renderer/features/timings/run'
import { chosenRow, followTimings, shownTimingRows } from '../../renderer/features/timings/shown'
import { timingsStore } from '../../renderer/features/timings/store'
import { filesStore } from '../../renderer/store/files'
import { layoutStore } from '../../renderer/store/layout'
import { settingsStore } from '../../renderer/store/settings'
import { rowOf } from './timing-samples'
import { connectMain, settled } from '../support/main-process'
import { openInWindow } from '../support/open-in-window'

const main = connectMain()
const marks = new Set<string>()
vi.stubGlobal('document', {
  documentElement: {
    toggleAttribute: (name: string, on: boolean) => (on ? marks.add(name) : marks.delete(name)),
  },
})
followTimings()

const ceilings = {
  threads: 1,
  bytesPerSecond: 1e10,
  flopsPerSecond: { float32: 1e11, float64: 5e10 },
  othersBusy: 0,
  spread: 0,
}

function reportOf(rows: TimingRow[]): TimingReport {
  return timingReport.parse({
    rows,
    machine: {
      processor: 'test',
      cores: 2,
      cacheBytes: 1,
      frequency: { governor: '', least: 0, most: 0, turbo: '' },
      countersMissing: '',
    },
    ceilings,
    ceilingsDoubt: '',
    devices: [],
    seconds: 1,
    build: 'key',
  })
}

const first = rowOf({ median: 1e-6 })
const second = rowOf({ median: 2e-6, direction: 'backward' })

beforeEach(async () => {
  await stopTimings()
  for (const job of [timingJob, allTimingsJob, kernelsJob]) job.reset()
  forgetTimings()
  openInWindow('/project')
  main.give('timing.builds', [])
  main.give('timing.history', [])
  timingsStore.setState({ view: 'one', draft: emptyTimingDraft('my::f') })
})

function progressed(job: string, row?: TimingRow, waiting?: string): void {
  main.send('timing.progressed', {
    job,
    done: row ? 1 : 0,
    total: 2,
    ...(row ? { row } : {}),
    ...(waiting === undefined ? {} : { waiting }),
  })
}

describe('a timing', () => {
  it('that is stopped keeps the rows that were done', async () => {
    const pending = main.hold('timing.run')
    const run = runTiming()
    await settled()
    progressed(pending.begun[0]?.input.job ?? '', first)
    expect(shownTimingRows(timingJob.store.getState())).toEqual([first])
    await stopTimings()
    await run
    const { value, error, running } = timingJob.store.getState()
    expect(value).toMatchObject({ rows: [first], isStopped: true, report: null })
    expect([error, running]).toEqual([null, null])
  })

  it('that is stopped before its first row leaves the earlier one, without its error', async () => {
    main.give('timing.run', reportOf([first, second]))
    await runTiming()
    main.refuse('timing.run', { code: 'operator.check', message: 'It said no.' })
    await runTiming()
    expect(timingJob.store.getState().error?.code).toBe('operator.check')
    main.hold('timing.run')
    const run = runTiming()
    await settled()
    expect(timingJob.store.getState().error).toBeNull()
    await stopTimings()
    await run
    expect(timingJob.store.getState().error).toBeNull()
    expect(shownTimingRows(timingJob.store.getState())).toEqual([first, second])
  })

  it('leaves out rows that were not done when the engine ended in order', async () => {
    const cancelled = rowOf({ median: 0, error: { code: 'cancelled', message: 'Stopped.' } })
    main.give('timing.run', reportOf([first, cancelled]))
    await runTiming()
    expect(timingJob.store.getState().value).toMatchObject({ rows: [first], isStopped: true })
  })

  it('of all benchmarks begins when that of one has ended', async () => {
    const one = main.hold('timing.run')
    const all = main.hold('timing.runAll')
    const run = runTiming()
    await settled()
    void runAllTimings()
    await settled()
    await run
    const names = main.calls.map(({ name }) => name)
    expect(names.filter((name) => /run|cancel/.test(name))).toEqual([
      'timing.run',
      'job.cancel',
      'timing.runAll',
    ])
    expect([one.begun.length, all.begun.length]).toEqual([1, 1])
    expect([timingJob.isRunning(), allTimingsJob.isRunning()]).toEqual([false, true])
  })

  it('of one operator is dropped when another was chosen meanwhile', async () => {
    const pending = main.hold('timing.run')
    const run = runTiming()
    await settled()
    progressed(pending.begun[0]?.input.job ?? '', first)
    chooseTimed('my::g')
    await run
    expect(timingJob.store.getState()).toMatchObject({ value: null, error: null, running: null })
    expect(main.asked('job.cancel')).toHaveLength(1)
  })

  it('of an older project is dropped', async () => {
    const pending = main.hold('timing.run')
    const run = runTiming()
    await settled()
    openInWindow('/other')
    timingJob.reset()
    forgetTimings()
    pending.begun[0]?.end(ok(reportOf([first])))
    await run
    expect(timingJob.store.getState().value).toBeNull()
    expect(timingsStore.getState().draft.op).toBe('')
  })

  it('is asked for once for each state of the sources', async () => {
    settingsStore.setState({ settings: { ...defaultSettings, timeOnBuild: true } })
    layoutStore.setState({ dock: { isShown: () => true } as never })
    main.refuse('timing.run', { code: 'host.crashed', message: 'It crashed.' })
    await refreshTimings()
    expect(main.asked('timing.run')).toHaveLength(0)
    await runTiming()
    await refreshTimings()
    expect(main.asked('timing.run')).toHaveLength(1)
    filesStore.setState(({ sourceRevision }) => ({ sourceRevision: sourceRevision + 1 }))
    await refreshTimings()
    expect(main.asked('timing.run')).toHaveLength(2)
  })

  it('stills the window while it is timed, not while it waits', async () => {
    const pending = main.hold('timing.run')
    const run = runTiming()
    await settled()
    const job = pending.begun[0]?.input.job ?? ''
    expect(marks.has('data-timing')).toBe(true)
    progressed(job, undefined, 'clangd reads the sources')
    expect(marks.has('data-timing')).toBe(false)
    progressed(job, first)
    expect(marks.has('data-timing')).toBe(true)
    pending.begun[0]?.end(ok(reportOf([first])))
    await run
    expect(marks.has('data-timing')).toBe(false)
  })

  it('shows the row that was chosen, else its own', async () => {
    main.give('timing.run', reportOf([first, second]))
    await runTiming()
    expect(chosenRow()).toBe(timingJob.store.getState().value?.rows[0])
  })
})

describe('beside a timing', () => {
  it('ceilings that are measured again are taken over by the report that has as many threads', async () => {
    main.give('timing.run', reportOf([first]))
    main.answer('timing.ceilings', ({ threads }) =>
      ok({ ceilings: { ...ceilings, threads, bytesPerSecond: 7 }, doubt: 'busy' }),
    )
    await runTiming()
    const speed = (): number | undefined =>
      timingJob.store.getState().value?.report?.ceilings?.bytesPerSecond
    await measureCeilings(2)
    expect(speed()).toBe(1e10)
    await measureCeilings(1)
    expect(speed()).toBe(7)
  })

  it('kernels of fields that were edited meanwhile are dropped', async () => {
    const pending = main.hold('timing.kernels')
    const list = { op: 'my::f', device: 'cuda:0', kernels: [], note: 'none' }
    const dropped = listKernels()
    await settled()
    editTiming({ cold: true })
    pending.begun[0]?.end(ok(list))
    await dropped
    expect(kernelsJob.store.getState().value).toBeNull()
    const kept = listKernels()
    await settled()
    pending.begun[1]?.end(ok(list))
    await kept
    expect(kernelsJob.store.getState().value).toEqual(list)
  })
})
