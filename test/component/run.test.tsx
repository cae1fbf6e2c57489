import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'

import type { InputSpec } from '../../electron/contract/manifest'
import { ok } from '../../electron/contract/outcome'
import type { RunReport } from '../../electron/contract/run'
import { addFile, changeFile, filesStore, touched } from '../../renderer/store/files'
import { requestBuild } from '../../renderer/store/loop'
import { holdStaleness } from '../../renderer/store/staleness'
import {
  buildOf,
  comparisonOf,
  crash,
  crashed,
  folder,
  load,
  manifestOf,
  operator,
  runOf,
  tensorArgument as tensor,
  tensorOf,
} from './support/answers'
import { build, expectNone, main, open, saveSource, show } from './support/window'

const values = {
  rows: 2,
  columns: 2,
  rowStart: 0,
  columnStart: 0,
  values: [-1, 0, 1, 4],
  pageRows: 2,
  pageColumns: 2,
}

/** What the tensor that is shown asks for. */
function giveTensors(): void {
  main.give('tensor.page', values)
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
    expect(screen.getByText(/Calls an operator with your inputs/)).toBeTruthy()
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
    expect(main.asked('job.cancel')).toContainEqual({ job, byUser: true })
    expect(screen.getByTestId('run-go')).toBeTruthy()
    expectNone('run-error')
  })

  it('a call that was stopped says after how long, and where it was, until the next run', async () => {
    await openBuilt()
    const run = main.hold('operator.run')
    await userEvent.click(screen.getByTestId('run-go'))
    await run.asked
    const frame = { address: '0x1', symbol: 'f(Tensor)', module: 'libmy_op.so', isUser: true }
    const stack = [{ ...frame, file: `${folder}/op.cpp`, line: 7 }]
    const message = 'Stopped (call my_op::f) after 2.3 s; the call was at op.cpp:7.'
    const exit = { ...crash, reason: 'stopped' as const, message, stack }
    main.answer('job.cancel', () => {
      run.fail({ code: 'cancelled', message: 'Stopped.', exit })
      return ok({ cancelled: true })
    })
    await userEvent.click(screen.getByTestId('run-stop'))
    const stopped = await screen.findByTestId('run-stopped')
    expect(stopped.textContent).toContain(message)
    expect(screen.getByTestId('run-panel').textContent).toContain('stopped')
    await userEvent.click(within(stopped).getByRole('button', { name: /op\.cpp:7/ }))
    expect(filesStore.getState().reveal).toMatchObject({ path: 'op.cpp', line: 7 })
    main.give('operator.run', runOf())
    await userEvent.click(screen.getByTestId('run-go'))
    await screen.findByTestId('run-summary')
    expectNone('run-stopped')
  })
})

