import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import type { CheckEntry } from '../../electron/contract/manifest'
import { ok, type Result } from '../../electron/contract/outcome'
import { checkCases, checkOperators } from '../../renderer/features/operator-checks/all'
import { emptyOperatorCheckDraft } from '../../renderer/features/operator-checks/case'
import {
  allOperatorChecksJob,
  operatorCheckJob,
  operatorCheckJobs,
} from '../../renderer/features/operator-checks/jobs'
import {
  chooseCheck,
  editCheck,
  forgetOperatorChecks,
  runOperator,
} from '../../renderer/features/operator-checks/run'
import { operatorChecksStore } from '../../renderer/features/operator-checks/store'
import { projectStore } from '../../renderer/store/project'
import { openBareProject } from './bare-project'

type Asked = { job: string; entry?: CheckEntry; casesOnly?: boolean; sanitize: boolean }
type Question = Asked & { answer: (result: Result<never>) => void }

let questions: Question[]
let cancelled: string[]
let emit: (name: string, event: unknown) => void

const entries = [
  { op: 'my_op::f', args: [] },
  { op: 'my_op::g', args: [], checks: ['mutation'], shapes: 0 },
]
const report = { op: 'my_op::f', ok: true, seconds: 1, findings: [] }
const outcome = { entry: 0, op: 'my_op::f', name: 'f', expect: 'passed', verdict: 'passed' }

const ask = (input: unknown): Promise<unknown> =>
  new Promise((answer) => questions.push({ ...(input as Asked), answer }))

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0)

const answer = async (place: number, value: unknown): Promise<void> => {
  questions[place]?.answer({ ok: true, value: value as never })
  await settle()
}

const closeProject = (): void => {
  for (const job of operatorCheckJobs) job.reset()
  forgetOperatorChecks()
}

beforeEach(() => {
  vi.useFakeTimers()
  questions = []
  cancelled = []
  const cancel = (input: unknown): Result<null> => {
    const { job } = input as { job: string }
    cancelled.push(job)
    const error = { code: 'cancelled' as const, message: 'Stopped.' }
    questions.find((question) => question.job === job)?.answer({ ok: false, error })
    return ok(null)
  }
  ;({ emit } = openBareProject(
    new Map<string, (input: unknown) => unknown>([
      ['operatorCheck.entries', () => ok(entries)],
      ['operatorCheck.run', ask],
      ['operatorCheck.runAll', ask],
      ['job.cancel', cancel],
    ]),
  ))
  operatorChecksStore.setState({ draft: emptyOperatorCheckDraft('my_op::f') })
})
afterEach(() => {
  closeProject()
  projectStore.setState(projectStore.getInitialState(), true)
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('the checks of one operator', () => {
  it('wait until the list is checked: the op host does one thing at a time', async () => {
    void checkOperators()
    await settle()
    void runOperator()
    await settle()
    expect(questions.map((question) => question.casesOnly)).toEqual([false])
    await answer(0, [])
    expect(questions.map((question) => question.entry?.op)).toEqual([undefined, 'my_op::f'])
  })

  it('are made for the newest edit; the answer to an older one is dropped', async () => {
    void runOperator()
    await settle()
    editCheck({ seed: 3 })
    editCheck({ seed: 4 })
    await vi.advanceTimersByTimeAsync(400)
    await answer(0, report)
    expect(operatorCheckJob.store.getState().value).toBeNull()
    expect(questions.map((question) => question.entry?.seed)).toEqual([undefined, 4])
    await answer(1, { ...report, ok: false })
    expect(operatorCheckJob.store.getState().value).toMatchObject({
      verdict: 'failed',
      asExpected: false,
    })
  })

  it('of an entry also show in the list', async () => {
    operatorChecksStore.setState({ entries: entries as never, entry: 0 })
    void runOperator()
    await settle()
    await answer(0, report)
    const known = operatorChecksStore.getState().outcomes[0]
    expect(known?.outcome).toBe(operatorCheckJob.store.getState().value)
    expect(known?.stamp).toBe(operatorCheckJob.store.getState().stamp)
  })

  it('are forgotten with the project, also those that were to begin', async () => {
    void runOperator()
    await settle()
    editCheck({ seed: 3 })
    closeProject()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(questions).toHaveLength(1)
    expect(cancelled).toEqual([questions[0]?.job])
    expect(operatorChecksStore.getState()).toEqual(operatorChecksStore.getInitialState())
    expect(operatorCheckJob.store.getState()).toEqual(operatorCheckJob.store.getInitialState())
  })
})

describe('the checks of the project', () => {
  it('take the place of what the fields were found to do, when they are of the same entry', async () => {
    operatorChecksStore.setState({ entries: entries as never })
    chooseCheck(0)
    await settle()
    await answer(0, { ...report, ok: false })
    expect(operatorCheckJob.store.getState().value).not.toBeNull()
    void checkOperators()
    await settle()
    const { job } = questions[1] ?? { job: '' }
    emit('operatorCheck.progressed', { job, done: 1, total: 2, outcome })
    expect(operatorCheckJob.store.getState().value).toBeNull()
    expect(operatorChecksStore.getState().outcomes[0]?.outcome).toEqual(outcome)
    expect(allOperatorChecksJob.store.getState().progress).toMatchObject({ done: 1, total: 2 })
  })

  it('are only those kept of failures after a build, and a newer build ends the older ones', async () => {
    await checkCases()
    expect(questions).toEqual([])
    operatorChecksStore.setState({ entries: entries as never })
    void checkCases()
    await settle()
    void checkCases()
    await settle()
    expect(questions.map((question) => question.casesOnly)).toEqual([true, true])
    expect(cancelled).toEqual([questions[0]?.job])
    expect(operatorChecksStore.getState().repeats).toBe(false)
  })
})
