import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'

import type { RecordedCall } from '../../electron/contract/recorded-calls'
import { treeRows } from '../../renderer/features/pytest/tree'
import { filesStore } from '../../renderer/store/files'
import { folder, pytestOf, pytestReportOf } from './support/answers'
import { build, main, open, saveSource, show } from './support/window'

const sum = pytestOf('tests/test_add.py::TestAdd::test_sum')
const wrong = pytestOf('tests/test_add.py::TestAdd::test_grad[a::b]', {
  outcome: 'failed',
  message: 'Tensor-likes are not close!',
  text: 'E  Mismatched elements: 1 / 4',
  output: 'adds 2',
  places: [
    { file: `${folder}/tests/test_add.py`, line: 9, name: 'test_grad' },
    { file: `${folder}/my_op/__init__.py`, line: 3, name: 'add' },
  ],
})
const last = pytestOf('tests/test_cuda.py::test_device', { outcome: 'skipped' })

const rows = (): HTMLElement[] => screen.getAllByTestId('pytest-row')
const outcomes = (): (string | undefined)[] => rows().map((row) => row.dataset['outcome'])
const asked = (): string[][] => main.asked('pytest.run').map(({ request }) => request.ids)

async function openRun(report = pytestReportOf([sum, wrong, last])): Promise<void> {
  main.give('pytest.run', report)
  await open()
  await build()
  show('pytest')
  await userEvent.click(screen.getByTestId('pytest-run-all'))
}

