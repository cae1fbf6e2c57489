import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'

import type { CheckedReport, SearchReport } from '../../electron/contract/gradcheck'
import type { RunSearch } from '../../electron/contract/run-calls'
import { gradcheckTests } from '../../renderer/features/gradcheck/tests'
import { runCommand } from '../../renderer/store/commands'
import { featureOf } from '../../renderer/store/feature'
import { notificationStore } from '../../renderer/store/notifications'
import { findingOf, outcomeOf, reportOf } from '../unit/gradcheck-samples'
import {
  chooseSlurm,
  followedOf,
  givePlaces,
  isEnabled,
  runStateOf,
  sendResults,
} from './support/runs'
import { build, expectNone, main, open, show } from './support/window'

const gradchecks = [{ op: 'my_op::f', args: ['x'] }]
const passed: CheckedReport = { ...reportOf([findingOf({ maxAbsolute: 2e-9 })]), error: 2e-9 }
const title = 'my_op::f(x), 250000 points'
const seeded = { shape: [4], dtype: 'float64', seed: 41 } as never

function searchOf(tried: number, failed: number, more: Partial<SearchReport> = {}): RunSearch {
  return {
    searched: { op: 'my_op::f', args: ['x'] },
    index: 0,
    name: 'my_op::f(x)',
    nodes: ['node1', 'node2'],
    report: {
      op: 'my_op::f',
      seconds: 4,
      tried,
      failed,
      seeds: { x: 41 },
      inputs: { x: seeded },
      excess: 1,
      maxAbsolute: 0.25,
      ...more,
    },
  }
}

const stateOf = (more: Parameters<typeof runStateOf>[0] = {}) =>
  runStateOf({ verb: 'gradcheck', title, ...more })

async function openGradcheck(): Promise<void> {
  main.give('gradcheck.run', passed)
  await open({ gradchecks })
  await build()
  show('gradcheck')
  await screen.findByTestId('gradcheck-verdict')
}

async function search(points: string): Promise<void> {
  const field = screen.getByLabelText('points')
  await userEvent.clear(field)
  await userEvent.type(field, points)
  main.give('runs.list', [stateOf()])
  await userEvent.click(screen.getByTestId('gradcheck-search'))
}

beforeEach(() => {
  givePlaces()
  main.give('runs.start', stateOf({ phase: 'idle', openJobs: 0, done: 0 }))
  notificationStore.setState({ items: [], earlier: [] })
})

