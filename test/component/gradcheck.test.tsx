import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'

import type { CheckedReport, SweepReport } from '../../electron/contract/gradcheck'
import { filesStore } from '../../renderer/store/files'
import { layoutStore, type Dock } from '../../renderer/store/layout'
import { holdStaleness } from '../../renderer/store/staleness'
import { findingOf, jacobian, outcomeOf, reportOf, worstOf } from '../unit/gradcheck-samples'
import { crashed, folder } from './support/answers'
import { build, expectNone, main, open, saveSource, show } from './support/window'

const gradchecks = [
  { op: 'my_op::f', args: ['x'] },
  { op: 'my_op::f', args: ['x'], dtype: 'float32', expect: 'failed' },
]

const passed: CheckedReport = { ...reportOf([findingOf({ maxAbsolute: 2e-9 })]), error: 2e-9 }
const wrong: CheckedReport = {
  ...reportOf([
    findingOf({
      status: 'failed',
      cause: 'The gradient is 2 times the expected gradient.',
      reason: 'backward gives another Jacobian',
      mismatched: 3,
      worst: worstOf(2, 1),
      ...jacobian(1, 2, 1),
    }),
    findingOf({ check: 'undefined_grad', status: 'not reached' }),
  ]),
  error: 1,
}

/** Jacobians are read in pages when one is shown. */
function givePages(): void {
  main.give('tensor.page', {
    rows: 2,
    columns: 2,
    rowStart: 0,
    columnStart: 0,
    values: [0, 1, 0, 0],
    pageRows: 2,
    pageColumns: 2,
  })
}

/** A built project whose chosen check gives this report. */
async function openChecked(report: CheckedReport): Promise<void> {
  givePages()
  main.give('gradcheck.run', report)
  await open({ gradchecks })
  await build()
  show('gradcheck')
  await screen.findByTestId('gradcheck-verdict')
}

const verdict = (): string | undefined => screen.getByTestId('gradcheck-verdict').dataset['verdict']
const row = (entry: number): HTMLElement => screen.getByTestId(`gradcheck-entry-${entry}`)
const lastRequest = () => main.asked('gradcheck.run').at(-1)?.request

describe('the gradcheck panel without results', () => {
  it('a project that was never built gets a hint to build', async () => {
    await open()
    show('gradcheck')
    expect(screen.getByText(/Build first/)).toBeTruthy()
    expectNone('gradcheck-panel')
  })

  it('checks of a project that was never built are listed as not run', async () => {
    await open({ gradchecks })
    show('gradcheck')
    expect(row(0).textContent).toContain('not run')
    expect(row(1).textContent).toContain('float32')
    expect(screen.getByText('Choose an operator or a function to check.')).toBeTruthy()
  })

  it('a project without gradchecks offers its operators', async () => {
    main.give('gradcheck.run', passed)
    await open({ gradchecks: [] })
    await build()
    show('gradcheck')
    expect(screen.getByText(/^No gradchecks yet/)).toBeTruthy()
    const list = screen.getByTestId('gradcheck-list')
    expect(within(list).getByRole('button', { name: /my_op::f/ })).toBeTruthy()
  })
})

describe('the gradcheck panel at work', () => {
  it('a running check shows that it runs, and Stop cancels its job', async () => {
    const run = main.hold('gradcheck.run')
    await open({ gradchecks })
    await build()
    show('gradcheck')
    const { job } = await run.asked
    expect(await screen.findByText(/checking …/)).toBeTruthy()
    await userEvent.click(await screen.findByTestId('gradcheck-stop'))
    expect(main.asked('job.cancel')).toContainEqual({ job, byUser: true })
    expectNone('gradcheck-error')
    expect(screen.getByRole('button', { name: 'Check' })).toBeTruthy()
  })

  it('the checks of opsmith.json show their verdicts one by one', async () => {
    givePages()
    main.give('gradcheck.run', passed)
    const all = main.hold('gradcheck.runAll')
    await open({ gradchecks })
    await build()
    show('gradcheck')
    const { job } = await all.asked
    act(() => {
      const first = outcomeOf(0, passed)
      main.send('gradcheck.progressed', { job, done: 1, total: 2, outcome: first })
    })
    expect(await screen.findByRole('progressbar', { name: 'Check all' })).toBeTruthy()
    expect(screen.getByText(/^1 of 2/)).toBeTruthy()
    const outcomes = [outcomeOf(0, passed), outcomeOf(1, wrong, { expect: 'failed' })]
    await act(async () => {
      all.succeed(outcomes)
      await Promise.resolve()
    })
    await waitFor(() => {
      expect([row(0).dataset['verdict'], row(1).dataset['verdict']]).toEqual(['passed', 'failed'])
    })
    // Failing as expected is no alarm.
    expect(row(1).textContent).toContain('fails')
    expect(row(1).dataset['expected']).toBe('true')
    expect(screen.getByText('2 as expected')).toBeTruthy()
  })

  it('checks that cannot be made show the reason in the list', async () => {
    main.give('gradcheck.run', passed)
    main.refuse('gradcheck.runAll', { code: 'host.unavailable', message: 'No op host starts.' })
    await open({ gradchecks })
    await build()
    show('gradcheck')
    expect(await screen.findByText('No op host starts.')).toBeTruthy()
  })
})

