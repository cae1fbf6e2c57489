import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'

import type { TimingReport, TimingRow } from '../../electron/contract/timing-report'
import { ratioOf, rowOf } from '../unit/timing-samples'
import { runCommand } from '../../renderer/store/commands'
import { crashed } from './support/answers'
import { build, expectNone, main, open, saveSource, show } from './support/window'

const benchmarks = [
  { op: 'my_op::f', args: ['x'], against: ['torch.sigmoid(x)', 'torch.tanh(x)'] },
  {
    name: 'long rows',
    op: 'my_op::f',
    args: ['x'],
    inputs: { x: { shape: ['N'] } },
    sizes: { N: [16, 256, 4096] },
    directions: ['forward'],
    flops: '4 * N',
  },
]

const own = { op: 'my_op::f', variant: 'my_op::f' } as const
const other = { op: 'my_op::f', kind: 'expression' } as const

function reportOf(rows: TimingRow[], more: Partial<TimingReport> = {}): TimingReport {
  return {
    rows,
    machine: {
      processor: 'Some Processor',
      cores: 8,
      cacheBytes: 32e6,
      frequency: { governor: 'performance', least: 0, most: 0, turbo: '' },
      countersMissing: '',
    },
    ceilingsDoubt: '',
    devices: [],
    seconds: 4,
    build: '1',
    ...more,
  }
}

/** The operator in three directions, an expression that is slower, and one that gives something else. */
const rows: TimingRow[] = (['forward', 'backward', 'both'] as const).flatMap((direction, index) => [
  rowOf({ ...own, direction, median: (index + 1) * 1e-6, samples: [1e-6, 2e-6], times: [0, 1] }),
  rowOf({
    ...other,
    direction,
    variant: 'torch.sigmoid(x)',
    median: (index + 1) * 2e-6,
    ratio: ratioOf(2, 'slower'),
  }),
  rowOf({
    ...other,
    direction,
    variant: 'torch.tanh(x)',
    median: 0,
    refused: 'the result is wrong: 3 of 4 elements differ',
  }),
])

const sweep = [16, 256, 4096].map((N) =>
  rowOf({
    ...own,
    median: N * 1e-9,
    point: { sizes: { N } },
    bytes: 16 * N,
    flops: 4 * N,
    flopsPerSecond: 4e9,
    bytesPerSecond: 16e9,
    samples: [N * 1e-9, N * 1.1e-9],
    times: [0, 0.001],
  }),
)

const ceilings = {
  threads: 1,
  bytesPerSecond: 20e9,
  flopsPerSecond: { float32: 1e11, float64: 5e10 },
  othersBusy: 0,
  spread: 0,
}

async function openTimings(): Promise<void> {
  await open({ benchmarks })
  await build()
  show('timings')
  await screen.findByTestId('timings-panel')
}

async function openOne(entry: number, report: TimingReport): Promise<void> {
  main.give('timing.run', report)
  await openTimings()
  await userEvent.click(screen.getByTestId(`timings-entry-${entry}`))
  await userEvent.click(screen.getByTestId('timings-run'))
  await screen.findByTestId('timings-table')
}

function lines(): { kind: string; variant: string; times: number; refused: string }[] {
  return screen.queryAllByTestId('timings-line').map((line) => ({
    kind: line.dataset['kind'] ?? '',
    variant: line.dataset['variant'] ?? '',
    times: within(line).queryAllByTestId('timings-cell').length,
    refused: within(line).queryAllByTestId('timings-refused')[0]?.textContent ?? '',
  }))
}

