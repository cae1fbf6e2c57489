import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import type { CheckedReport, GradcheckOutcome } from '../../electron/contract/gradcheck'
import { ok } from '../../electron/contract/outcome'
import {
  checkAll,
  forgetGradchecks,
  refreshGradchecks,
} from '../../renderer/features/gradcheck/all'
import { emptyDraft } from '../../renderer/features/gradcheck/case'
import {
  allGradchecksJob,
  gradcheckJob,
  gradcheckJobs,
  sweepJob,
} from '../../renderer/features/gradcheck/jobs'
import {
  editDraft,
  repeatGradcheck,
  runGradcheck,
  sweepEps,
} from '../../renderer/features/gradcheck/run'
import { gradcheckStore } from '../../renderer/features/gradcheck/store'
import { hostStore } from '../../renderer/store/host'
import { projectStore } from '../../renderer/store/project'
import { findingOf, jacobian, outcomeOf, reportOf } from './gradcheck-samples'
import { crashed } from '../component/support/answers'
import { connectMain, type Held } from '../support/main-process'
import { openInWindow } from '../support/open-in-window'

const main = connectMain()
let cases: Held<'gradcheck.run'>

/** Lets what waits for an answer go on. */
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0)

const answer = async (place: number, report: CheckedReport): Promise<void> => {
  cases.begun[place]?.end(ok(report))
  await settle()
}

const released = (): number[][] => main.asked('tensor.release').map(({ handles }) => handles)

const drawn = (first: number): CheckedReport => {
  const tensors = jacobian(0, 1, 1)
  const report = reportOf([findingOf(tensors)])
  for (const [place, tensor] of [tensors.analytical, tensors.numerical, tensors.error].entries())
    if (tensor) tensor.handle = first + place
  return report
}

const closeProject = (): void => {
  for (const job of gradcheckJobs) job.reset()
  forgetGradchecks()
}

beforeEach(() => {
  vi.useFakeTimers()
  cases = main.hold('gradcheck.run')
  main.give('gradcheck.history', [])
  main.answer('tensor.release', ({ handles }) => ok({ released: handles.length }))
  openInWindow('/project', {
    gradchecks: [
      { op: 'my_op::f', args: [] },
      { op: 'my_op::g', args: [] },
    ],
  })
  hostStore.setState({ host: { generation: 1 } as never })
  gradcheckStore.setState({ draft: emptyDraft('my_op::f', '1') })
})
afterEach(() => {
  closeProject()
  projectStore.setState(projectStore.getInitialState(), true)
  hostStore.setState(hostStore.getInitialState(), true)
  vi.useRealTimers()
})

describe('the check of the chosen case', () => {
  it('drops the answer to what was edited meanwhile, frees its Jacobians, and checks the edit', async () => {
    void runGradcheck()
    await settle()
    editDraft({ argsText: '2' })
    await vi.advanceTimersByTimeAsync(400)
    // It has its patience: no op host is ended.
    await answer(0, drawn(10))
    expect(main.asked('job.cancel')).toEqual([])
    expect(released()).toEqual([[10, 11, 12]])
    expect(gradcheckJob.store.getState().value).toBeNull()
    expect(cases.begun.map(({ input }) => input.request.args)).toEqual([[1], [2]])
    await answer(1, drawn(20))
    expect(gradcheckJob.store.getState().value?.report.findings[0]?.error?.handle).toBe(22)
    expect(gradcheckStore.getState().finding).toBe(0)
    // A third report takes the place of the second.
    void runGradcheck()
    await settle()
    await answer(2, drawn(30))
    expect(released()).toEqual([
      [10, 11, 12],
      [20, 21, 22],
    ])
  })

  it('ends what runs after 1.5 s of patience, and what is known stays on screen meanwhile', async () => {
    void runGradcheck()
    await settle()
    await answer(0, drawn(10))
    void runGradcheck()
    await settle()
    void runGradcheck()
    await vi.advanceTimersByTimeAsync(1_499)
    expect(main.asked('job.cancel')).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(main.asked('job.cancel')).toEqual([{ job: cases.begun[1]?.input.job }])
    expect(gradcheckJob.store.getState().value).not.toBeNull()
    expect(cases.begun).toHaveLength(3)
  })

  it('says what does not read, without asking main', async () => {
    editDraft({ argsText: 'nothing' })
    await vi.advanceTimersByTimeAsync(400)
    expect(gradcheckJob.store.getState()).toMatchObject({ running: null, stamp: null })
    expect(gradcheckJob.store.getState().error?.message).toContain('nothing')
    expect(cases.begun).toEqual([])
  })

  it('is not repeated on the same sources when it ended the op host', async () => {
    void runGradcheck()
    await settle()
    cases.fail(crashed)
    await settle()
    await repeatGradcheck()
    expect(cases.begun).toHaveLength(1)
    // Other sources may do better.
    gradcheckJob.set({ stamp: 'from older sources' })
    void repeatGradcheck()
    await settle()
    expect(cases.begun).toHaveLength(2)
  })

  it('is forgotten with the project: also what was to begin, and what is answered later', async () => {
    void runGradcheck()
    await settle()
    editDraft({ argsText: '2' })
    closeProject()
    await vi.advanceTimersByTimeAsync(5_000)
    await answer(0, drawn(10))
    expect(cases.begun).toHaveLength(1)
    expect(main.asked('job.cancel')).toEqual([{ job: cases.begun[0]?.input.job }])
    expect(gradcheckJob.store.getState()).toEqual(gradcheckJob.store.getInitialState())
    expect(gradcheckStore.getState()).toEqual(gradcheckStore.getInitialState())
  })
})

