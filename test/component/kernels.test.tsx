import { act, render, renderHook, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'

import { countsBasis, type GpuCounts } from '../../electron/contract/gpu-counts'
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
  message:
    'Two threads access one element, one of the two writes, and no synchronization orders the accesses.',
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

const checkedBuild = { build: buildOf({ virtualDevice: device, kernelVariant: 'checked' }), load }

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
    await openKernels('Opsmith uses the GPU of this machine instead')
    expect(panelText()).toContain(
      'does not use the virtual GPU: Opsmith uses the GPU of this machine instead.',
    )
    expect(screen.getByTestId<HTMLInputElement>('kernels-check').disabled).toBe(true)
    await userEvent.click(screen.getByRole('button', { name: 'Choose in Doctor' }))
    expectNone('kernels-verdict')
  })

  it('turning the checks on asks main for them, then builds', async () => {
    await openKernels()
    await userEvent.click(screen.getByRole('button', { name: 'Check kernels' }))
    expect(await screen.findByText('No kernel ran, so nothing was checked.')).toBeTruthy()
    const names = main.calls.map(({ name }) => name)
    expect(main.asked('kernels.use').at(-1)).toEqual({ folder, variant: 'checked' })
    expect(names.indexOf('operator.build')).toBeGreaterThan(names.lastIndexOf('kernels.use'))
    expectNone('kernels-verdict')

    await userEvent.click(screen.getByTestId('kernels-check'))
    expect(main.asked('kernels.use').at(-1)).toEqual({ folder, variant: 'plain' })
    expect(main.asked('operator.build')).toHaveLength(2)
  })

  it('a choice that main refuses is taken back, and nothing is built', async () => {
    await openKernels()
    main.refuse('kernels.use', { code: 'internal', message: 'No.' })
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
    // Its block is stepped up to its line, in a call of the project.
    main.give('step.run', { hasStopped: false, place: { file: kernels, line: 18 } })
    await userEvent.click(screen.getByTestId('kernels-step'))
    expect(main.asked('step.run')).toMatchObject([
      { folder, place: { file: kernels, line: 18 }, block: [2, 0, 0] },
    ])

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
    expect(main.asked('kernels.use').at(-1)).toEqual({ folder, variant: 'plain' })
    expect(screen.getByTestId<HTMLInputElement>('kernels-check').checked).toBe(false)
  })

  it('the choice is kept for the next session', async () => {
    await openKernels()
    await userEvent.click(screen.getByTestId('kernels-check'))
    const choice = featureOf('kernels')?.choice
    const kept = choice?.read()
    expect(kept).toEqual({
      variant: 'checked',
      metric: 'sectors',
      architecture: 'sm_80',
      model: '',
    })
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
    expect(main.asked('kernels.use').at(-1)).toEqual({ folder, variant: 'checked' })
  })
})

/** A launch of 64 blocks, whose line 18 is read with a stride. */
const counts: GpuCounts = {
  basis: countsBasis,
  launches: 3,
  missedAccesses: 0,
  kernels: [
    {
      kernel: 'reverse_row',
      launched: { file: kernels, line: 40 },
      staticShared: 0,
      configurations: [{ block: [128, 1, 1], dynamicShared: 512, launches: 3, blocks: 192 }],
      lines: [
        {
          place: { file: kernels, line: 18 },
          globalLoads: { requests: 768, lanes: 24_576, bytes: 98_304, sectors: 24_576 },
        },
        { place: { file: kernels, line: 20 }, barriers: { warps: 768, lanes: 24_576 } },
      ],
      total: {
        globalLoads: { requests: 768, lanes: 24_576, bytes: 98_304, sectors: 24_576 },
        barriers: { warps: 768, lanes: 24_576 },
        operations: { float32: 0, float64: 0, functionCalls: 0 },
      },
      sectorsRead: 24_576,
      sectorsWritten: 0,
      arithmeticIntensity: null,
      occupancy: [],
      estimates: ['NVIDIA T4', 'NVIDIA A100 80GB SXM'].map((model, index) => ({
        model,
        architecture: 'sm_80' as const,
        low: 2e-6 / (index + 1),
        high: 9e-6 / (index + 1),
        boundBy: 'memory' as const,
        source: 'NVIDIA, data sheet',
      })),
    },
  ],
}

const countedBuild = { build: buildOf({ virtualDevice: device, kernelVariant: 'counted' }), load }

async function countKernels(): Promise<void> {
  await openKernels()
  main.give('operator.build', countedBuild)
  await userEvent.click(screen.getByTestId('kernels-count'))
  expect(await screen.findByText('No kernel ran, so there are no counts.')).toBeTruthy()
  act(() => {
    main.send('kernels.counted', { folder, counts })
  })
}

