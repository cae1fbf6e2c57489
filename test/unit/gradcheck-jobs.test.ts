import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import type { CheckedReport, GradcheckOutcome } from '../../electron/contract/gradcheck'
import { ok, type Result } from '../../electron/contract/outcome'
import { checkAll, forgetGradchecks } from '../../renderer/features/gradcheck/all'
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
import { openBareProject } from './bare-project'

type Asked = { job: string; request: { args: unknown[] } }
type Question = Asked & { answer: (result: Result<never>) => void }

let questions: Question[]
let released: unknown[]
let cancelled: string[]
let emit: (name: string, event: unknown) => void

const ask = (input: unknown): Promise<unknown> =>
  new Promise((answer) => questions.push({ ...(input as Asked), answer }))

/** Lets what waits for an answer go on. */
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0)

const answer = async (place: number, value: unknown): Promise<void> => {
  questions[place]?.answer({ ok: true, value: value as never })
  await settle()
}

const stopped: Result<never> = { ok: false, error: { code: 'cancelled', message: 'Stopped.' } }

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
  questions = []
  released = []
  cancelled = []
  const cancel = (input: unknown): Result<null> => {
    const { job } = input as { job: string }
    cancelled.push(job)
    questions.find((question) => question.job === job)?.answer(stopped)
    return ok(null)
  }
  ;({ emit } = openBareProject(
    new Map<string, (input: unknown) => unknown>([
      ['gradcheck.run', ask],
      ['gradcheck.runAll', ask],
      ['gradcheck.sweep', ask],
      ['gradcheck.history', () => ok([])],
      ['job.cancel', cancel],
      [
        'tensor.release',
        (input: unknown) => {
          released.push((input as { handles: unknown }).handles)
          return ok(null)
        },
      ],
    ]),
    {
      gradchecks: [
        { op: 'my_op::f', args: [] },
        { op: 'my_op::g', args: [] },
      ] as never,
    },
  ))
  hostStore.setState({ host: { generation: 1 } as never })
  gradcheckStore.setState({ draft: emptyDraft('my_op::f', '1') })
})
afterEach(() => {
  closeProject()
  projectStore.setState(projectStore.getInitialState(), true)
  hostStore.setState(hostStore.getInitialState(), true)
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('the check of the chosen case', () => {
  it('drops the answer to what was edited meanwhile, frees its Jacobians, and checks the edit', async () => {
    void runGradcheck()
    await settle()
    editDraft({ argsText: '2' })
    await vi.advanceTimersByTimeAsync(400)
    // It has its patience: no op host is ended.
    await answer(0, drawn(10))
    expect(cancelled).toEqual([])
    expect(released).toEqual([[10, 11, 12]])
    expect(gradcheckJob.store.getState().value).toBeNull()
    expect(questions.map((question) => question.request.args)).toEqual([[1], [2]])
    await answer(1, drawn(20))
    expect(gradcheckJob.store.getState().value?.report.findings[0]?.error?.handle).toBe(22)
    expect(gradcheckStore.getState().finding).toBe(0)
    // A third report takes the place of the second.
    void runGradcheck()
    await settle()
    await answer(2, drawn(30))
    expect(released).toEqual([
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
    expect(cancelled).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(cancelled).toEqual([questions[1]?.job])
    expect(gradcheckJob.store.getState().value).not.toBeNull()
    expect(questions).toHaveLength(3)
  })

  it('says what does not read, without asking main', async () => {
    editDraft({ argsText: 'nothing' })
    await vi.advanceTimersByTimeAsync(400)
    expect(gradcheckJob.store.getState()).toMatchObject({ running: null, stamp: null })
    expect(gradcheckJob.store.getState().error?.message).toContain('nothing')
    expect(questions).toEqual([])
  })

  it('is not repeated on the same sources when it ended the op host', async () => {
    void runGradcheck()
    await settle()
    const exit = { generation: 1, reason: 'crashed' } as never
    questions[0]?.answer({ ok: false, error: { code: 'host.crashed', message: 'Died.', exit } })
    await settle()
    await repeatGradcheck()
    expect(questions).toHaveLength(1)
    // Other sources may do better.
    gradcheckJob.set({ stamp: 'of older sources' })
    void repeatGradcheck()
    await settle()
    expect(questions).toHaveLength(2)
  })

  it('is forgotten with the project: also what was to begin, and what is answered later', async () => {
    void runGradcheck()
    await settle()
    editDraft({ argsText: '2' })
    closeProject()
    await vi.advanceTimersByTimeAsync(5_000)
    await answer(0, drawn(10))
    expect(questions).toHaveLength(1)
    expect(cancelled).toEqual([questions[0]?.job])
    expect(gradcheckJob.store.getState()).toEqual(gradcheckJob.store.getInitialState())
    expect(gradcheckStore.getState()).toEqual(gradcheckStore.getInitialState())
  })
})

describe("opsmith.json's gradchecks", () => {
  const outcomes = (): (GradcheckOutcome | undefined)[] =>
    [0, 1].map((entry) => gradcheckStore.getState().outcomes[entry]?.outcome)

  it('arrive one by one, and the answer has those whose event is late', async () => {
    void checkAll()
    await settle()
    const [first, second] = [outcomeOf(0, drawn(1)), outcomeOf(1, drawn(4))]
    emit('gradcheck.progressed', { job: 'of another window', done: 1, total: 2, outcome: second })
    expect(outcomes()).toEqual([undefined, undefined])
    emit('gradcheck.progressed', { job: questions[0]?.job, done: 1, total: 2, outcome: first })
    expect(outcomes()).toEqual([first, undefined])
    expect(allGradchecksJob.store.getState().progress).toMatchObject({ done: 1, total: 2 })
    await answer(0, [first, second])
    expect(outcomes()).toEqual([first, second])
    expect(allGradchecksJob.isRunning()).toBe(false)
  })

  it('begin from the start when a newer build wants them, and keep what a stop leaves', async () => {
    void checkAll()
    await settle()
    void checkAll()
    await settle()
    expect(cancelled).toEqual([questions[0]?.job])
    const first = outcomeOf(0, drawn(1))
    emit('gradcheck.progressed', { job: questions[1]?.job, done: 1, total: 2, outcome: first })
    await allGradchecksJob.stop()
    expect(outcomes()).toEqual([first, undefined])
    expect(allGradchecksJob.store.getState()).toMatchObject({ running: null, error: null })
  })
})

describe('a sweep over eps', () => {
  it('goes on when it is asked for again, and keeps the last chart when a newer one fails', async () => {
    void sweepEps()
    void sweepEps()
    await settle()
    expect(questions).toHaveLength(1)
    await answer(0, { op: 'my_op::f', seconds: 1, curves: [] })
    const { value } = sweepJob.store.getState()
    expect(value?.report.op).toBe('my_op::f')
    void sweepEps()
    await settle()
    questions[1]?.answer({ ok: false, error: { code: 'operator.check', message: 'No.' } })
    await settle()
    expect(sweepJob.store.getState()).toMatchObject({ value, error: { message: 'No.' } })
  })
})