describe('the pytest panel', () => {
  it('tests are a tree of files and classes, and a failure links the lines that it went through', async () => {
    await openRun()
    await waitFor(() =>
      expect(outcomes()).toEqual(['group', 'group', 'passed', 'failed', 'group', 'skipped']),
    )
    expect(rows()[0]?.textContent).toContain('1 failed')
    expect(screen.getByTestId('pytest-summary').textContent).toContain('built by Opsmith: my_op._C')
    await userEvent.click(screen.getByText('test_grad[a::b]'))
    const details = screen.getByTestId('pytest-details')
    expect(details.textContent).toContain('Tensor-likes are not close!')
    expect(details.textContent).toContain('Mismatched elements: 1 / 4')
    expect(details.textContent).toContain('adds 2')
    const lines = within(screen.getByRole('list', { name: 'Lines of the failure' }))
    await userEvent.click(lines.getByRole('button', { name: 'my_op/__init__.py:3' }))
    expect(filesStore.getState().reveal).toMatchObject({ path: 'my_op/__init__.py', line: 3 })
    await userEvent.click(screen.getByText('tests/test_add.py'))
    expect(outcomes()).toEqual(['group', 'group', 'skipped'])
  })

  it('one test, a class, or those that failed run alone, and the others keep what is known of them', async () => {
    await openRun()
    await screen.findByText('test_sum')
    main.give('pytest.run', pytestReportOf([{ ...wrong, outcome: 'passed' }], { ok: true }))
    await userEvent.click(screen.getByTestId('pytest-run-failed'))
    await waitFor(() => expect(outcomes().slice(2, 4)).toEqual(['passed', 'passed']))
    expect(screen.queryByTestId('pytest-run-failed')).toBeNull()
    await userEvent.click(within(rows()[1]!).getByRole('button', { name: 'Run TestAdd' }))
    await userEvent.click(screen.getByText('test_sum'))
    await userEvent.click(screen.getByTestId('pytest-run-this'))
    expect(asked()).toEqual([[], [wrong.id], ['tests/test_add.py::TestAdd'], [sum.id]])
    expect(outcomes()).toHaveLength(6)
    // All tests are asked for once more: what is gone from the sources goes.
    main.give('pytest.run', pytestReportOf([sum], { ok: true }))
    await userEvent.click(screen.getByTestId('pytest-run-all'))
    await waitFor(() => expect(outcomes()).toEqual(['group', 'group', 'passed']))
  })

  it('results come while tests run, and Stop keeps them', async () => {
    await open()
    await build()
    show('pytest')
    const held = main.hold('pytest.run')
    await userEvent.click(screen.getByTestId('pytest-run-all'))
    const { job } = await held.asked
    const found = { ...sum, outcome: 'none' as const }
    act(() => {
      const progress = { done: 1, total: 2, running: sum.id, tests: [wrong, found] }
      main.send('pytest.progressed', { job, progress })
    })
    expect(outcomes()).toEqual(['group', 'group', 'failed', 'none'])
    expect(screen.getByRole('img', { name: 'runs' })).toBeTruthy()
    expect(screen.getByText(/1 of 2/)).toBeTruthy()
    main.answer('job.cancel', ({ job: stopped }) => ({
      ok: true,
      value: { cancelled: held.cancel(stopped) },
    }))
    await userEvent.click(screen.getByTestId('pytest-stop'))
    await screen.findByTestId('pytest-run-all')
    expect(outcomes()).toEqual(['group', 'group', 'failed', 'none'])
  })

  it('after each build they run where that is switched on; older results say so', async () => {
    await openRun()
    await screen.findByText('test_sum')
    await build()
    expect(asked()).toHaveLength(1)
    await userEvent.click(screen.getByText('test_sum'))
    saveSource()
    await screen.findByText(/with older sources/)
    await userEvent.click(screen.getByTestId('pytest-after-build'))
    await build()
    await waitFor(() => expect(asked()).toHaveLength(2))
    await waitFor(() => expect(screen.queryByText(/with older sources/)).toBeNull())
  })

  it('a Python without pytest is named with the command that installs it', async () => {
    main.refuse('pytest.run', {
      code: 'toolchain.missing',
      message: '/usr/bin/python3 has no pytest.',
      hint: 'Install it: /usr/bin/python3 -m pip install pytest',
    })
    await open()
    await build()
    show('pytest')
    await userEvent.click(screen.getByTestId('pytest-run-all'))
    const error = await screen.findByTestId('pytest-error')
    expect(error.textContent).toContain('-m pip install pytest')
  })

  it('calls that tests made are listed, and chosen ones are added to opsmith.json', async () => {
    const callOf = (op: string, why = ''): RecordedCall => ({
      op,
      why,
      test: sum.id,
      arguments:
        why === ''
          ? [
              {
                name: 'x',
                given: { tensor: { shape: [2, 3], dtype: 'float32', requires_grad: true } },
              },
              { name: 'scale', given: { value: 2 } },
            ]
          : [],
    })
    const calls = [
      callOf('my_op::add'),
      callOf('my_op::sub'),
      callOf('my_op::mul', 'the number inf'),
    ]
    await openRun(pytestReportOf([sum]))
    await userEvent.click(await screen.findByTestId('pytest-record'))
    main.give('pytest.run', pytestReportOf([sum], { calls }))
    await userEvent.click(screen.getByTestId('pytest-run-all'))
    const listed = await screen.findAllByTestId('pytest-call')
    expect(main.asked('pytest.run').map(({ request }) => request.recordsCalls)).toEqual([
      false,
      true,
    ])
    expect(listed[0]?.textContent).toContain('my_op::add(x float32[2, 3], 2)requires grad')
    expect(listed[2]?.textContent).toContain('opsmith.json cannot express the number inf')
    main.give('pytest.keepCalls', { added: { calls: 1, gradchecks: 1 }, there: 0, leftOut: 0 })
    await userEvent.click(within(listed[1]!).getByRole('checkbox'))
    await userEvent.click(screen.getByTestId('pytest-list-gradchecks'))
    await userEvent.click(screen.getByTestId('pytest-keep'))
    expect((await screen.findByTestId('pytest-kept')).textContent).toBe(
      '1 call and 1 gradcheck were added to opsmith.json.',
    )
    expect(main.asked('pytest.keepCalls')[0]?.request).toEqual({
      calls: [calls[0]],
      lists: ['calls', 'gradchecks'],
    })
    await userEvent.click(within(listed[0]!).getByRole('button', { name: sum.id }))
    expect(screen.getByTestId('pytest-details').textContent).toContain('test_sum')
  })

  it('a run whose tests asked for no module of the library says what to do', async () => {
    await openRun(pytestReportOf([sum], { replaced: [] }))
    expect((await screen.findByTestId('pytest-summary')).textContent).toContain('pythonModules')
  })
})

it('what is folded hides what is below it', () => {
  const tests = Object.fromEntries([sum, wrong].map((test) => [test.id, { test, stamp: '' }]))
  const rowsOf = (folded: string[]): string[] => treeRows(tests, folded).map(({ label }) => label)
  expect(rowsOf([])).toEqual(['tests/test_add.py', 'TestAdd', 'test_sum', 'test_grad[a::b]'])
  expect(rowsOf(['tests/test_add.py::TestAdd'])).toEqual(['tests/test_add.py', 'TestAdd'])
})