describe('a search that is spread over nodes', () => {
  it('asks for a run at the chosen place, and shows the worst point so far', async () => {
    const run = main.hold('runs.follow')
    await openGradcheck()
    expectNone('gradcheck-jobs')
    await chooseSlurm('gradcheck')
    // More points than one machine may be asked for.
    await search('250000')
    await screen.findByTestId('gradcheck-run-view')
    expect(main.asked('gradcheck.search')).toEqual([])
    expect(main.asked('runs.start')[0]).toMatchObject({
      over: 'slurm',
      jobs: 3,
      work: {
        verb: 'gradcheck',
        search: { points: 250_000, firstSeed: 0, request: { op: 'my_op::f', args: ['x'] } },
      },
    })
    const { job } = await run.asked
    expectNone('gradcheck-found')
    expect(screen.getByTestId('gradcheck-run-waiting').textContent).toMatch(/first result/)
    sendResults(job, { searches: [searchOf(1000, 0)] }, { done: 1 })
    expect(screen.getByTestId('gradcheck-run-progress').textContent).toContain('1 of 3')
    expect(screen.getByTestId('gradcheck-found').textContent).toContain('All points pass')
    sendResults(job, { searches: [searchOf(2000, 7)] }, { done: 2 })
    expect(screen.getAllByTestId('gradcheck-found')).toHaveLength(1)
    expect(screen.getByTestId('gradcheck-found').textContent).toMatch(
      /7 of 2000 points fail in .* of work, on 2 nodes.*seed x 41.*0\.25/,
    )
    main.give('runs.list', [stateOf({ phase: 'done', done: 3, openJobs: 0 })])
    await act(async () => {
      run.succeed(followedOf({ searches: [searchOf(250_000, 9)] }, {}))
      await Promise.resolve()
    })
    await waitFor(() =>
      expect(screen.getByTestId('gradcheck-run-phase').textContent).toBe('The run is done.'),
    )
    expect(screen.getByTestId('gradcheck-found').textContent).toContain('9 of 250000')
  })

  it('the worst point of a run is taken into the fields and checked', async () => {
    main.give('runs.follow', followedOf({ searches: [searchOf(3000, 1)] }, {}))
    await openGradcheck()
    await chooseSlurm('gradcheck')
    await search('3000')
    await userEvent.click(await screen.findByTestId('gradcheck-take'))
    expectNone('gradcheck-run-view')
    await waitFor(() =>
      expect(main.asked('gradcheck.run').at(-1)?.request.inputs).toMatchObject({
        x: { seed: 41 },
      }),
    )
    // An entry of opsmith.json leaves the run, too.
    await userEvent.click(screen.getByTestId('gradcheck-run-entry'))
    await screen.findByTestId('gradcheck-run-view')
    await userEvent.click(screen.getByTestId('gradcheck-entry-0'))
    expectNone('gradcheck-run-view')
  })

  it('a point that ended its op host is the worst, and parts without a result are named', async () => {
    const error = { code: 'host.crashed', message: 'The op host was ended by SIGSEGV.' } as const
    const missing =
      'no result for my_op::f(x), 1000 points from seed 0, because two workers died while they worked on it'
    const searches = [searchOf(2000, 1, { error, maxAbsolute: null })]
    main.give('runs.follow', followedOf({ searches }, { missing: [missing] }))
    await openGradcheck()
    await chooseSlurm('gradcheck')
    await search('3000')
    await screen.findByText(missing)
    expect(screen.getByTestId('gradcheck-found').textContent).toContain(error.message)
  })

  it('a run that cannot be made shows the error with the fields', async () => {
    main.refuse('runs.start', {
      code: 'request.invalid',
      message: 'A search needs random inputs, but no input of this call has random values.',
    })
    await openGradcheck()
    await chooseSlurm('gradcheck')
    await search('3000')
    await screen.findByText(/needs random inputs/)
    expectNone('gradcheck-run-view')
  })

  it('in this window a search has at most 100000 points', async () => {
    main.give('gradcheck.search', searchOf(100_000, 0).report)
    await openGradcheck()
    await search('250000')
    await waitFor(() => expect(main.asked('gradcheck.search')[0]?.points).toBe(100_000))
    expect(main.asked('runs.start')).toEqual([])
  })
})

describe('Check all, spread over nodes', () => {
  it('asks for a run at the chosen place, which is the same for searches, and shows verdicts as they come', async () => {
    const run = main.hold('runs.follow')
    await openGradcheck()
    const checked = main.asked('gradcheck.runAll').length
    await chooseSlurm('gradcheck-all')
    expect(screen.getByTestId<HTMLSelectElement>('gradcheck-where').value).toBe('slurm')
    main.give('runs.list', [stateOf({ title: 'all gradchecks' })])
    await userEvent.click(screen.getByTestId('gradcheck-all'))
    await screen.findByTestId('gradcheck-run-view')
    expect(main.asked('runs.start')).toMatchObject([
      { over: 'slurm', jobs: 3, work: { verb: 'gradcheck', search: null } },
    ])
    // Nothing is checked here.
    expect(main.asked('gradcheck.runAll')).toHaveLength(checked)
    const { job } = await run.asked
    sendResults(
      job,
      { gradchecks: [{ node: 'node2', outcome: outcomeOf(0, passed) }] },
      { done: 1 },
    )
    const row = await screen.findByTestId('gradcheck-run-outcome')
    expect(row.dataset['verdict']).toBe('passed')
    expect(row.textContent).toContain('node2')
  })

  it('the Tests panel checks in this window, whatever place is chosen', async () => {
    await openGradcheck()
    await chooseSlurm('gradcheck-all')
    const before = main.asked('gradcheck.runAll').length
    await act(async () => {
      await gradcheckTests.runAll()
    })
    expect(main.asked('gradcheck.runAll').length).toBeGreaterThan(before)
    expect(main.asked('runs.start')).toEqual([])
  })

  it('a run that cannot be made shows its error above the list', async () => {
    const message = 'sbatch is not on PATH.'
    main.refuse('runs.start', { code: 'request.invalid', message })
    await openGradcheck()
    await chooseSlurm('gradcheck-all')
    await userEvent.click(screen.getByTestId('gradcheck-all'))
    expect(await screen.findByText(message)).toBeTruthy()
    expectNone('gradcheck-run-view')
  })
})

