import { act, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'

import { noteTests } from '../../renderer/features/pytest/store'
import { testMarks } from '../../renderer/features/tests/gutter'
import { TestsBadge } from '../../renderer/features/tests/TestsBadge'
import { runCommand } from '../../renderer/store/commands'
import { holdStaleness } from '../../renderer/store/staleness'
import { findingOf, outcomeOf, reportOf } from '../unit/gradcheck-samples'
import {
  comparisonOf,
  crash,
  crashed,
  folder,
  pytestOf,
  pytestReportOf,
  runOf,
} from './support/answers'
import { build, main, open, saveSource, show } from './support/window'

const gradchecks = [{ op: 'my_op::f', args: ['x'] }]
const backward = { operator: 'my_op::f', name: 'F::backward', file: `${folder}/op.cpp`, line: 34 }

/** A built project whose gradcheck finds a wrong gradient. */
async function openWrong(): Promise<void> {
  const wrong = {
    ...reportOf([findingOf({ status: 'failed', cause: 'It is twice as large.' })]),
    error: 1,
  }
  main.give('gradcheck.runAll', [outcomeOf(0, wrong)])
  main.give('operator.gradientFunctions', [backward])
  await open({ gradchecks })
  await build()
  show('tests')
}

const rows = (): HTMLElement[] => screen.getAllByTestId('tests-row')
const states = (): (string | undefined)[] => rows().map((row) => row.dataset['state'])
const run = async (row: number): Promise<void> => {
  await userEvent.click(within(rows()[row]!).getByRole('button', { name: /^Run / }))
}

describe('the tests panel', () => {
  it('a wrong gradient names the function that made it, in the list and at the line', async () => {
    await openWrong()
    const row = (await screen.findByText('F::backward')).closest('[data-testid="tests-row"]')
    expect(row?.textContent).toContain('op.cpp:34')
    expect(row?.textContent).toContain('It is twice as large.')
    expect(testMarks().get('op.cpp')?.get(34)?.kind).toBe('failed')
    expect(testMarks().get('op.cpp')?.get(12)).toBeUndefined()
    saveSource()
    await waitFor(() => expect(states()).toEqual(['none', 'old']))
    expect(testMarks().get('op.cpp')).toBeUndefined()
  })

  it('a save that a build follows leaves the verdicts for a second, and then shows them as old', async () => {
    await openWrong()
    await waitFor(() => expect(states()).toEqual(['none', 'failed']))
    act(holdStaleness)
    saveSource()
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(states()).toEqual(['none', 'failed'])
    expect(testMarks().get('op.cpp')?.get(34)?.kind).toBe('failed')
    await waitFor(() => expect(states()).toEqual(['none', 'old']), { timeout: 3_000 })
  })

  it('a call runs alone, and says what is wrong with its result', async () => {
    await openWrong()
    await waitFor(() => expect(states()).toEqual(['none', 'failed']))
    main.give('operator.run', runOf())
    await run(0)
    await screen.findByText('1 passed')
    expect(main.asked('operator.run')[0]?.request).toMatchObject({ op: 'my_op::f', args: ['x'] })
    // The gradcheck says nothing about the kernel, since it is wrong in backward.
    expect(testMarks().get('op.cpp')?.get(12)?.kind).toBe('passed')
    // Its tensors are nobody's.
    expect(main.asked('tensor.release').at(-1)?.handles).toEqual([1, 2])
    const comparisons = [comparisonOf({ matches: false, mismatched: 3, maxAbsolute: 0.5 })]
    main.give('operator.run', runOf({ comparisons }))
    await run(0)
    await screen.findByText(
      /3 of 4 elements differ from the reference. The largest difference is 0.5/,
    )
    expect(states()).toEqual(['failed', 'failed'])
    expect(testMarks().get('op.cpp')?.get(12)?.kind).toBe('failed')
    const referenceError = 'undefined value z:\n3 * z\n    ~ <--- HERE'
    main.give('operator.run', runOf({ comparisons: [], referenceError }))
    await run(0)
    await screen.findByText('The reference could not be evaluated: undefined value z')
    await userEvent.click(screen.getByTestId('tests-only-failed'))
    expect(rows()).toHaveLength(2)
  })

  it('a call that ends the op host is marked where it crashed', async () => {
    await openWrong()
    const frame = { address: '0x1', symbol: 'f(Tensor)', module: 'libmy_op.so', isUser: true }
    const stack = [{ ...frame, file: `${folder}/op.cpp`, line: 7 }]
    main.refuse('operator.run', { ...crashed, exit: { ...crash, stack } })
    await run(0)
    await screen.findByText(crash.message)
    expect(states()[0]).toBe('crashed')
    expect(testMarks().get('op.cpp')?.get(7)?.kind).toBe('crashed')
  })

  it('all run one group after the other, benchmarks not with them', async () => {
    main.give('operator.run', runOf())
    await open({ gradchecks, benchmarks: [{ op: 'my_op::f', args: ['x'] }] })
    await build()
    show('tests')
    main.give('gradcheck.runAll', [outcomeOf(0, reportOf([findingOf({})]))])
    main.calls.length = 0
    act(() => runCommand('tests.all'))
    await screen.findAllByText('1 passed')
    const asked = main.calls.map(({ name }) => name)
    expect(asked.indexOf('operator.run')).toBeLessThan(asked.indexOf('gradcheck.runAll'))
    expect(asked).not.toContain('timing.runAll')
    expect(rows().at(-1)?.dataset['state']).toBe('none')
  })

  it('the repository’s tests in Python are a group: verdict, time, run, “Run all”, badge and marks', async () => {
    const file = `${folder}/tests/test_f.py`
    const passed = pytestOf('tests/test_f.py::test_twice', { file, line: 4 })
    const wrong = pytestOf('tests/test_f.py::TestF::test_grad[a::b]', {
      file,
      line: 8,
      outcome: 'failed',
      message: 'Tensor-likes are not close!',
      places: [
        { file, line: 9, name: 'test_grad' },
        { file: `${folder}/my_op/f.py`, line: 3, name: 'f' },
      ],
    })
    main.give('operator.run', runOf())
    main.give('pytest.run', pytestReportOf([passed, wrong]))
    await open({ pythonModules: ['my_op._C'] })
    await build()
    show('tests')
    render(<TestsBadge />)
    // Nobody knows yet which tests there are.
    await waitFor(() => expect(states()).toEqual(['none', 'none']))
    act(() => runCommand('tests.all'))
    await waitFor(() => expect(states()).toEqual(['passed', 'passed', 'failed']))
    expect(main.asked('pytest.run').map(({ request }) => request.ids)).toEqual([[]])
    const group = screen.getByRole('list', { name: 'Pytest' })
    const [first, second] = within(group).getAllByTestId('tests-row')
    expect(first?.textContent).toBe('test_twicetests/test_f.py0.25 s')
    expect(second?.textContent).toContain('TestF::test_grad[a::b]')
    expect(second?.textContent).toContain('Tensor-likes are not close!')
    expect(second?.textContent).toContain('f.py:3')
    expect(screen.getByRole('img', { name: '1 failed' })).toBeTruthy()
    expect(testMarks().get('tests/test_f.py')?.get(4)?.kind).toBe('passed')
    expect(testMarks().get('my_op/f.py')?.get(3)?.kind).toBe('failed')
    main.give('pytest.run', pytestReportOf([{ ...wrong, outcome: 'passed', places: [] }]))
    await run(2)
    await waitFor(() => expect(states()).toEqual(['passed', 'passed', 'passed']))
    expect(main.asked('pytest.run').at(-1)?.request.ids).toEqual([wrong.id])
    expect(testMarks().get('tests/test_f.py')?.get(8)?.kind).toBe('passed')
    expect(screen.queryByRole('img', { name: '1 failed' })).toBeNull()
    saveSource()
    await waitFor(() => expect(states()).toEqual(['old', 'old', 'old']))
  })

  it('a group of thousands draws its first 200 rows, and says how many more there are', async () => {
    await open()
    await build()
    show('tests')
    const ids = Array.from({ length: 1201 }, (_, index) => `tests/test_f.py::test_f[${index}]`)
    act(() =>
      noteTests(
        ids.map((id) => pytestOf(id)),
        '',
      ),
    )
    await screen.findByText(/^1,001 more tests/)
    expect(
      within(screen.getByRole('list', { name: 'Pytest' })).getAllByTestId('tests-row'),
    ).toHaveLength(200)
  })
})