describe('an operator without a call', () => {
  const spec = { ...manifestOf().inputs['x'], shape: [3, 4] } as InputSpec
  const two = {
    ...operator,
    name: 'my_op::g',
    schema: 'my_op::g(Tensor x, Tensor weight, float eps) -> Tensor',
    arguments: [...operator.arguments, tensor('weight'), { ...tensor('eps'), type: 'float' }],
  }

  async function openWithoutCalls(): Promise<void> {
    giveTensors()
    await open({ calls: [] })
    await build({ build: buildOf(), load: { ...load, operators: [two] } })
    show('run')
    await screen.findByTestId('run-panel')
  }

  it('runs by one click, on inputs that suit its schema', async () => {
    const generated = { args: ['x', 'weight', 0.5], inputs: { x: spec, weight: spec } }
    main.give('operatorCheck.run', {
      op: 'my_op::g',
      ok: true,
      seconds: 0,
      findings: [],
      generated,
    })
    main.give('project.setInputs', {})
    main.give('operator.run', runOf({ op: 'my_op::g' }))
    await openWithoutCalls()
    expect(screen.queryAllByRole('alert')).toEqual([])
    expect(screen.getByTestId('run-go').textContent).toContain('Make inputs and run')
    await userEvent.click(screen.getByTestId('run-go'))
    await screen.findByText('Result')
    // The project's own x stays as it is.
    const made = { g_x: spec, weight: spec }
    expect(main.asked('project.setInputs')).toEqual([{ folder, inputs: made }])
    expect(main.asked('operator.run')[0]?.request).toMatchObject({
      op: 'my_op::g',
      args: ['g_x', 'weight', 0.5],
      inputs: made,
    })
    expect(screen.getByTestId('run-go').textContent).toMatch(/^Run/)
  })

  it('that takes nothing its schema suggests shows the reason, and no other problem', async () => {
    main.refuse('operatorCheck.run', {
      code: 'input.invalid',
      message: 'my_op::g refuses all of the 90 calls generated from its schema.',
    })
    await openWithoutCalls()
    await userEvent.click(screen.getByTestId('run-go'))
    const error = await screen.findByTestId('run-inputs-error')
    expect(error.textContent).toContain('refuses all of the 90 calls')
    expect(error.textContent).toContain('Add inputs below')
    expect(screen.getAllByRole('alert')).toEqual([error])
    expect(main.asked('operator.run')).toEqual([])
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

  it('a reference of opsmith.json is not used for other arguments, until it is changed', async () => {
    main.give('operator.run', runOf({ comparisons: [] }))
    giveTensors()
    const shape = { shape: [2, 2], dtype: 'float64' as const }
    await open({ inputs: { x: shape, wide: { ...shape, shape: [2, 5] } } })
    await build()
    show('run')
    const reference = (): unknown => main.asked('operator.run').at(-1)?.request.reference
    await userEvent.selectOptions(screen.getByTestId('run-arg-x'), 'wide')
    expect(screen.getByText('for my_op::f(x): not used')).toBeTruthy()
    await userEvent.click(screen.getByTestId('run-go'))
    const said = await screen.findByTestId('run-not-compared')
    expect(said.textContent).toContain('is for my_op::f(x).')
    expect(screen.getByTestId('run-summary').textContent).toContain('not compared')
    expect(reference()).toBeUndefined()
    const field = screen.getByTestId('run-reference')
    await userEvent.clear(field)
    await userEvent.type(field, '2 * wide')
    main.give('operator.run', runOf())
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await screen.findByTestId('run-comparison')
    expect(reference()).toBe('2 * wide')
    expectNone('run-not-compared')
  })

  it('comes into view, unless the keyboard is in a field that would scroll away', async () => {
    const scroll = vi.fn()
    Element.prototype.scrollIntoView = scroll
    await openRun(runOf())
    await waitFor(() => expect(scroll).toHaveBeenCalledOnce())
    screen.getByTestId('run-reference').focus()
    main.give('operator.run', runOf({ seconds: 2 }))
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await screen.findAllByText('2.00 s')
    expect(scroll).toHaveBeenCalledOnce()
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
    expect(comparison.textContent).toContain('differs from the reference3 of 4 elements (75.0 %)')
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
    const parser = 'undefined value z:\n3 * z\n    ~ <--- HERE'
    await openRun(runOf({ comparisons: [], referenceError: parser }))
    expect(screen.getByText('The reference could not be evaluated.')).toBeTruthy()
    // The parser's line is to be seen, not behind a fold.
    const line = within(screen.getByTestId('run-reference-error')).getByText(/undefined value z/)
    expect(line.textContent).toContain('~ <--- HERE')
    expect(line.closest('details')).toBeNull()
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

  it('a result appears together with its values', async () => {
    main.give('operator.run', runOf())
    await openBuilt()
    const page = main.hold('tensor.page')
    await userEvent.click(screen.getByTestId('run-go'))
    expect(await page.asked).toMatchObject({ handle: 1, index: [], rowStart: 0, columnStart: 0 })
    expectNone('run-summary')
    page.succeed(values)
    await screen.findByTestId('run-summary')
    expect(main.asked('tensor.page')).toHaveLength(1)
  })

  it('a call that a build repeats keeps the output, the slice and the view that are shown', async () => {
    const outputs = (first: number): RunReport['outputs'] =>
      [first, first + 1].map((handle) => tensorOf({ handle, shape: [3, 2, 2] }))
    await openRun(runOf({ outputs: outputs(10) }))
    await userEvent.click(within(screen.getByTestId('run-output-1')).getByRole('button'))
    fireEvent.change(screen.getByTestId('run-dimension-0'), { target: { value: '2' } })
    main.give('operator.run', runOf({ outputs: outputs(20) }))
    await build()
    await waitFor(() => {
      expect(main.asked('tensor.page').at(-1)).toMatchObject({ handle: 21, index: [2] })
    })
    expect(screen.getByTestId('run-dimension-0')).toHaveProperty('value', '2')
    await userEvent.click(screen.getByTestId('run-histogram'))
    await screen.findByTestId('run-histogram-chart')
    main.give('operator.run', runOf({ outputs: outputs(30) }))
    await build()
    await waitFor(() => {
      expect(main.asked('tensor.histogram').at(-1)).toMatchObject({ handle: 31 })
    })
    expect(screen.getByTestId('run-histogram-chart')).toBeTruthy()
  })

  it('another op host may give the same handle to the new tensor: its values are shown all the same', async () => {
    await openRun(runOf())
    await userEvent.click(screen.getByTestId('run-histogram'))
    expect(await screen.findByLabelText(/has 3 values/)).toBeTruthy()
    main.give('tensor.histogram', { edges: [-1, 1.5, 4], counts: [1, 9] })
    await build()
    expect(await screen.findByLabelText(/has 9 values/)).toBeTruthy()
  })

  it('a result does not wait for its values where the op host does other work', async () => {
    main.give('operator.run', runOf())
    await openBuilt()
    const page = main.hold('tensor.page')
    await userEvent.click(screen.getByTestId('run-go'))
    await page.asked
    await screen.findByTestId('run-summary')
    page.succeed(values)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(main.asked('tensor.page')).toHaveLength(1)
  })

  it('the values stay while a build repeats the call in a new op host, and are gone if it does not', async () => {
    await openRun(runOf())
    await screen.findByText('Heat map')
    const next = { generation: 2, state: 'ready', libtorch: '2.13.0', pid: 101 } as const
    const gone = /The values are gone/
    const run = main.hold('operator.run')
    await build()
    await run.asked
    act(() => main.send('host.changed', next))
    expect(screen.queryByText(gone)).toBeNull()
    expect(screen.getByText('Heat map')).toBeTruthy()
    act(() => {
      run.succeed(runOf({ outputs: [tensorOf({ handle: 7 })] }))
    })
    await waitFor(() => {
      expect(main.asked('tensor.page').at(-1)).toMatchObject({ handle: 7 })
    })
    await waitFor(() => {
      expectNone('stale-bar')
    })
    expect(screen.queryByText(gone)).toBeNull()
    act(() => main.send('host.changed', { ...next, generation: 3 }))
    expect(screen.getByText(gone)).toBeTruthy()
    act(() => main.send('host.changed', { ...next, generation: 1, pid: 100 }))
  })

  it('values that are gone stay gone while the next build runs', async () => {
    await openRun(runOf())
    const next = { generation: 2, state: 'ready', libtorch: '2.13.0', pid: 101 } as const
    act(() => main.send('host.changed', next))
    const gone = /The values are gone/
    expect(screen.getByText(gone)).toBeTruthy()
    const building = main.hold('operator.build')
    act(() => void requestBuild('asked'))
    await building.asked
    expect(screen.getByText(gone)).toBeTruthy()
    act(() => main.send('host.changed', { ...next, generation: 1, pid: 100 }))
  })

  it('a save that a build follows changes nothing until the new result is there', async () => {
    await openRun(runOf())
    const bar = (): string | null => screen.getByTestId('stale-bar').textContent
    act(() => {
      addFile('op.cpp', false)
      changeFile('op.cpp', { dirty: true })
    })
    expect(bar()).toContain('This result does not include the unsaved changes.')
    act(() => {
      holdStaleness()
      changeFile('op.cpp', { dirty: false })
    })
    saveSource()
    expect(bar()).toContain('This result does not include the unsaved changes.')
    await build()
    await waitFor(() => {
      expectNone('stale-bar')
    })
  })

  it('a second save, whose build replaces the first one, changes nothing either', async () => {
    await openRun(runOf())
    const builds = main.hold('operator.build')
    addFile('op.cpp', false)
    for (let saves = 0; saves < 2; saves += 1) {
      await act(async () => {
        changeFile('op.cpp', { dirty: true })
        holdStaleness()
        changeFile('op.cpp', { dirty: false })
        touched('op.cpp')
        void requestBuild('asked')
        await Promise.resolve()
      })
    }
    await waitFor(() => {
      expect(builds.begun).toHaveLength(2)
    })
    expect(screen.getByTestId('stale-bar').textContent).toContain('does not include')
    builds.succeed({ build: buildOf(), load })
    await waitFor(() => {
      expectNone('stale-bar')
    })
  })

  it('a second after a save, a result without the changes is shown as old', async () => {
    await openRun(runOf())
    act(holdStaleness)
    saveSource()
    expect(screen.getByTestId('stale-bar').textContent).toContain('does not include')
    await waitFor(() => {
      expect(screen.getByTestId('stale-bar').textContent).toContain('Built from older sources.')
    })
  })
})