describe('the timings panel without results', () => {
  it('a project that was never built gets a hint to build', async () => {
    await open({ benchmarks })
    show('timings')
    expect(screen.getByText(/Build first/)).toBeTruthy()
  })

  it('the benchmarks of opsmith.json are listed and nothing is timed', async () => {
    await openTimings()
    expect(screen.getByTestId('timings-entry-1').textContent).toContain('long rows')
    expect(screen.getByText(/^Measures all benchmarks of opsmith\.json/)).toBeTruthy()
    expect(main.asked('timing.runAll')).toEqual([])
    await userEvent.click(screen.getByTestId('timings-entry-1'))
    expect(screen.getByTestId('timings-entry-1').getAttribute('aria-pressed')).toBe('true')
    expect(screen.getByText(/shows the median, the spread and the samples/)).toBeTruthy()
  })

  it('F10 measures the first benchmark where none was chosen', async () => {
    await open({ benchmarks })
    await build()
    main.give('timing.run', reportOf(rows))
    act(() => runCommand('timing.run'))
    await waitFor(() => expect(main.asked('timing.run')).toHaveLength(1))
    expect(main.asked('timing.run')[0]?.request.op).toBe(benchmarks[0]?.op)
  })

  it('without benchmarks the calls are listed', async () => {
    await open({ benchmarks: [] })
    await build()
    show('timings')
    expect(screen.getByText(/^opsmith\.json has no benchmarks/)).toBeTruthy()
  })
})

describe('timings at work', () => {
  it('rows are shown as they are timed, and Stop keeps those that are done', async () => {
    const run = main.hold('timing.runAll')
    await openTimings()
    await userEvent.click(screen.getByTestId('timings-all'))
    const { job } = await run.asked
    expect(screen.getByText('warming up …')).toBeTruthy()
    act(() => {
      main.send('timing.progressed', { job, done: 1, total: 12, row: rows[0] })
    })
    expect(lines()).toEqual([{ kind: 'operator', variant: 'my_op::f', times: 1, refused: '' }])
    expect(screen.getByRole('progressbar', { name: 'Measure all' })).toBeTruthy()
    await userEvent.click(screen.getByTestId('timings-all-stop'))
    expect(main.asked('job.cancel')).toContainEqual({ job, byUser: true })
    expect(screen.getByText('The measurement was stopped. These rows are complete.')).toBeTruthy()
    expect(lines()).toHaveLength(1)
    expectNone('timings-error')
  })

  it('a timing that waits shows for what', async () => {
    const run = main.hold('timing.runAll')
    await openTimings()
    await userEvent.click(screen.getByTestId('timings-all'))
    const { job } = await run.asked
    act(() => {
      main.send('timing.progressed', {
        job,
        done: 0,
        total: 3,
        waiting: 'clangd reads the sources',
      })
    })
    expect(screen.getByTestId('timings-waiting').textContent).toContain('waits: clangd reads')
    expect(lines()).toEqual([])
    act(() => {
      main.send('timing.progressed', { job, done: 0, total: 3 })
    })
    expect(screen.getByTestId('timings-waiting').textContent).toBe('')
    await act(async () => {
      run.succeed(reportOf(rows))
      await Promise.resolve()
    })
  })

  it('a benchmark that ends the op host links to the crash and can be timed again', async () => {
    main.refuse('timing.run', crashed)
    await openTimings()
    await userEvent.click(screen.getByTestId('timings-entry-0'))
    await userEvent.click(screen.getByTestId('timings-run'))
    const error = await screen.findByTestId('timings-error')
    expect(within(error).getByRole('button', { name: 'Show the crash' })).toBeTruthy()
    main.give('timing.run', reportOf(rows))
    await userEvent.click(within(error).getByRole('button', { name: 'Measure again' }))
    await screen.findByTestId('timings-table')
    expectNone('timings-error')
  })
})

