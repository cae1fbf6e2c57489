import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { checkEntry } from '../../electron/contract/manifest'
import type {
  OperatorCheckOutcome,
  PlacedOperatorCheckReport,
} from '../../electron/contract/operator-check'
import { ok } from '../../electron/contract/outcome'
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
import { connectMain, type Held } from '../support/main-process'
import { openInWindow } from '../support/open-in-window'

const main = connectMain()
let one: Held<'operatorCheck.run'>
let all: Held<'operatorCheck.runAll'>

const entries = [
  { op: 'my_op::f', args: [] },
  { op: 'my_op::g', args: [], checks: ['mutation'], shapes: 0 },
].map((entry) => checkEntry.parse(entry))
const report = { op: 'my_op::f', ok: true, seconds: 1, findings: [] }
const outcome: OperatorCheckOutcome = {
  entry: 0,
  op: 'my_op::f',
  name: 'f',
  expect: 'passed',
  verdict: 'passed',
  asExpected: true,
}

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0)

const answer = async (place: number, given: PlacedOperatorCheckReport): Promise<void> => {
  one.begun[place]?.end(ok(given))
  await settle()
}

const closeProject = (): void => {
  for (const job of operatorCheckJobs) job.reset()
  forgetOperatorChecks()
}

beforeEach(() => {
  vi.useFakeTimers()
  one = main.hold('operatorCheck.run')
  all = main.hold('operatorCheck.runAll')
  main.give('operatorCheck.entries', entries)
  openInWindow('/project')
  operatorChecksStore.setState({ draft: emptyOperatorCheckDraft('my_op::f') })
})
afterEach(() => {
  closeProject()
  projectStore.setState(projectStore.getInitialState(), true)
  vi.useRealTimers()
})

describe('the checks of one operator', () => {
  it('wait until the list is checked: the op host does one thing at a time', async () => {
    void checkOperators()
    await settle()
    void runOperator()
    await settle()
    expect(all.begun.map(({ input }) => input.casesOnly)).toEqual([false])
    expect(one.begun).toEqual([])
    all.succeed([])
    await settle()
    expect(all.begun).toHaveLength(1)
    expect(one.begun.map(({ input }) => input.entry.op)).toEqual(['my_op::f'])
  })

  it('are made for the newest edit; the answer to an older one is dropped', async () => {
    void runOperator()
    await settle()
    editCheck({ seed: 3 })
    editCheck({ seed: 4 })
    await vi.advanceTimersByTimeAsync(400)
    await answer(0, report)
    expect(operatorCheckJob.store.getState().value).toBeNull()
    expect(one.begun.map(({ input }) => input.entry.seed)).toEqual([undefined, 4])
    await answer(1, { ...report, ok: false })
    expect(operatorCheckJob.store.getState().value).toMatchObject({
      verdict: 'failed',
      asExpected: false,
    })
  })

  it('of an entry also show in the list', async () => {
    operatorChecksStore.setState({ entries, entry: 0 })
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
    expect(one.begun).toHaveLength(1)
    expect(main.asked('job.cancel')).toEqual([{ job: one.begun[0]?.input.job }])
    expect(operatorChecksStore.getState()).toEqual(operatorChecksStore.getInitialState())
    expect(operatorCheckJob.store.getState()).toEqual(operatorCheckJob.store.getInitialState())
  })
})

describe('the checks of the project', () => {
  it('take the place of what the fields were found to do, when they are of the same entry', async () => {
    operatorChecksStore.setState({ entries })
    chooseCheck(0)
    await settle()
    await answer(0, { ...report, ok: false })
    expect(operatorCheckJob.store.getState().value).not.toBeNull()
    void checkOperators()
    await settle()
    const { job } = all.last.input
    main.send('operatorCheck.progressed', { job, done: 1, total: 2, outcome })
    expect(operatorCheckJob.store.getState().value).toBeNull()
    expect(operatorChecksStore.getState().outcomes[0]?.outcome).toEqual(outcome)
    expect(allOperatorChecksJob.store.getState().progress).toMatchObject({ done: 1, total: 2 })
  })

  it('are only those kept of failures after a build, and a newer build ends the older ones', async () => {
    await checkCases()
    expect([all.begun, one.begun]).toEqual([[], []])
    operatorChecksStore.setState({ entries })
    void checkCases()
    await settle()
    void checkCases()
    await settle()
    expect(all.begun.map(({ input }) => input.casesOnly)).toEqual([true, true])
    void checkCases(true)
    await settle()
    expect(all.begun.map(({ input }) => input.isBackground)).toEqual([false, false, true])
    expect(one.begun).toEqual([])
    expect(main.asked('job.cancel')).toEqual(
      all.begun.slice(0, 2).map(({ input }) => ({ job: input.job })),
    )
    expect(operatorChecksStore.getState().repeats).toBe(false)
  })
})
