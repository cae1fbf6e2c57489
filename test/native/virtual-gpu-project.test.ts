import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { afterEach, describe, expect, it } from 'vitest'

import type { BuildReport } from '../../electron/contract/build'
import type { Finding } from '../../electron/contract/doctor'
import type { GpuReport } from '../../electron/contract/gpu-findings'
import type { Result } from '../../electron/contract/outcome'
import { unwrap } from '../../electron/contract/outcome'
import type { RunReport } from '../../electron/contract/run'
import type { StepView } from '../../electron/contract/gpu-stepping'
import { planBuild } from '../../electron/engine/compile/plan'
import { setToolchain } from '../../electron/engine/project/edit-manifest'
import { readManifest } from '../../electron/engine/project/read-manifest'
import type {
  RunningCall,
  SteppedCall,
} from '../../electron/engine/virtual-gpu/stepping/step-calls'
import type { StepSession } from '../../electron/engine/virtual-gpu/stepping/step-session'
import { copyUnoptimized, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

/** A project whose operators are CUDA alone, on a machine with neither a GPU nor a CUDA build of libtorch. */

const { workbench, cache } = useWorkbench()
const folder = copyUnoptimized(path.join(root, 'test/cases/virtual_gpu_project'), cache)
const source = path.join(folder, 'op.cu')
const lineOf = (text: string): number =>
  fs
    .readFileSync(source, 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(text)) + 1

async function build(): Promise<BuildReport> {
  return unwrap(await workbench.builds.build(folder))
}

async function call(op: string, args: (string | number | boolean)[]): Promise<Result<RunReport>> {
  const { inputs } = unwrap(await readManifest(folder))
  return await workbench.runs.run(folder, { op, args, inputs }, { timeout: 170 })
}

it('builds, and equals its references on the device', async () => {
  const built = await build()
  expect(built.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  expect(built.virtualDevice).toMatch(/libopsmith_virtual_device\.so$/)
  const { calls, inputs } = unwrap(await readManifest(folder))
  for (const { op, args, reference = '' } of calls) {
    const run = unwrap(
      await workbench.runs.run(folder, { op, args, inputs, reference }, { timeout: 170 }),
    )
    expect(run.comparisons, op).toMatchObject([{ matches: true, mismatched: 0 }])
    expect(run.outputs, op).toMatchObject([{ device: 'cuda:0' }])
  }
})

it('passes gradcheck on the device', async () => {
  const outcomes = unwrap(await workbench.gradchecks.runAll(folder, { timeout: 170 }))
  expect(outcomes).toMatchObject([{ op: 'gpu_project::scale', verdict: 'passed' }])
})

it('fails as on hardware: no kernel for the CPU, a tensor of another device', async () => {
  const onCpu = await call('gpu_project::mirror', ['on_cpu', true])
  expect(onCpu.ok ? '' : onCpu.error.message).toMatch(
    /Could not run 'gpu_project::mirror' with arguments from the 'CPU' backend/,
  )
})

it('times are named as those of a CPU, and are compared with no limits of a GPU', async () => {
  await build()
  const op = 'gpu_project::scale'
  const asked = { op, args: ['x', 2.5], builds: [], seconds: 0.05, cold: false }
  const { rows, devices } = unwrap(await workbench.timings.run(folder, [asked], {}))
  const [row] = rows
  expect(row?.summary?.median).toBeGreaterThan(0)
  expect(row?.warnings[0]).toMatch(/^These are times of the virtual GPU/)
  expect(row?.gpu).toBeUndefined()
  expect(devices).toEqual([])
})

it('doctor says that the virtual GPU is used, or why not', async () => {
  const finding = async (): Promise<Finding | undefined> => {
    const { findings } = await workbench.doctor.report(folder)
    return findings.find(({ kind }) => kind === 'virtual-gpu')
  }
  expect(await finding()).toMatchObject({ judgement: 'usable', chosen: true, why: '' })
  expect((await finding())?.facts[0]?.[1]).toMatch(/^clang\+\+ \d/)
  const choice = { compiler: '', libtorch: '' }
  unwrap(await setToolchain(folder, { ...choice, gpu: 'hardware' }))
  expect(await finding()).toMatchObject({
    chosen: false,
    why: expect.stringMatching(/^“Only the GPU/),
  })
  unwrap(await setToolchain(folder, { ...choice, gpu: '' }))
  expect(await finding()).toMatchObject({ chosen: true })
})

it('shows a mistake of the source at its line and column', async () => {
  const text = fs.readFileSync(source, 'utf8')
  fs.writeFileSync(source, text.replace('half_step(x[threadIdx.x])', 'half_stepp(x[threadIdx.x])'))
  const built = await build()
  const line = lineOf('half_stepp')
  fs.writeFileSync(source, text)
  expect(built.ok).toBe(false)
  expect(built.diagnostics[0]).toMatchObject({ file: source, line, severity: 'error' })
  expect(built.diagnostics[0]?.message).toContain("undeclared identifier 'half_stepp'")
})

describe('stepping', () => {
  const wanted = (): SteppedCall => ({
    call: { op: 'gpu_project::mirror', args: ['row', false], inputs: {} },
    target: { file: source, line: lineOf('y[threadIdx.x] = half_step') },
    block: [0, 0, 0],
  })

  async function start(signal: AbortSignal): Promise<RunningCall> {
    const { inputs } = unwrap(await readManifest(folder))
    const stepped = unwrap(await workbench.stepCalls.build(folder, {}))
    expect(stepped).toMatchObject({ ok: true, kernelVariant: 'stepped', library: '' })
    const { call, ...where } = wanted()
    const request = { ...where, call: { ...call, inputs } }
    return unwrap(await workbench.stepCalls.start(folder, stepped, request, signal))
  }

  async function stop(session: StepSession): Promise<StepView> {
    const event = await session.next()
    if (event.kind === 'ended') throw new Error('the call has ended')
    return event.view
  }

  it('stops a call in an op host of its own, also in a header, and finds a race', async () => {
    const before = workbench.builds.lastBuild(folder)
    const { session, result } = await start(new AbortController().signal)
    const first = await stop(session)
    expect(first).toMatchObject({ kernel: 'mirror_kernel', block: [0, 0, 0], threads: [64, 1, 1] })
    expect(first.variables.find(({ name }) => name === 'ordered')?.values[0]).toBe('false')
    expect(first.variables.find(({ name }) => name === 'x')?.values[0]).toBe('[0] of 64')
    const [row] = first.shared
    expect(row).toMatchObject({ name: 'row', type: 'float', dimensions: [64], raced: [] })
    expect(row?.values).toHaveLength(64)

    session.go('step')
    const inHeader = await stop(session)
    expect(inHeader.place?.file).toBe(path.join(folder, 'half_step.cuh'))
    expect(inHeader.lanes.every(({ state }) => state === 'active')).toBe(true)

    session.runTo({ file: source, line: wanted().target.line + 1 })
    session.go('line')
    const { races, shared } = await stop(session)
    expect(races).toMatchObject([
      { before: { writes: true }, after: { writes: false, place: wanted().target }, bytes: 256 },
    ])
    expect(shared[0]?.raced).toHaveLength(64)

    session.go('line')
    expect(await session.next()).toEqual({ kind: 'ended' })
    expect(unwrap(await result).outputs).toMatchObject([{ device: 'cuda:0', shape: [64] }])
    // What other calls use is as it was.
    expect(workbench.builds.lastBuild(folder)).toBe(before)
  })

  it('compiles kernels without optimization, whatever flags the project has', async () => {
    const project = unwrap(await workbench.projects.open(folder))
    const toolchain = unwrap(await project.toolchain())
    const { installation } = workbench
    const stepped = project.withFlags(['-O3']).forStepping()
    const request = { installation, toolchain, project: stepped, variant: 'plain' as const }
    const { compiles } = unwrap(await planBuild(request))
    const kernels = compiles.find(({ label }) => label === 'op.cu')
    expect(kernels?.args).toContain('-O3')
    expect(kernels?.args.findLast((one) => one.startsWith('-O'))).toBe('-O0')
  })

  it('Stop ends a call that has stopped at a line', async () => {
    const stopping = new AbortController()
    const { session, result } = await start(stopping.signal)
    await stop(session)
    stopping.abort()
    expect(await result).toMatchObject({ ok: false, error: { code: 'cancelled' } })
    expect(await session.next()).toEqual({ kind: 'ended' })
  })
})

describe('kernel checks', () => {
  afterEach(() => {
    workbench.kernelChecks.clear()
    workbench.projects.kernelVariant = 'plain'
  })

  async function checked(op: string, args: (string | number | boolean)[]): Promise<GpuReport> {
    workbench.projects.kernelVariant = 'checked'
    const built = await build()
    expect(built).toMatchObject({ ok: true, kernelVariant: 'checked', library: '' })
    await call(op, args)
    return await workbench.kernelChecks.all()
  }

  it('find a race in shared memory, and nothing once there is a barrier', async () => {
    const { findings } = await checked('gpu_project::mirror', ['row', false])
    const races = findings.filter(({ check }) => check === 'shared-race')
    const written = lineOf('row[threadIdx.x] = x')
    const read = lineOf('+ row[63')
    expect(races.length).toBeGreaterThan(0)
    for (const { place, other, kernel } of races) {
      expect(place.file).toBe(source)
      expect([place.line, other?.line].sort()).toEqual([written, read].sort())
      expect(kernel).toBe('mirror_kernel')
    }
    workbench.kernelChecks.clear()
    const clean = await checked('gpu_project::mirror', ['row', true])
    expect(clean.findings).toEqual([])
    expect(clean.launches).toBe(1)
    expect(clean.accesses).toBeGreaterThanOrEqual(64 * 5)
  })

  it('find a write past the end, which ends the kernel and the op host', async () => {
    const { findings } = await checked('gpu_project::past_end', ['row'])
    expect(findings).toMatchObject([
      {
        check: 'out-of-bounds',
        place: { file: source, line: lineOf('x[count] = 1') },
        thread: { block: [0, 0, 0], thread: [0, 0, 0] },
      },
    ])
    const after = unwrap(await call('gpu_project::scale', ['x', 2.5]))
    expect(after.outputs).toHaveLength(1)
  })

  it('leave no build that is timed', async () => {
    workbench.projects.kernelVariant = 'checked'
    await build()
    const waited = await workbench.builds.waitForPlain(folder)
    expect(waited).toMatchObject({ ok: false, error: { code: 'build.checked' } })
  })
})

describe('a copy of a project', () => {
  afterEach(() => {
    workbench.kernelChecks.clear()
    workbench.projects.kernelVariant = 'plain'
  })

  it('compiles nothing, and is named in messages and by its kernels', async () => {
    const original = copyUnoptimized(path.join(root, 'test/cases/virtual_gpu_project'), cache)
    // What other tests compiled does not count.
    fs.appendFileSync(path.join(original, 'op.cu'), `\n// ${randomUUID()}\n`)
    workbench.projects.kernelVariant = 'checked'
    const first = unwrap(await workbench.builds.build(original))
    expect(first).toMatchObject({ ok: true, kernelVariant: 'checked' })
    expect(first.steps.find(({ label }) => label === 'op.cu')?.cached).toBe(false)

    const copy = path.join(cache.home, 'copy')
    fs.cpSync(original, copy, { recursive: true })
    const log: string[] = []
    const built = unwrap(await workbench.builds.build(copy, { onOutput: (text) => log.push(text) }))
    expect(built.ok).toBe(true)
    expect(built.steps.filter(({ cached }) => !cached)).toEqual([])
    expect(log.join('')).toContain('op.cu: unchanged')

    const { inputs } = unwrap(await readManifest(copy))
    for (const folder of [copy, original]) {
      workbench.kernelChecks.clear()
      const request = { op: 'gpu_project::mirror', args: ['row', false], inputs }
      unwrap(await workbench.runs.run(folder, request, { timeout: 170 }))
      const { findings } = await workbench.kernelChecks.all()
      const places = findings.flatMap(({ place, other, launched, allocated }) =>
        [place, other, launched, allocated].flatMap((one) => one?.file ?? []),
      )
      expect(new Set(places)).toEqual(new Set([path.join(folder, 'op.cu')]))
      expect(findings.some(({ launched }) => launched !== null)).toBe(true)
    }

    const text = fs.readFileSync(path.join(copy, 'op.cu'), 'utf8')
    const header = path.join(copy, 'half_step.cuh')
    fs.writeFileSync(path.join(copy, 'op.cu'), text.replaceAll('half_step(', 'half_stepp('))
    fs.appendFileSync(header, '__device__ float wrong() { return missing_value; }\n')
    const bad = unwrap(await workbench.builds.build(copy))
    expect(bad.diagnostics.map(({ file }) => file)).toEqual(
      expect.arrayContaining([path.join(copy, 'op.cu'), header]),
    )
  })
})

it('needs nvcc where hardware is chosen', async () => {
  const project = unwrap(await workbench.projects.open(folder)).withoutVirtualGpu()
  const toolchain = unwrap(await project.toolchain())
  expect(toolchain.virtualGpu).toBeUndefined()
  // nvcc takes minutes for libtorch's headers.
  if (toolchain.cuda) return
  const built = await workbench.builds.buildApart(project)
  expect(built).toMatchObject({ ok: false, error: { code: 'toolchain.missing' } })
})

it('leaves a part out that may be left out, where it uses what the virtual GPU does not have', async () => {
  const other = copyUnoptimized(path.join(root, 'test/cases/virtual_gpu_project'), cache)
  fs.writeFileSync(
    path.join(other, 'cpu.cpp'),
    '#include <torch/library.h>\nTORCH_LIBRARY(optional_part, m) { m.def("f(Tensor x) -> Tensor"); }\n',
  )
  fs.writeFileSync(
    path.join(other, 'tensor_cores.cu'),
    '#include <mma.h>\n#include <c10/cuda/CUDAStream.h>\n',
  )
  const manifest = { name: 'optional_part', sources: ['cpu.cpp'], cudaSources: ['tensor_cores.cu'] }
  fs.writeFileSync(path.join(other, 'opsmith.json'), JSON.stringify(manifest))
  const remarks: string[] = []
  const built = unwrap(
    await workbench.builds.build(other, { onRemark: (text) => remarks.push(text) }),
  )
  expect(built.ok, JSON.stringify(built.diagnostics)).toBe(true)
  expect(built.virtualDevice).toBeUndefined()
  expect(remarks.join('\n')).toMatch(
    /tensor_cores\.cu:1: tensor cores .* not supported on the virtual GPU; building without the virtual GPU/,
  )
})
