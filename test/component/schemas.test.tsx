import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'

import { runDoctor } from '../../renderer/store/doctor'
import { buildOf, doctorOf, folder, load, operator, runOf } from './support/answers'
import { build, expectNone, main, open, saveSource, show } from './support/window'

describe('the schemas panel', () => {
  it('a project that was never built gets a hint to build', async () => {
    await open()
    show('schemas')
    expect(screen.getByText(/Shows every operator that the project registers/)).toBeTruthy()
  })

  it('an operator shows its schema, documentation and kernels with their places', async () => {
    await open()
    await build()
    show('schemas')
    const row = screen.getByTestId('schema-row-my_op::f')
    expect(row.dataset['change']).toBe('none')
    expect(row.textContent).toContain('my_op::f(Tensor x) -> Tensor')
    expect(row.textContent).toContain('Twice x.')
    expect(within(row).getByText('CPU')).toBeTruthy()
    expect(within(row).getByRole('button', { name: /op\.cpp:12/ })).toBeTruthy()
  })

  it('a build shows which operators are new, changed and removed', async () => {
    await open()
    await build()
    show('schemas')
    const changed = { ...operator, schema: 'my_op::f(Tensor x, int n=1) -> Tensor' }
    const added = {
      ...operator,
      name: 'my_op::g',
      schema: 'my_op::g(Tensor x) -> Tensor',
      kernels: [],
    }
    await build({ build: buildOf({ key: '2' }), load: { ...load, operators: [changed, added] } })
    const row = screen.getByTestId('schema-row-my_op::f')
    expect(row.dataset['change']).toBe('altered')
    expect(row.textContent).toContain('was my_op::f(Tensor x) -> Tensor')
    expect(screen.getByTestId('schema-row-my_op::g').dataset['change']).toBe('added')
    expect(screen.getByTestId('schema-row-my_op::g').textContent).toContain(
      'This operator has no kernel',
    )
    await build({ build: buildOf({ key: '3' }), load: { ...load, operators: [changed] } })
    expect(screen.getByTestId('schema-row-my_op::g').dataset['change']).toBe('removed')
  })

  it('CUDA kernels that were compiled and cannot be called here are named as such', async () => {
    const cuda = { dispatchKey: 'CUDA', file: `${folder}/op_cuda.cpp`, line: 3 }
    const both = { ...operator, kernels: [...operator.kernels, cuda] }
    main.give('doctor.report', doctorOf('absent'))
    main.give('operator.run', runOf())
    await runDoctor()
    await open()
    await build({ build: buildOf(), load: { ...load, operators: [both] } })
    for (const panel of ['schemas', 'run', 'timings']) {
      show(panel)
      expect(screen.getByTestId('uncalled-cuda').textContent).toMatch(
        /CUDA kernels? .*compiled, but this machine cannot call .*: there is no CUDA device\.$/,
      )
      cleanup()
    }
    main.give('doctor.report', doctorOf('usable'))
    await runDoctor()
    show('schemas')
    expectNone('uncalled-cuda')
  })

  it('a search filters operators by schema, documentation and dispatch key', async () => {
    await open()
    await build()
    show('schemas')
    const field = screen.getByTestId('schemas-search')
    await userEvent.type(field, 'twice')
    expect(screen.getByTestId('schema-row-my_op::f')).toBeTruthy()
    await userEvent.clear(field)
    await userEvent.type(field, 'cuda')
    expectNone('schema-row-my_op::f')
    expect(screen.getByText('No operator or class matches “cuda”.')).toBeTruthy()
  })

  it('a library without operators gets a hint', async () => {
    await open({ calls: [] })
    await build({ build: buildOf(), load: { ...load, operators: [] } })
    show('schemas')
    expect(screen.getByText(/The library registered no operator/)).toBeTruthy()
  })

  it('a library that does not load shows the error above the operators of the last one', async () => {
    await open()
    await build()
    show('schemas')
    const loadError = { code: 'library.load', message: 'ops::f is defined twice.' } as const
    await build({ build: buildOf({ key: '2' }), loadError })
    expect(screen.getByText('ops::f is defined twice.')).toBeTruthy()
    expect(screen.getByTestId('schema-row-my_op::f')).toBeTruthy()
  })

  it('operators of older sources are shown as such', async () => {
    await open()
    await build()
    show('schemas')
    expectNone('stale-bar')
    saveSource()
    expect(screen.getByTestId('stale-bar').textContent).toContain('Built from older sources.')
  })

  it('the operators of libtorch are counted and can be searched', async () => {
    main.give('registry.list', [
      { name: 'aten::add', overload: 'Tensor', schema: 'aten::add.Tensor(Tensor a) -> Tensor' },
      { name: 'aten::mm', overload: '', schema: 'aten::mm(Tensor a) -> Tensor' },
    ])
    await open()
    await build()
    show('schemas')
    await userEvent.click(screen.getByTestId('schemas-all'))
    expect(await screen.findByText('2')).toBeTruthy()
    await userEvent.type(screen.getByTestId('registry-search'), 'mm')
    expect(await screen.findByText('1 of 2')).toBeTruthy()
    await userEvent.type(screen.getByTestId('registry-search'), 'xyz')
    expect(await screen.findByText('No operator matches “mmxyz”.')).toBeTruthy()
  })

  it('a registry that cannot be read shows the reason and can be asked again', async () => {
    main.refuse('registry.list', { code: 'host.unavailable', message: 'No op host starts.' })
    await open()
    await build()
    show('schemas')
    await userEvent.click(screen.getByTestId('schemas-all'))
    expect(await screen.findByText('No op host starts.')).toBeTruthy()
    main.give('registry.list', [{ name: 'aten::mm', overload: '', schema: 'aten::mm(Tensor a)' }])
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('1')).toBeTruthy()
  })
})
