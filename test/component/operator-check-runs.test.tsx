import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'

import type { OperatorCheckOutcome, PlacedFinding } from '../../electron/contract/operator-check'
import type { RunCheck } from '../../electron/contract/run-calls'
import { runCommand } from '../../renderer/store/commands'
import { featureOf } from '../../renderer/store/feature'
import { notificationStore } from '../../renderer/store/notifications'
import { folder } from './support/answers'
import {
  chooseSlurm,
  followedOf,
  givePlaces,
  isEnabled,
  runStateOf,
  sendResults,
} from './support/runs'
import { build, expectNone, main, open, show } from './support/window'

const entries = [
  { op: 'my_op::f', args: ['x'] },
  { op: 'my_op::g', args: ['x'] },
]
const shownCase = {
  args: ['x'],
  inputs: { x: { shape: [41], dtype: 'float64', distribution: 'zeros' } as never },
}

const written: PlacedFinding = {
  check: 'mutation',
  status: 'failed',
  reason: 'x was written to',
  advice: 'Declare it in the schema: Tensor(a!) x.',
  input: 'x',
  index: [3],
  shownBy: 'x float64[41] of zeros',
  file: `${folder}/op.cpp`,
  line: 12,
  shownCase,
}

function checkOf(place: 0 | 1, node: string, findings: PlacedFinding[]): RunCheck {
  const { op, args } = entries[place] ?? { op: '', args: [] }
  const isGood = findings.length === 0
  const outcome: OperatorCheckOutcome = {
    entry: place,
    name: `${op}(x)`,
    op,
    expect: 'passed',
    verdict: isGood ? 'passed' : 'failed',
    asExpected: isGood,
    report: { op, ok: isGood, seconds: 0.3, findings },
  }
  return { node, checked: { op, args }, outcome }
}

const good = checkOf(0, 'node1', [])
const bad = checkOf(1, 'node2', [written])

const stateOf = (more: Parameters<typeof runStateOf>[0] = {}) =>
  runStateOf({ verb: 'check', title: 'all operators', ...more })

async function openChecks(): Promise<void> {
  main.give('operatorCheck.entries', entries)
  main.give('operatorCheck.run', good.outcome.report ?? never())
  await open()
  await build()
  show('operator-checks')
  await screen.findByTestId('operator-check-one-verdict')
}

function never(): never {
  throw new Error('this outcome has a report')
}

async function checkThere(): Promise<void> {
  await chooseSlurm('operator-check')
  main.give('runs.list', [stateOf()])
  await userEvent.click(screen.getByTestId('operator-check-run'))
}

const rows = (): HTMLElement[] => screen.queryAllByTestId('operator-check-run-outcome')

beforeEach(() => {
  givePlaces()
  main.give('runs.start', stateOf({ phase: 'idle', openJobs: 0, done: 0 }))
  notificationStore.setState({ items: [], earlier: [] })
})

