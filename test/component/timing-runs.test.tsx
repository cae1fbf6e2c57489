import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'

import type { FollowedRun, RunRow } from '../../electron/contract/run-calls'
import { runCommand } from '../../renderer/store/commands'
import { featureOf } from '../../renderer/store/feature'
import { notificationStore } from '../../renderer/store/notifications'
import { rowOf } from '../unit/timing-samples'
import {
  chooseSlurm,
  followedOf,
  givePlaces,
  isEnabled,
  runStateOf,
  sendResults,
} from './support/runs'
import { build, expectNone, main, open, show } from './support/window'

const sizes = [16, 256, 4096]
const benchmarks = [
  {
    name: 'long rows',
    op: 'my_op::f',
    args: ['x'],
    inputs: { x: { shape: ['N'] } },
    sizes: { N: sizes },
    directions: ['forward'],
  },
]

const old = { processor: 'Old Xeon, 8 cores', node: 'node1' }
const fresh = { processor: 'New Xeon, 64 cores', node: 'node2' }

function runRow(shard: number, { processor, node }: typeof old): RunRow {
  const N = sizes[shard] ?? 0
  const row = rowOf({
    op: 'my_op::f',
    variant: 'my_op::f',
    median: N * 1e-9,
    point: { sizes: { N } },
  })
  return { ...row, shard, node, hardware: processor }
}

const allRows = sizes.map((_, shard) => runRow(shard, old))

function followed(rows = allRows, more: Partial<FollowedRun> = {}): FollowedRun {
  return followedOf({ rows }, { benchmarks: ['long rows'], ...more })
}

async function openTimings(): Promise<void> {
  await open({ benchmarks })
  await build()
  show('timings')
  await userEvent.click(await screen.findByTestId('timings-entry-0'))
}

/** Chooses Slurm with three jobs, and measures. */
async function startRun(): Promise<void> {
  await chooseSlurm('timings')
  main.give('runs.list', [runStateOf()])
  await userEvent.click(screen.getByTestId('timings-run'))
  await screen.findByTestId('timings-run-view')
}

/** Points and nodes, as the heads of the table say them. */
function heads(): string[] {
  return screen.queryAllByTestId('timings-point').map((head) => head.textContent)
}

beforeEach(() => {
  givePlaces()
  notificationStore.setState({ items: [], earlier: [] })
})