describe('the verdict of a gradcheck', () => {
  it('a check that passes shows its largest error and the change since the previous build', async () => {
    await openChecked({ ...passed, before: { build: 'b', time: 0, ok: true, error: 4e-9 } })
    expect(verdict()).toBe('passed')
    expect(screen.getByTestId('gradcheck-verdict').textContent).toContain('2e-9')
    expect(screen.getByTestId('gradcheck-change').textContent).toBe(
      '2 times smaller than in the previous build',
    )
    expect(screen.getByText('1 passed')).toBeTruthy()
  })

  it('a check that fails shows the cause, the worst element and how many are out', async () => {
    await openChecked(wrong)
    expect(verdict()).toBe('failed')
    expect(screen.getByText('but expected to pass')).toBeTruthy()
    const [backward, undefinedGrad] = screen.getAllByTestId('gradcheck-finding')
    expect(backward?.dataset).toMatchObject({ check: 'backward', status: 'failed' })
    expect(backward?.textContent).toContain('3 of 4 elements are outside the tolerance')
    expect(undefinedGrad?.textContent).toContain('not reached')
    expect(screen.getByTestId('gradcheck-cause').textContent).toContain('2 times')
    const worst = screen.getByTestId('gradcheck-worst-element').textContent
    expect(worst).toContain('d output[1] / d x[0, 1]')
    expect(worst).toMatch(/analytical2numerical1absolute error1/)
    expect(screen.getByText('1 failed, 1 not reached')).toBeTruthy()
  })

  it('a wrong gradient names the function that made it, and F12 goes there', async () => {
    const file = `${folder}/op.cpp`
    main.give('operator.gradientFunctions', [
      { operator: 'my_op::f', name: 'f_backward', file, line: 21 },
    ])
    const showFile = vi.fn(() => 'file:op.cpp')
    const dock = { showFile, activeTool: () => 'gradcheck' }
    await openChecked(wrong)
    act(() => layoutStore.setState({ dock: dock as unknown as Dock }))
    const made = await screen.findByTestId('gradcheck-made-by')
    await waitFor(() => expect(made.textContent).toContain('f_backward op.cpp:21F12'))
    await userEvent.keyboard('{F12}')
    expect(filesStore.getState().reveal).toMatchObject({ path: 'op.cpp', line: 21, focus: true })
    act(() => layoutStore.setState({ dock: null }))
  })

  it('a check that fails as expected shows it', async () => {
    await openChecked(wrong)
    await userEvent.click(row(1))
    expect(await screen.findByText('as expected')).toBeTruthy()
    expect(row(1).getAttribute('aria-pressed')).toBe('true')
    expect(lastRequest()?.dtype).toBe('float32')
  })

  it('a check that ends the op host shows the crash and can be made again', async () => {
    main.refuse('gradcheck.run', crashed)
    await open({ gradchecks })
    await build()
    show('gradcheck')
    const error = await screen.findByTestId('gradcheck-error')
    expect(error.dataset['code']).toBe('host.crashed')
    expect(error.textContent).toContain('Segmentation fault')
    expect(within(error).getByRole('button', { name: 'Show the crash' })).toBeTruthy()
    const before = main.asked('gradcheck.run').length
    main.give('gradcheck.run', passed)
    await userEvent.click(within(error).getByRole('button', { name: 'Check again' }))
    await screen.findByTestId('gradcheck-verdict')
    expect(main.asked('gradcheck.run').length).toBe(before + 1)
  })

  it('a result of older sources is shown as such', async () => {
    main.give('gradcheck.runAll', [outcomeOf(0, passed), outcomeOf(1, wrong)])
    await openChecked(passed)
    await waitFor(() => {
      expect(row(0).dataset['verdict']).toBe('passed')
    })
    expectNone('stale-bar')
    saveSource()
    expect(screen.getByTestId('stale-bar').textContent).toContain('Built from older sources.')
    expect(row(0).dataset['verdict']).toBe('')
  })

  it('a save that a build follows leaves the list as it is until the new verdicts are there', async () => {
    const second = outcomeOf(1, wrong, { expect: 'failed' })
    main.give('gradcheck.runAll', [outcomeOf(0, wrong), second])
    await openChecked(wrong)
    const said = (): string | null => screen.getByTestId('gradcheck-list-verdict').textContent
    await waitFor(() => {
      expect(said()).toBe('1 of 2 not as expected')
    })
    act(holdStaleness)
    saveSource()
    expect(said()).toBe('1 of 2 not as expected')
    main.give('gradcheck.run', passed)
    main.give('gradcheck.runAll', [outcomeOf(0, passed), second])
    await build()
    await waitFor(() => {
      expect(said()).toBe('2 as expected')
    })
  })

  it('Jacobians of an op host that has ended are gone', async () => {
    await openChecked(wrong)
    act(() => {
      const next = { generation: 2, state: 'ready', libtorch: '2.13.0', pid: 101 } as const
      main.send('host.changed', next)
    })
    expect(
      screen.getByText(/The Jacobians are gone: the process that held them has exited/),
    ).toBeTruthy()
    act(() => {
      const first = { generation: 1, state: 'ready', libtorch: '2.13.0', pid: 100 } as const
      main.send('host.changed', first)
    })
  })
})