describe("opsmith.json's gradchecks", () => {
  const outcomes = (): (GradcheckOutcome | undefined)[] =>
    [0, 1].map((entry) => gradcheckStore.getState().outcomes[entry]?.outcome)

  const jobOf = (all: Held<'gradcheck.runAll'>, place: number): string =>
    all.begun[place]?.input.job ?? ''

  it('arrive one by one, and the answer has those whose event is late', async () => {
    const all = main.hold('gradcheck.runAll')
    void checkAll()
    await settle()
    const [first, second] = [outcomeOf(0, drawn(1)), outcomeOf(1, drawn(4))]
    main.send('gradcheck.progressed', {
      job: 'of another window',
      done: 1,
      total: 2,
      outcome: second,
    })
    expect(outcomes()).toEqual([undefined, undefined])
    main.send('gradcheck.progressed', { job: jobOf(all, 0), done: 1, total: 2, outcome: first })
    expect(outcomes()).toEqual([first, undefined])
    expect(allGradchecksJob.store.getState().progress).toMatchObject({ done: 1, total: 2 })
    all.succeed([first, second])
    await settle()
    expect(outcomes()).toEqual([first, second])
    expect(allGradchecksJob.isRunning()).toBe(false)
  })

  it('are for nobody after a build, and asked for by the user', async () => {
    main.give('gradcheck.runAll', [])
    await refreshGradchecks()
    await checkAll()
    expect(main.asked('gradcheck.runAll').map(({ isBackground }) => isBackground)).toEqual([
      true,
      false,
    ])
  })

  it('begin from the start when a newer build wants them, and keep what a stop leaves', async () => {
    const all = main.hold('gradcheck.runAll')
    void checkAll()
    await settle()
    void checkAll()
    await settle()
    expect(main.asked('job.cancel')).toEqual([{ job: jobOf(all, 0) }])
    const first = outcomeOf(0, drawn(1))
    main.send('gradcheck.progressed', { job: jobOf(all, 1), done: 1, total: 2, outcome: first })
    await allGradchecksJob.stop()
    expect(outcomes()).toEqual([first, undefined])
    expect(allGradchecksJob.store.getState()).toMatchObject({ running: null, error: null })
  })
})

describe('a sweep over eps', () => {
  it('goes on when it is asked for again, and keeps the last chart when a newer one fails', async () => {
    const sweeps = main.hold('gradcheck.sweep')
    void sweepEps()
    void sweepEps()
    await settle()
    expect(sweeps.begun).toHaveLength(1)
    sweeps.succeed({ op: 'my_op::f', seconds: 1, curves: [] })
    await settle()
    const { value } = sweepJob.store.getState()
    expect(value?.report.op).toBe('my_op::f')
    void sweepEps()
    await settle()
    sweeps.fail({ code: 'operator.check', message: 'No.' })
    await settle()
    expect(sweepJob.store.getState()).toMatchObject({ value, error: { message: 'No.' } })
  })
})