describe('runs of gradchecks', () => {
  it('are left, attached to, stopped and removed, by commands too', async () => {
    const run = main.hold('runs.follow')
    await openGradcheck()
    await chooseSlurm('gradcheck')
    await search('3000')
    const { job, run: id } = await run.asked
    await userEvent.click(screen.getByTestId('gradcheck-run-stop'))
    await userEvent.click(screen.getByTestId('gradcheck-run-leave'))
    expect(main.asked('job.cancel')).toContainEqual({ job, byUser: true })
    expect(main.asked('runs.stop')).toEqual([])
    await screen.findByText(/^The run goes on/)

    expect([isEnabled('gradcheck.attachRun'), isEnabled('gradcheck.removeRun')]).toEqual([
      true,
      false,
    ])
    act(() => runCommand('gradcheck.attachRun'))
    await waitFor(() => expect(main.asked('runs.follow')).toHaveLength(2))
    main.answer('runs.stop', () => {
      run.succeed(followedOf({ searches: [searchOf(1000, 0)] }, { end: 'stopped' }))
      main.give('runs.list', [stateOf({ phase: 'stopped', openJobs: 0 })])
      return { ok: true, value: {} }
    })
    act(() => runCommand('gradcheck.stopRun'))
    await screen.findByText('The run was stopped. Parts done: 1 of 3.')
    expect(main.asked('runs.stop')).toMatchObject([{ run: id }])
    main.give('runs.remove', {})
    main.give('runs.list', [])
    act(() => runCommand('gradcheck.removeRun'))
    await waitFor(() => expectNone('gradcheck-run-entry'))
    expectNone('gradcheck-run-view')
    expect(main.asked('runs.list').every(({ verb }) => verb === 'gradcheck')).toBe(true)
  })

  it('that the command line has made show the verdicts of their gradchecks, with nodes', async () => {
    const wrong = {
      ...reportOf([findingOf({ status: 'failed', reason: 'another Jacobian' })]),
      error: 1,
    }
    const gradcheckRows = [
      // The second ended first.
      { node: 'node2', outcome: outcomeOf(1, wrong) },
      { node: 'node1', outcome: outcomeOf(0, passed) },
    ]
    main.give('runs.list', [stateOf({ title: 'gradcheck my_op', phase: 'done', openJobs: 0 })])
    main.give('runs.follow', followedOf({ gradchecks: gradcheckRows }, {}))
    await openGradcheck()
    await userEvent.click(screen.getByTestId('gradcheck-run-entry'))
    const rows = await screen.findAllByTestId('gradcheck-run-outcome')
    expect(rows.map(({ dataset }) => dataset['verdict'])).toEqual(['passed', 'failed'])
    expect(within(rows[1] ?? document.body).getByText('node2')).toBeTruthy()
    expectNone('gradcheck-found')
  })

  it('a run that was left is offered when the project opens again', async () => {
    main.give('runs.list', [stateOf()])
    const run = main.hold('runs.follow')
    await open({ gradchecks })
    featureOf('gradcheck')?.enter?.()
    const [item] = await waitFor(() => {
      const { items } = notificationStore.getState()
      expect(items).toHaveLength(1)
      return items
    })
    expect(item?.message).toBe(`The run “${title}” goes on. Parts done: 1 of 3.`)
    show('gradcheck')
    act(() => item?.action?.run())
    // Before the project is built, too.
    await screen.findByTestId('gradcheck-run-view')
    expect(await run.asked).toMatchObject({ run: stateOf().id })
  })
})