describe('an edited gradcheck', () => {
  it('an edited option is checked at once, and the case can be kept', async () => {
    await openChecked(passed)
    expectNone('gradcheck-keep')
    const rtol = screen.getByTestId('gradcheck-rtol')
    await userEvent.clear(rtol)
    await userEvent.type(rtol, '1e-4{Enter}')
    await userEvent.click(screen.getByTestId('gradcheck-fast_mode'))
    await waitFor(() => {
      expect(lastRequest()?.options).toMatchObject({ rtol: 1e-4, fast_mode: true })
    })
    main.give('gradcheck.keep', { entry: 2, added: true })
    await userEvent.click(await screen.findByTestId('gradcheck-keep'))
    await waitFor(() => {
      expect(main.asked('gradcheck.keep')).toHaveLength(1)
    })
    expect(main.asked('gradcheck.keep')[0]).toMatchObject({
      expect: 'passed',
      request: { op: 'my_op::f', args: ['x'], options: { rtol: 1e-4 } },
    })
  })

  it('a text that is no number gets the reason and checks nothing', async () => {
    await openChecked(passed)
    const before = main.asked('gradcheck.run').length
    const eps = screen.getByTestId('gradcheck-eps')
    await userEvent.clear(eps)
    await userEvent.type(eps, '-1{Enter}')
    expect(screen.getByRole('alert').textContent).toBe('must be larger than 0')
    expect(eps.getAttribute('aria-invalid')).toBe('true')
    expect(main.asked('gradcheck.run').length).toBe(before)
  })

  it('an argument that is no input gets the reason', async () => {
    await openChecked(passed)
    const args = screen.getByTestId('gradcheck-args')
    await userEvent.clear(args)
    await userEvent.type(args, 'nothing{Enter}')
    const error = await screen.findByTestId('gradcheck-error')
    expect(error.textContent).toContain('There is no input "nothing"')
  })

  it('an input can be made sparse, with a density, and dense again', async () => {
    await openChecked(passed)
    await userEvent.click(screen.getByTestId('gradcheck-input-x'))
    const layout = screen.getByLabelText('Layout')
    expect(screen.queryByLabelText('Density')).toBeNull()
    await userEvent.selectOptions(layout, 'sparse_coo')
    const density = screen.getByLabelText('Density')
    await userEvent.clear(density)
    await userEvent.type(density, '0.1{Enter}')
    await waitFor(() => {
      expect(lastRequest()?.inputs['x']).toMatchObject({ layout: 'sparse_coo', density: 0.1 })
    })
    expect(screen.getByTestId('gradcheck-input-x').textContent).toContain(
      'float64 [2, 2] sparse_coo grad',
    )
    await userEvent.click(screen.getByTestId('gradcheck-more'))
    await userEvent.click(screen.getByTestId('gradcheck-masked'))
    await waitFor(() => {
      expect(lastRequest()?.options.masked).toBe(true)
    })
    await userEvent.selectOptions(layout, 'strided')
    expect(screen.queryByLabelText('Density')).toBeNull()
    await waitFor(() => {
      expect(lastRequest()?.inputs['x']?.layout).toBeUndefined()
    })
  })
})

