import { act, render, renderHook, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'

import type { GpuFinding, GpuReport } from '../../electron/contract/gpu-findings'
import { ErrorView } from '../../renderer/shell/primitives/ErrorView'
import { deviceName, useDeviceChoices } from '../../renderer/store/cuda'
import { projectStore } from '../../renderer/store/project'
import { problemsStore } from '../../renderer/store/problems'
import { runDoctor } from '../../renderer/store/doctor'
import { featureOf } from '../../renderer/store/feature'
import { buildOf, doctorOf, folder, load, projectOf, virtualGpuOf } from './support/answers'
import { build, expectNone, main, open, saveSource, show } from './support/window'

const device = '/cache/virtual-gpu/libopsmith_virtual_device.so'
const kernels = `${folder}/kernels.cu`
const thread = (x: number): NonNullable<GpuFinding['thread']> => ({
  block: [2, 0, 0],
  thread: [x, 0, 0],
})

const race: GpuFinding = {
  check: 'global-race',
  message: 'Two threads access one element, one writes it, and nothing orders the two.',
  remedy: 'Use atomicAdd.',
  count: 1200,
  place: { file: kernels, line: 18 },
  thread: thread(33),
  other: { what: 'write', file: kernels, line: 21, thread: thread(7) },
  allocated: { file: `${folder}/op.cpp`, line: 5 },
  kernel: 'reverse_row',
  launched: { file: `${folder}/op.cpp`, line: 9 },
}

function reportOf(more: Partial<GpuReport> = {}): GpuReport {
  return { launches: 12, accesses: 81_204, findings: [race], ...more }
}

function reported(report: GpuReport, of = folder): void {
  act(() => {
    main.send('kernels.reported', { folder: of, report })
  })
}

const checkedBuild = { build: buildOf({ virtualDevice: device, checksKernels: true }), load }

/** A project with CUDA sources on a machine that has the virtual GPU, or not. */
async function openKernels(whyNoVirtualGpu = ''): Promise<void> {
  const report = doctorOf('absent')
  main.give('doctor.report', {
    ...report,
    findings: [...report.findings, virtualGpuOf(whyNoVirtualGpu)],
  })
  const project = projectOf()
  await open()
  await act(async () => {
    const files = [...project.files, { path: 'kernels.cu', role: 'source' as const }]
    projectStore.setState({ project: { ...project, files } })
    await runDoctor()
  })
  main.give('operator.build', checkedBuild)
  show('kernels')
}

const panelText = (): string => screen.getByTestId('kernels-panel').textContent

describe('the Kernels panel', () => {
  it('a project without CUDA sources has nothing to check', async () => {
    await open()
    show('kernels')
    expect(panelText()).toBe('This project has no CUDA sources.')
  })

  it('where the virtual GPU is not used, the panel gives the reason and the way to choose it', async () => {
    await openKernels('kernels run on the GPU of this machine')
    expect(panelText()).toContain('does not use it: kernels run on the GPU of this machine.')
    expect(screen.getByTestId<HTMLInputElement>('kernels-check').disabled).toBe(true)
    await userEvent.click(screen.getByRole('button', { name: 'Choose in Doctor' }))
    expectNone('kernels-verdict')
  })

  it('turning the checks on asks main for them, then builds', async () => {
    await openKernels()
    await userEvent.click(screen.getByRole('button', { name: 'Check kernels' }))
    expect(await screen.findByText('No kernel ran, so nothing was checked.')).toBeTruthy()
    const names = main.calls.map(({ name }) => name)
    expect(main.asked('kernels.check').at(-1)).toEqual({ folder, isOn: true })
    expect(names.indexOf('operator.build')).toBeGreaterThan(names.lastIndexOf('kernels.check'))
    expectNone('kernels-verdict')

    await userEvent.click(screen.getByTestId('kernels-check'))
    expect(main.asked('kernels.check').at(-1)).toEqual({ folder, isOn: false })
    expect(main.asked('operator.build')).toHaveLength(2)
  })

  it('a choice that main refuses is taken back, and nothing is built', async () => {
    await openKernels()
    main.refuse('kernels.check', { code: 'internal', message: 'No.' })
    await userEvent.click(screen.getByTestId('kernels-check'))
    expect(screen.getByTestId<HTMLInputElement>('kernels-check').checked).toBe(false)
    expect(main.asked('operator.build')).toEqual([])
  })

  it('a finding shows its lines, threads and remedy, and is a problem at its line', async () => {
    await openKernels()
    await userEvent.click(screen.getByTestId('kernels-check'))
    reported(reportOf())
    expect(screen.getByTestId('kernels-verdict').textContent).toBe(
      '12 launches and 81,204 accesses checked: 1 finding',
    )
    const finding = screen.getByTestId('kernels-finding').textContent
    expect(finding).toContain('global-race1,200 times')
    expect(screen.getByTestId('kernels-at').textContent).toBe(
      'kernels.cu:18reverse_row, block (2, 0, 0), thread (33, 0, 0)',
    )
    expect(screen.getByTestId('kernels-other').textContent).toBe(
      'kernels.cu:21write by block (2, 0, 0), thread (7, 0, 0)',
    )
    expect(screen.getByTestId('kernels-allocated').textContent).toBe('op.cpp:5')
    expect(finding).toContain('Use atomicAdd.')

    const problem = problemsStore
      .getState()
      .problems.find(({ source }) => source === 'kernel checks')
    expect(problem).toMatchObject({ severity: 'error', file: kernels, line: 18 })
    expect(problem?.notes.map(({ line, message }) => [line, message])).toEqual([
      [0, 'reverse_row, block (2, 0, 0), thread (33, 0, 0)'],
      [21, 'write by block (2, 0, 0), thread (7, 0, 0)'],
      [5, 'allocated here'],
      [0, 'Use atomicAdd.'],
    ])

    saveSource()
    expect(screen.getByTestId('stale-bar').textContent).toContain('Built from older sources.')
  })

  it('kernels without mistakes pass, and no kernel at all is no pass', async () => {
    await openKernels()
    await userEvent.click(screen.getByTestId('kernels-check'))
    await build(checkedBuild)
    expectNone('kernels-verdict')
    reported(reportOf({ launches: 1, accesses: 1, findings: [] }))
    expect(screen.getByTestId('kernels-verdict').textContent).toBe(
      '1 launch and 1 access checked: no findings',
    )
    reported(reportOf(), '/projects/other')
    expect(screen.getByTestId('kernels-verdict').textContent).toContain('no findings')
    reported({ launches: 0, accesses: 0, findings: [] })
    expect(panelText()).toContain('No kernel ran, so nothing was checked.')
  })

  it('a build that fails, or does not use the virtual GPU, is named as the reason', async () => {
    await openKernels()
    await userEvent.click(screen.getByTestId('kernels-check'))
    await build({ build: buildOf({ ok: false }) })
    expect(panelText()).toContain('The build failed, so nothing was checked.')
    await build()
    expect(panelText()).toContain('The last build does not use the virtual GPU')
  })

  it('kernels that nvcc compiled are listed with what they take', async () => {
    await openKernels()
    const kernel = {
      name: 'void scale<float>(float*)',
      shortName: 'scale<float>',
      architecture: '90',
      registers: 32,
      sharedBytes: 1024,
      stackBytes: 0,
      spillStoreBytes: 8,
      spillLoadBytes: 4,
    }
    const step = { kind: 'compile' as const, label: 'kernels.cu', command: ['nvcc'], seconds: 1 }
    await build({
      build: buildOf({ steps: [{ ...step, cached: false, ok: true, kernels: [kernel] }] }),
      load,
    })
    expect(screen.getByTestId('kernels-resources').textContent).toContain(
      'scale<float>sm_90321024 B12 B',
    )
  })

  it('an error about a checked build offers to turn the checks off', async () => {
    await openKernels()
    await userEvent.click(screen.getByTestId('kernels-check'))
    const message = 'Timings need a build without checks.'
    render(<ErrorView error={{ code: 'build.checked', message }} />)
    await userEvent.click(screen.getByRole('button', { name: 'Turn off kernel checks' }))
    expect(main.asked('kernels.check').at(-1)).toEqual({ folder, isOn: false })
    expect(screen.getByTestId<HTMLInputElement>('kernels-check').checked).toBe(false)
  })

  it('the choice is kept for the next session', async () => {
    await openKernels()
    await userEvent.click(screen.getByTestId('kernels-check'))
    const choice = featureOf('kernels')?.choice
    const kept = choice?.read()
    expect(kept).toEqual({ isOn: true })
    await act(async () => {
      featureOf('kernels')?.forget?.()
      choice?.restore('nonsense')
      await Promise.resolve()
    })
    expect(screen.getByTestId<HTMLInputElement>('kernels-check').checked).toBe(false)
    await act(async () => {
      choice?.restore(kept)
      featureOf('kernels')?.enter?.()
      await Promise.resolve()
    })
    expect(main.asked('kernels.check').at(-1)).toEqual({ folder, isOn: true })
  })
})

describe('devices', () => {
  it('an input can be made on a GPU, and where there is none, the reason is shown', async () => {
    await openKernels('no usable compiler or no usable libtorch was found')
    const { result } = renderHook(() => useDeviceChoices(''))
    expect(result.current).toEqual([
      { device: 'cpu', label: 'cpu', isMissing: false },
      { device: 'cuda', label: 'cuda: there is no CUDA device', isMissing: true },
    ])
    main.give('doctor.report', doctorOf('usable'))
    await act(() => runDoctor())
    expect(result.current.map(({ label }) => label)).toEqual(['cpu', 'cuda:0 (GPU)'])
  })

  it('an input can be made on the virtual GPU, and results say that they are there', async () => {
    await openKernels()
    const { result } = renderHook(() => useDeviceChoices('cuda:1'))
    expect(result.current.map(({ label, isMissing }) => [label, isMissing])).toEqual([
      ['cpu', false],
      ['cuda (virtual GPU)', false],
      ['cuda:1 (virtual GPU)', false],
    ])
    await build(checkedBuild)
    expect([deviceName('cuda:0'), deviceName('cpu')]).toEqual(['cuda:0 (virtual GPU)', 'cpu'])
    await build()
    expect(deviceName('cuda:0')).toBe('cuda:0')
  })
})