describe('a sweep that is measured in a run', () => {
  it('asks for a run at the chosen place, and shows the queue, the nodes and the rows as they come', async () => {
    const run = main.hold('runs.follow')
    await openTimings()
    expect(
      within(screen.getByTestId('timings-where')).getByText<HTMLOptionElement>(/^gpu/).disabled,
    ).toBe(true)
    expectNone('timings-jobs')
    await startRun()
    expect(main.asked('timing.run')).toEqual([])
    expect(main.asked('runs.start')[0]).toMatchObject({
      over: 'slurm',
      jobs: 3,
      work: { verb: 'bench', request: { op: 'my_op::f', sizes: { N: sizes } } },
    })
    const { job, run: id } = await run.asked
    expect(id).toBe(runStateOf().id)
    const waiting = '2 of 3 jobs wait: place 4 of 9 in the queue; the nodes are busy'
    sendResults(job, {}, { done: 0, waiting })
    expect(screen.getByTestId('timings-run-waiting').textContent).toContain(waiting)
    const news = ['node node1: Old Xeon, 8 cores']
    // The second point ends first.
    sendResults(job, { rows: [runRow(1, old)] }, { done: 1, news })
    expectNone('timings-run-waiting')
    expect(screen.getByText('node node1: Old Xeon, 8 cores')).toBeTruthy()
    expect(screen.getByTestId('timings-run-progress').textContent).toContain('1 of 3')
    sendResults(job, { rows: [runRow(0, old)] }, { done: 2 })
    expect(heads()).toEqual(['N 16 on node1', 'N 256 on node1'])
    main.give('runs.list', [runStateOf({ phase: 'done', done: 3 })])
    await act(async () => {
      run.succeed(followed())
      await Promise.resolve()
    })
    await waitFor(() =>
      expect(screen.getByTestId('timings-run-phase').textContent).toBe('The run is done.'),
    )
    expect(heads()).toHaveLength(3)
  })

  it('Measure all asks for a run of all benchmarks at the chosen place', async () => {
    main.hold('runs.follow')
    await openTimings()
    await userEvent.click(screen.getByTestId('timings-overview'))
    await userEvent.selectOptions(screen.getByTestId('timings-where'), 'slurm')
    main.give('runs.list', [runStateOf({ title: 'all benchmarks' })])
    await userEvent.click(screen.getByTestId('timings-all'))
    await screen.findByTestId('timings-run-view')
    expect(main.asked('timing.runAll')).toEqual([])
    expect(main.asked('runs.start')).toMatchObject([
      { over: 'slurm', work: { verb: 'bench', request: null } },
    ])
  })

  it('is attached to, stopped and removed by commands too, as far as that is possible', async () => {
    const [id, done] = [runStateOf().id, runStateOf({ phase: 'done', done: 3, openJobs: 0 })]
    main.give('runs.list', [runStateOf()])
    await openTimings()
    const run = main.hold('runs.follow')
    const enabled = (name: string): boolean => isEnabled(`timing.${name}Run`)
    await waitFor(() => expect(enabled('attach')).toBe(true))
    expect([enabled('stop'), enabled('remove')]).toEqual([true, false])
    act(() => runCommand('timing.attachRun'))
    expect((await run.asked).run).toBe(id)
    await waitFor(() => expect(enabled('attach')).toBe(false))
    main.give('runs.stop', {})
    main.give('runs.list', [done])
    act(() => runCommand('timing.stopRun'))
    await waitFor(() => expect(main.asked('runs.stop')).toMatchObject([{ run: id }]))
    await act(async () => {
      run.succeed(followed())
      await Promise.resolve()
    })
    await waitFor(() => expect(enabled('remove')).toBe(true))
    main.give('runs.remove', {})
    main.give('runs.list', [])
    act(() => runCommand('timing.removeRun'))
    await waitFor(() => expect(main.asked('runs.remove')).toMatchObject([{ run: id }]))
  })

  it('times of different hardware are in tables of their own, and what is missing is named', async () => {
    const missing =
      'no result for long rows, N 4096, because two workers died while they worked on it: the job reached its time limit'
    const rows = [runRow(0, old), runRow(1, fresh)]
    main.give('runs.follow', followed(rows, { missing: [missing] }))
    await openTimings()
    await startRun()
    await screen.findByText(missing)
    expect(screen.getAllByTestId('timings-table')).toHaveLength(2)
    expect(screen.getByText(old.processor)).toBeTruthy()
    expect(screen.getByText(fresh.processor)).toBeTruthy()
    expect(screen.getByText(/Do not compare times from different/)).toBeTruthy()
  })

  it('Stop asks whether to leave the run; a run that was left is attached to again', async () => {
    const run = main.hold('runs.follow')
    await openTimings()
    await startRun()
    const { job } = await run.asked
    await userEvent.click(screen.getByTestId('timings-run-stop'))
    expect(main.asked('job.cancel')).toEqual([])
    await userEvent.click(screen.getByTestId('timings-run-leave'))
    expect(main.asked('job.cancel')).toContainEqual({ job, byUser: true })
    expect(main.asked('runs.stop')).toEqual([])
    expect((await screen.findByTestId('timings-run-phase')).textContent).toContain(
      'The run goes on',
    )

    await userEvent.click(screen.getByTestId('timings-run-attach'))
    await waitFor(() => expect(main.asked('runs.follow')).toHaveLength(2))
    await screen.findByTestId('timings-run-progress')

    // The fields are shown again; the run is followed still.
    await userEvent.click(screen.getByTestId('timings-run-back'))
    expectNone('timings-run-view')
    expect(screen.getByTestId('timings-run')).toBeTruthy()
    expect(main.asked('job.cancel')).toHaveLength(1)
    await userEvent.click(screen.getByTestId('timings-run-entry'))
    await screen.findByTestId('timings-run-progress')
  })

  it('Stop can end the jobs of the run, and a stopped run can be removed', async () => {
    const run = main.hold('runs.follow')
    await openTimings()
    await startRun()
    await run.asked
    main.answer('runs.stop', () => {
      run.succeed(followed([runRow(0, old)], { end: 'stopped' }))
      main.give('runs.list', [runStateOf({ phase: 'stopped', openJobs: 0 })])
      return { ok: true, value: {} }
    })
    await userEvent.click(screen.getByTestId('timings-run-stop'))
    await userEvent.click(screen.getByTestId('timings-run-end'))
    await screen.findByText('The run was stopped. Points done: 1 of 3.')
    expect(heads()).toHaveLength(1)

    main.give('runs.remove', {})
    main.give('runs.list', [])
    await userEvent.click(screen.getByTestId('timings-run-remove'))
    await waitFor(() => expect(main.asked('runs.remove')).toHaveLength(1))
    expectNone('timings-run-view')
    expectNone('timings-run-entry')
  })

  it('a run that cannot be made shows the error with the fields', async () => {
    main.refuse('runs.start', {
      code: 'request.invalid',
      message: 'There is no target named "gpu".',
    })
    await openTimings()
    await userEvent.selectOptions(screen.getByTestId('timings-where'), 'local')
    await userEvent.click(screen.getByTestId('timings-run'))
    expect((await screen.findByTestId('timings-error')).textContent).toContain('no target named')
    expectNone('timings-run-view')
  })
})

describe('a run that was left', () => {
  it('is offered when the project opens again', async () => {
    main.give('runs.list', [runStateOf()])
    const run = main.hold('runs.follow')
    await open({ benchmarks })
    // As the shell does it, once the project is open.
    featureOf('timings')?.enter?.()
    const [item] = await waitFor(() => {
      const { items } = notificationStore.getState()
      expect(items).toHaveLength(1)
      return items
    })
    expect(item?.message).toBe('The run “long rows” goes on. Points done: 1 of 3.')
    show('timings')
    act(() => item?.action?.run())
    await screen.findByTestId('timings-run-view')
    expect(await run.asked).toMatchObject({ run: runStateOf().id })
  })

  it('starts jobs for what is left only if the user wants that', async () => {
    main.give('runs.list', [runStateOf({ phase: 'idle', openJobs: 0 })])
    main.give('runs.follow', followed())
    await openTimings()
    await userEvent.click(screen.getByTestId('timings-run-entry'))
    expect(screen.getByTestId('timings-run-phase').textContent).toContain('no job is queued')
    expect(main.asked('runs.follow')).toEqual([])
    await userEvent.click(screen.getByRole('button', { name: 'Go on' }))
    await waitFor(() => expect(main.asked('runs.follow')).toHaveLength(1))
  })
})