const sweep: SweepReport = {
  op: 'my_op::f',
  seconds: 1.5,
  curves: [
    {
      dtype: 'float64',
      points: [
        {
          dtype: 'float64',
          eps: 1e-2,
          ok: false,
          maxAbsolute: 1e-2,
          maxRelative: 1e-2,
          branch: 'truncation',
        },
        {
          dtype: 'float64',
          eps: 1e-5,
          ok: true,
          maxAbsolute: 1e-10,
          maxRelative: 1e-10,
          branch: 'flat',
        },
      ],
      recommended: 1,
      reason: '',
    },
    { dtype: 'float32', points: [], reason: 'not implemented for float32' },
  ],
}

describe('the sweep over eps', () => {
  it('a sweep shows its chart, the best eps and why a precision has no points', async () => {
    await openChecked(passed)
    const swept = main.hold('gradcheck.sweep')
    await userEvent.click(screen.getByTestId('gradcheck-sweep'))
    const { job } = await swept.asked
    act(() => {
      main.send('gradcheck.progressed', { job, done: 3, total: 46 })
    })
    expect(screen.getByRole('progressbar', { name: 'Steps' })).toBeTruthy()
    await act(async () => {
      swept.succeed(sweep)
      await Promise.resolve()
    })
    const chart = await screen.findByTestId('gradcheck-sweep-chart')
    expect(chart.getAttribute('aria-label')).toMatch(/float64: smallest error .*, at eps 1e-5/)
    expect(screen.getByText('float32: not implemented for float32')).toBeTruthy()
    expect(screen.getByTestId('gradcheck-best-float64').textContent).toBe('float64: eps 1e-5')
    // A click takes that step.
    await userEvent.click(screen.getByTestId('gradcheck-best-float64'))
    await waitFor(() => {
      expect(lastRequest()?.options.eps).toBe(1e-5)
    })
    expect(screen.getByTestId('gradcheck-eps')).toHaveProperty('value', '1e-5')
    expect(screen.getByTestId('gradcheck-best-float64').getAttribute('aria-pressed')).toBe('true')
    saveSource()
    expect(screen.getByText('from older sources')).toBeTruthy()
  })

  it('a sweep that fails shows the reason', async () => {
    await openChecked(passed)
    main.refuse('gradcheck.sweep', { code: 'operator.check', message: 'f: x must be float64' })
    await userEvent.click(screen.getByTestId('gradcheck-sweep'))
    expect(await screen.findByText('f: x must be float64')).toBeTruthy()
  })
})

describe('the search for the worst point', () => {
  it('a search shows how many points fail and the seeds of the worst one', async () => {
    await openChecked(passed)
    main.give('gradcheck.search', {
      op: 'my_op::f',
      seconds: 2,
      tried: 100,
      failed: 3,
      seeds: { x: 17 },
      inputs: {},
      excess: 0.5,
      maxAbsolute: 0.6,
    })
    await userEvent.click(screen.getByTestId('gradcheck-search'))
    const found = await screen.findByTestId('gradcheck-found')
    expect(found.textContent).toContain('3 of 100 points fail')
    expect(found.textContent).toContain('x 17')
    expect(main.asked('gradcheck.search')[0]).toMatchObject({ points: 100, firstSeed: 0 })
    saveSource()
    expect(found.textContent).toContain('from older sources')
  })
})

describe('the history of a gradcheck', () => {
  it('the errors of earlier builds are shown', async () => {
    const point = { time: 0, ok: true }
    main.give('gradcheck.history', [
      { ...point, build: '0', error: 1 },
      { ...point, build: '1', error: 2e-9 },
    ])
    await openChecked(passed)
    expect((await screen.findByTestId('gradcheck-history')).dataset['builds']).toBe('2')
  })
})