describe('the table of timings', () => {
  it('variants are rows, and no speed is shown for a wrong result', async () => {
    main.give('timing.runAll', reportOf(rows))
    await openTimings()
    await userEvent.click(screen.getByTestId('timings-all'))
    await screen.findByTestId('timings-table')
    expect(lines()).toEqual([
      { kind: 'operator', variant: 'my_op::f', times: 3, refused: '' },
      { kind: 'expression', variant: 'torch.sigmoid(x)', times: 3, refused: '' },
      { kind: 'expression', variant: 'torch.tanh(x)', times: 0, refused: expect.any(String) },
    ])
    // A few words in each cell; the reason is below the table, once.
    for (const cell of screen.getAllByTestId('timings-refused')) {
      expect(cell.textContent.trim()).toBe('no time: wrong result')
    }
    const reasons = within(screen.getByTestId('timings-refusals')).getAllByRole('listitem')
    expect(reasons.map((reason) => reason.textContent)).toEqual([
      'the result is wrong: 3 of 4 elements differ (forward of torch.tanh(x); the same for 2 others)',
    ])
    const ratios = screen.getAllByTestId('timings-ratio')
    expect(ratios).toHaveLength(3)
    for (const ratio of ratios) {
      expect(ratio.dataset['verdict']).toBe('slower')
      expect(ratio.textContent).toMatch(/^2\.00× \[1\.96, 2\.04\] slower$/)
    }
    expect(screen.getByText(/Some Processor, 8 cores, governor performance/)).toBeTruthy()
    expect(screen.getByTestId('timings-entry-0').textContent).toContain('1.000 µs')
  })

  it('the table is copied as Markdown and as CSV', async () => {
    main.give('timing.runAll', reportOf([...rows, ...sweep.map((row) => ({ ...row, entry: 1 }))]))
    const user = userEvent.setup()
    await openTimings()
    await user.click(screen.getByTestId('timings-all'))
    await screen.findByTestId('timings-table')
    await user.click(screen.getByTestId('timings-copy-markdown'))
    expect(await navigator.clipboard.readText()).toMatch(
      /^\| variant \| at \| forward \(\S+\) \| backward \(\S+\) \| both/,
    )
    await user.click(screen.getByTestId('timings-copy-csv'))
    const csv = (await navigator.clipboard.readText()).trim().split('\n')
    expect(csv[0]).toMatch(/^op,kind,variant,direction,/)
    expect(csv).toHaveLength(1 + 9 + 3)
  })

  it('warnings are listed with their rows', async () => {
    const warning = 'The clock changed while it was timed.'
    main.give('timing.runAll', reportOf([rowOf({ ...own, median: 1e-6, warnings: [warning] })]))
    await openTimings()
    await userEvent.click(screen.getByTestId('timings-all'))
    expect((await screen.findByTestId('timings-warnings')).textContent).toContain(warning)
  })

  it('times of older sources and of other fields are shown as such', async () => {
    await openOne(0, reportOf(rows))
    expectNone('stale-bar')
    expectNone('timings-other-fields')
    await userEvent.clear(screen.getByTestId('timings-seconds'))
    await userEvent.type(screen.getByTestId('timings-seconds'), '2{Enter}')
    expect(screen.getByTestId('timings-other-fields').textContent).toContain('different settings')
    saveSource()
    expect(screen.getByTestId('stale-bar').textContent).toContain('Built from older sources.')
  })
})