describe('operator checks that are spread over nodes', () => {
  it('Check all asks for a run at the chosen place, and shows verdicts as they come', async () => {
    const run = main.hold('runs.follow')
    await openChecks()
    await userEvent.click(screen.getByTestId('operator-check-thorough'))
    const local = main.asked('operatorCheck.runAll').length
    await checkThere()
    await screen.findByTestId('operator-check-run-view')
    expect(main.asked('operatorCheck.runAll')).toHaveLength(local)
    expect(main.asked('runs.start')).toMatchObject([
      { over: 'slurm', jobs: 3, work: { verb: 'check', sanitize: false, thorough: true } },
    ])
    const { job } = await run.asked
    const waiting = '3 of 3 jobs wait: place 4 of 9 in the queue; the nodes are busy'
    sendResults(job, {}, { done: 0, waiting })
    expect(screen.getByTestId('operator-check-run-waiting').textContent).toContain(waiting)
    // The second operator ends first.
    sendResults(job, { checks: [bad] }, { done: 1, news: ['node node2: New Xeon, 64 cores'] })
    expect(screen.getByText('node node2: New Xeon, 64 cores')).toBeTruthy()
    sendResults(job, { checks: [good] }, { done: 2 })
    expect(rows().map(({ dataset }) => dataset['verdict'])).toEqual(['passed', 'failed'])
    expect(within(rows()[1] ?? document.body).getByText('node2')).toBeTruthy()
    expect(screen.getByText('1 of 2 operators not as expected')).toBeTruthy()
  })

  it('the chosen operator of a run shows its findings, and a failure of it is kept', async () => {
    main.give('runs.follow', followedOf({ checks: [good, bad] }, {}))
    main.give('operatorCheck.keep', { entry: 2, added: true })
    await openChecks()
    await checkThere()
    await waitFor(() => expect(rows()).toHaveLength(2))
    expectNone('operator-check-finding')
    await userEvent.click(rows()[1] ?? document.body)
    expect(screen.getByTestId('operator-check-finding').textContent).toContain('x was written to')
    await userEvent.click(screen.getByTestId('operator-check-keep'))
    // Of the operator of the run: the fields are about another one.
    await waitFor(() =>
      expect(main.asked('operatorCheck.keep')).toMatchObject([
        { entry: { op: 'my_op::g' }, failure: { check: 'mutation', shownCase } },
      ]),
    )
    await userEvent.click(screen.getByTestId('operator-check-run-back'))
    expectNone('operator-check-run-view')
    await screen.findByTestId('operator-check-one-verdict')
  })

  it('are left, attached to, stopped and removed, by commands too', async () => {
    const run = main.hold('runs.follow')
    await openChecks()
    await checkThere()
    const { job, run: id } = await run.asked
    await userEvent.click(await screen.findByTestId('operator-check-run-stop'))
    await userEvent.click(screen.getByTestId('operator-check-run-leave'))
    expect(main.asked('job.cancel')).toContainEqual({ job, byUser: true })
    await screen.findByText(/^The run goes on/)
    act(() => runCommand('operatorChecks.attachRun'))
    await waitFor(() => expect(main.asked('runs.follow')).toHaveLength(2))
    main.answer('runs.stop', () => {
      run.succeed(followedOf({ checks: [good] }, { end: 'stopped' }))
      main.give('runs.list', [stateOf({ phase: 'stopped', openJobs: 0 })])
      return { ok: true, value: {} }
    })
    act(() => runCommand('operatorChecks.stopRun'))
    await screen.findByText('The run was stopped. Operators done: 1 of 3.')
    expect(main.asked('runs.stop')).toMatchObject([{ run: id }])
    expect(rows()).toHaveLength(1)
    expect(isEnabled('operatorChecks.stopRun')).toBe(false)
    main.give('runs.remove', {})
    main.give('runs.list', [])
    act(() => runCommand('operatorChecks.removeRun'))
    await waitFor(() => expectNone('operator-check-run-entry'))
    expectNone('operator-check-run-view')
  })

  it('the panel says that a run starts, which waits for the op host, and starts one only', async () => {
    main.hold('runs.follow')
    const started = main.hold('runs.start')
    await openChecks()
    await checkThere()
    await screen.findByTestId('operator-check-run-starting')
    await userEvent.click(screen.getByTestId('operator-check-run'))
    await act(async () => {
      started.succeed(stateOf({ phase: 'idle', done: 0 }))
      await Promise.resolve()
    })
    await screen.findByTestId('operator-check-run-view')
    expectNone('operator-check-run-starting')
    expect(main.asked('runs.start')).toHaveLength(1)
  })

  it('a run that cannot be made shows the error with the list', async () => {
    main.refuse('runs.start', {
      code: 'request.invalid',
      message: 'ssh:elsewhere is neither in the settings file nor in ~/.ssh/config.',
    })
    await openChecks()
    await checkThere()
    await screen.findByText(/ssh:elsewhere is neither/)
    expectNone('operator-check-run-view')
  })

  it('after a build checks repeat in this window, whatever place is chosen', async () => {
    await openChecks()
    await userEvent.click(screen.getByTestId('operator-check-run'))
    await waitFor(() => expect(main.asked('operatorCheck.runAll')).not.toEqual([]))
    await chooseSlurm('operator-check')
    const before = main.asked('operatorCheck.runAll').length
    await build()
    await waitFor(() => expect(main.asked('operatorCheck.runAll').length).toBe(before + 1))
    expect(main.asked('runs.start')).toEqual([])
  })

  it('a run that was left is offered when the project opens again', async () => {
    main.give('runs.list', [stateOf()])
    await open()
    featureOf('operator-checks')?.enter?.()
    await waitFor(() =>
      expect(notificationStore.getState().items.map(({ message }) => message)).toEqual([
        'The run “all operators” goes on. Operators done: 1 of 3.',
      ]),
    )
  })
})