describe('counts', () => {
  it('are asked of main in the place of checks', async () => {
    await openKernels()
    await userEvent.click(screen.getByTestId('kernels-check'))
    await userEvent.click(screen.getByTestId('kernels-count'))
    expect(main.asked('kernels.use').at(-1)).toEqual({ folder, variant: 'counted' })
    expect(screen.getByTestId<HTMLInputElement>('kernels-check').checked).toBe(false)
  })

  it('are shown for each kernel and line', async () => {
    await countKernels()
    expect(screen.getByTestId('kernels-counts').textContent).toContain(
      '3 launches counted. These counts are for the code that clang generates. The code that nvcc generates may differ.',
    )
    expect(panelText()).toContain('reverse_row3 launches, 192 blocks of 128 x 1 x 1 threads')
    const rows = screen.getByTestId('kernels-counts-lines').querySelectorAll('tbody tr')
    expect([...rows].map(({ textContent }) => textContent)).toEqual([
      'kernels.cu:18global load76832.032.0 sectors a request, 13 % of their bytes used',
      'kernels.cu:20barrier76832.0',
    ])
    expect(screen.getByTestId('kernels-counts-total').textContent).toBe(
      'Global memory: 786 kB read, 0 B written.',
    )
    saveSource()
    expect(screen.getByTestId('stale-bar').textContent).toContain('Built from older sources.')
  })

  it('estimate a time as a range, for the GPU that is chosen', async () => {
    await countKernels()
    const text = (): string => screen.getByTestId('kernels-estimate').textContent
    expect(text()).toBe(
      'A launch takes 2 to 9 µs on NVIDIA T4, limited by memory: estimated, not measured.',
    )
    await userEvent.selectOptions(screen.getByTestId('kernels-model'), 'NVIDIA A100 80GB SXM')
    expect(text()).toContain('1 to 4.5 µs on NVIDIA A100 80GB SXM')
  })

  it('give occupancy what a block needs, and the user tries other values', async () => {
    await countKernels()
    const asked = (): unknown => main.asked('kernels.occupancy').at(-1)
    await waitFor(() => {
      expect(asked()).toEqual({
        architecture: 'sm_80',
        needs: { threads: 128, staticShared: 512, dynamicShared: 0 },
      })
    })
    expect((await screen.findByTestId('kernels-occupancy')).textContent).toBe(
      '100 %: a multiprocessor runs 8 blocks (64 warps) at once. Limited by warps. The registers of a thread are not known. They may lower the occupancy.',
    )
    await userEvent.type(screen.getByLabelText('Registers per thread'), '40')
    await userEvent.selectOptions(screen.getByTestId('kernels-architecture'), 'sm_90')
    await waitFor(() => {
      expect(asked()).toEqual({
        architecture: 'sm_90',
        needs: { threads: 128, registers: 40, staticShared: 512, dynamicShared: 0 },
      })
    })
    await userEvent.type(screen.getByLabelText('Threads per block'), '9')
    expect(panelText()).toContain('a block has 1 to 1024 threads')
  })

  it('give occupancy the registers that nvcc reports after the build', async () => {
    await countKernels()
    const kernel = {
      name: 'reverse_row(float*)',
      shortName: 'reverse_row',
      architecture: '80',
      registers: 48,
      sharedBytes: 2048,
      stackBytes: 0,
      spillStoreBytes: 0,
      spillLoadBytes: 0,
    }
    const step = { kind: 'compile' as const, label: 'kernels.cu (nvcc)', command: ['nvcc'] }
    const report = buildOf({
      steps: [{ ...step, seconds: 1, cached: false, ok: true, kernels: [kernel] }],
    })
    act(() => {
      main.send('build.settled', { folder, report })
    })
    expect(screen.getByTestId('kernels-resources').textContent).toContain('sm_8048')
    expect(main.asked('kernels.occupancy').at(-1)).toEqual({
      architecture: 'sm_80',
      needs: { threads: 128, registers: 48, staticShared: 2560, dynamicShared: 0 },
    })
  })

  it('are the reason why nothing is timed, until they are turned off', async () => {
    await countKernels()
    render(<ErrorView error={{ code: 'build.counted', message: 'Timings need another build.' }} />)
    await userEvent.click(screen.getByRole('button', { name: 'Turn off counts' }))
    expect(main.asked('kernels.use').at(-1)).toEqual({ folder, variant: 'plain' })
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