describe('one benchmark', () => {
  it('a sweep shows its curves and its roofline', async () => {
    await openOne(1, reportOf(sweep, { ceilings }))
    expect(await screen.findByTestId('timings-sweep-chart')).toBeTruthy()
    const roofline = screen.getByTestId('timings-roofline').getAttribute('aria-label')
    expect(roofline).toContain('Roofline of 3 points')
    expect(lines().map((line) => line.variant)).toEqual(['my_op::f', 'my_op::f', 'my_op::f'])
  })

  it('ceilings of a busy machine are doubted and can be measured again', async () => {
    await openOne(1, reportOf(sweep, { ceilings, ceilingsDoubt: 'other programs were busy' }))
    expect(screen.getByTestId('timings-ceilings-doubt').textContent).toContain('busy')
    main.give('timing.ceilings', { ceilings, doubt: '' })
    await userEvent.click(screen.getByTestId('timings-measure-ceilings'))
    await waitFor(() => {
      expectNone('timings-ceilings-doubt')
    })
    expect(screen.getByTestId('timings-roofline')).toBeTruthy()
  })

  it('the samples are shown as a histogram and over time', async () => {
    await openOne(0, reportOf(rows))
    expect(await screen.findByTestId('timings-histogram')).toBeTruthy()
    await userEvent.click(screen.getByTestId('timings-drift'))
    expect(await screen.findByTestId('timings-drift-chart')).toBeTruthy()
  })

  it('the counted operations name the variant that was counted', async () => {
    const counted = rowOf({
      ...own,
      median: 1e-6,
      flops: 524_288,
      flopsPerSecond: 524e9,
      flopsCountedIn: 'my_op::f',
    })
    await openOne(0, reportOf([counted]))
    expect(screen.getByText(/524 kFLOP, counted/)).toBeTruthy()
  })

  it('the history shows the builds and the edit behind the last one', async () => {
    const point = { time: 0, median: 1e-6, p25: 0.9e-6, p75: 1.1e-6 }
    main.give('timing.history', [
      { ...point, build: '0', diff: '' },
      {
        ...point,
        build: '1',
        median: 2e-6,
        p25: 1.9e-6,
        p75: 2.1e-6,
        diff: '--- a/op.cpp\n+++ b/op.cpp\n@@ -1,1 +1,1 @@\n-return x;\n+return slow(x);\n',
      },
    ])
    await openOne(0, reportOf(rows))
    expect((await screen.findByTestId('timings-history')).dataset['builds']).toBe('2')
    expect(screen.getByText(/\+100 % from the previous build/)).toBeTruthy()
    expect(screen.getByTestId('timings-diff').textContent).toContain('+return slow(x);')
  })

  it('edited sizes are kept in opsmith.json', async () => {
    await openOne(1, reportOf(sweep))
    expectNone('timings-keep')
    const sizes = screen.getByTestId('timings-sizes')
    await userEvent.clear(sizes)
    await userEvent.type(sizes, 'N 32..128{Enter}')
    await userEvent.click(screen.getByTestId('timings-fresh'))
    main.give('timing.keep', { entry: 2, added: true })
    await userEvent.click(screen.getByTestId('timings-keep'))
    await waitFor(() => {
      expect(main.asked('timing.keep')[0]?.entry).toMatchObject({
        sizes: { N: [32, 64, 128] },
        fresh: false,
      })
    })
  })

  it('a kept build can be named and timed against', async () => {
    const builds = [
      { key: '2'.repeat(32), name: '', time: 2000, current: true },
      { key: '1'.repeat(32), name: 'plain formula', time: 1000, current: false },
    ]
    main.give('timing.builds', builds)
    main.give('timing.nameBuild', builds)
    await openOne(0, reportOf(rows))
    await userEvent.click(screen.getByTestId('timings-builds'))
    await userEvent.click(screen.getByText('Name this build …'))
    await userEvent.type(screen.getByTestId('timings-build-name'), 'slow{Enter}')
    expect(main.asked('timing.nameBuild')[0]).toMatchObject({
      key: '2'.repeat(32),
      name: 'slow',
    })
    await userEvent.click(screen.getByTestId('timings-builds'))
    await userEvent.click(screen.getByTestId('timings-build-last'))
    await userEvent.click(screen.getByTestId('timings-run'))
    await waitFor(() => {
      expect(main.asked('timing.run').at(-1)?.request.builds).toEqual(['last'])
    })
  })

  it('a row on a device shows its launch, its graph and why it has no kernels', async () => {
    const state = { slowedBy: [], processes: 1, missing: 'no NVML here' }
    const row = rowOf({
      ...own,
      median: 1e-4,
      device: 'privateuseone:0',
      gpu: {
        launch: 4e-6,
        replay: { median: 9e-5, p25: 9e-5, p75: 9e-5 },
        noReplay: '',
        before: state,
        after: state,
      },
    })
    await openOne(0, reportOf([row]))
    const device = screen.getByTestId('timings-device').textContent
    expect(device).toMatch(/launch time on the host4\.000 µsin a CUDA graph90\.00 µs/)
    expect(screen.getByText(/are not known: no NVML here/)).toBeTruthy()
    main.give('timing.kernels', { op: 'my_op::f', device: 'x', kernels: [], note: 'It has none.' })
    await userEvent.click(screen.getByTestId('timings-list-kernels'))
    expect((await screen.findByTestId('timings-no-kernels')).textContent).toContain('It has none.')
  })
})
