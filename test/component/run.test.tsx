import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'

import type { RunReport } from '../../electron/contract/run'
import { comparisonOf, crashed, runOf, tensorOf } from './support/answers'
import { build, expectNone, main, open, saveSource, show } from './support/window'

/** What the tensor that is shown asks for. */
function giveTensors(): void {
  main.give('tensor.page', {
    rows: 2,
    columns: 2,
    rowStart: 0,
    columnStart: 0,
    values: [-1, 0, 1, 4],
    pageRows: 2,
    pageColumns: 2,
  })
  main.give('tensor.histogram', { edges: [-1, 1.5, 4], counts: [3, 1] })
}

async function openBuilt(): Promise<void> {
  giveTensors()
  await open()
  await build()
  show('run')
}

async function openRun(report: RunReport): Promise<void> {
  main.give('operator.run', report)
  await openBuilt()
  await userEvent.click(screen.getByTestId('run-go'))
  await screen.findByText('Result')
}

describe('the run panel without a result', () => {
  it('a project without calls gets a hint to build', async () => {
    await open({ calls: [] })
    show('run')
    expect(screen.getByText(/Build it first/)).toBeTruthy()
    expectNone('run-panel')
  })

  it('the first call of opsmith.json fills the fields', async () => {
    await openBuilt()
    expect(screen.getByTestId('run-panel').textContent).toContain('my_op::f')
    expect(screen.getByTestId('run-reference')).toHaveProperty('value', '2 * x')
  })

  it('a running call shows Stop, which cancels its job', async () => {
    await openBuilt()
    const run = main.hold('operator.run')
    await userEvent.click(screen.getByTestId('run-go'))
    const { job, request } = await run.asked
    expect(request).toMatchObject({ op: 'my_op::f', args: ['x'], reference: '2 * x' })
    await userEvent.click(screen.getByTestId('run-stop'))
    expect(main.asked('job.cancel')).toContainEqual({ job })
    expect(screen.getByTestId('run-go')).toBeTruthy()
    expectNone('run-error')
  })
})

describe('the result of a run', () => {
  it('a result that matches shows its statistics and values', async () => {
    await openRun(runOf())
    const comparison = screen.getByTestId('run-comparison')
    expect(comparison.dataset['matches']).toBe('true')
    expect(comparison.textContent).toContain('The output matches the reference')
    expect(screen.getByTestId('run-output-0').textContent).toContain('float64 [2, 2]')
    expect(screen.getByTestId('run-stat-0-min').textContent).toBe('-1')
    expect(screen.getByTestId('run-stat-0-max').textContent).toBe('4')
    expect(screen.getByTestId('run-given-x')).toBeTruthy()
  })

  it('a result that differs shows how much, where and both values', async () => {
    const wrong = comparisonOf({
      matches: false,
      mismatched: 3,
      maxAbsolute: 0.5,
      maxRelative: 0.25,
      index: [1, 0],
      actual: 2.5,
      expected: 2,
      difference: tensorOf({ handle: 9 }),
    })
    await openRun(runOf({ comparisons: [wrong] }))
    const comparison = screen.getByTestId('run-comparison')
    expect(comparison.dataset['matches']).toBe('false')
    expect(comparison.textContent).toContain('differs from the reference3 of 4 (75.0 %)')
    expect(comparison.textContent).toContain('largest error0.5relative0.25at[1, 0]')
    expect(comparison.textContent).toContain('actual2.5expected2')
    expect(within(comparison).getByRole('button', { name: 'Difference' })).toBeTruthy()
  })

  it('outputs of other shapes than the reference show what differs', async () => {
    const whole = comparisonOf({
      output: -1,
      matches: false,
      total: 0,
      message: '2 outputs, the reference has 1',
    })
    await openRun(runOf({ comparisons: [whole] }))
    expect(screen.getByTestId('run-comparison').textContent).toBe(
      'The result differs from the reference2 outputs, the reference has 1',
    )
  })

  it('a reference that cannot be evaluated shows the reason next to the result', async () => {
    await openRun(runOf({ comparisons: [], referenceError: 'undefined value z' }))
    expect(screen.getByText('The reference could not be evaluated.')).toBeTruthy()
    expect(screen.getByText('undefined value z')).toBeTruthy()
    expect(screen.getByTestId('run-output-0')).toBeTruthy()
  })

  it('NaN, infinities and values that are no tensors are shown', async () => {
    const stats = { ...tensorOf().stats, nan: 2, negInf: 1 }
    await openRun(
      runOf({ outputs: [tensorOf({ stats }), { kind: 'value', type: 'int', text: '42' }] }),
    )
    expect(screen.getByTestId('run-stat-0-nan').textContent).toBe('2')
    expect(screen.getByTestId('run-stat-0-inf').textContent).toBe('1')
    expect(screen.getByTestId('run-output-1').textContent).toContain('int42')
  })

  it('an operator that refuses the call shows its message', async () => {
    main.refuse('operator.run', {
      code: 'operator.check',
      message: 'f: x must be float32',
      hint: 'Change the dtype of x.',
    })
    await openBuilt()
    await userEvent.click(screen.getByTestId('run-go'))
    const error = await screen.findByTestId('run-error')
    expect(error.dataset['code']).toBe('operator.check')
    expect(error.textContent).toContain('f: x must be float32Change the dtype of x.')
  })

  it('an operator that ends the op host links to the crash', async () => {
    main.refuse('operator.run', crashed)
    await openBuilt()
    await userEvent.click(screen.getByTestId('run-go'))
    const error = await screen.findByTestId('run-error')
    expect(within(error).getByRole('button', { name: 'Show the crash' })).toBeTruthy()
    expect(within(error).getByRole('button', { name: 'Build' })).toBeTruthy()
  })

  it('a result of older sources is shown as such, and a build repeats the run', async () => {
    await openRun(runOf())
    expectNone('stale-bar')
    saveSource()
    expect(screen.getByTestId('stale-bar').textContent).toContain('Built from older sources.')
    const stats = { ...tensorOf().stats, max: 5 }
    main.give('operator.run', runOf({ outputs: [tensorOf({ stats, handle: 5 })] }))
    await build()
    await waitFor(() => {
      expect(screen.getByTestId('run-stat-0-max').textContent).toBe('5')
    })
    expectNone('stale-bar')
  })
})
