import fs from 'node:fs'
import path from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import type { BuildReport } from '../../electron/contract/build'
import { unwrap } from '../../electron/contract/outcome'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { toolsToPrepare } from '../../electron/engine/builds/header-preparation'
import { compileTools } from '../../electron/engine/compile/compile-tools'
import { CxxTasks } from '../../electron/engine/compile/cxx-tasks'
import type { ProjectFlags } from '../../electron/engine/compile/cxx-tasks'
import type { ServerFlags } from '../../electron/engine/compile/hot/server-flags'
import { planBuild } from '../../electron/engine/compile/plan'
import { copyProject, makeTestCache, root, testInstallation } from '../support/installation'
import { useWorkbench } from '../support/workbench'

/** CUDA sources by the compile server, which has read CUDA's headers before it knows a source. */

const { workbench, cache } = useWorkbench({ inWindow: true, settings: { hotCompile: true } })
const folder = copyProject(path.join(root, 'test/cases/virtual_gpu_project'), cache)
const source = path.join(folder, 'op.cu')
const original = fs.readFileSync(source, 'utf8')

/** A hot build of a source that no cache knows, with what it logs. */
async function hot(text: string): Promise<{ build: BuildReport; log: string }> {
  fs.writeFileSync(source, `${text}\n// ${Math.random()}\n`)
  let log = ''
  const build = unwrap(
    await workbench.builds.buildHot(folder, { onOutput: (part) => (log += part) }),
  )
  return { build, log }
}

async function call(op: string, args: (string | number | boolean)[], reference: string) {
  const { inputs } = unwrap(await readManifest(folder))
  return unwrap(await workbench.runs.run(folder, { op, args, inputs, reference }, { timeout: 170 }))
}

describe('kernels by the compile server', () => {
  beforeAll(async () => {
    expect(await workbench.builds.startCompileServer(folder)).toEqual({ ok: true, value: true })
    // C++ has a server of its own, which a project without C++ sources does not start.
    expect(workbench.builds.compileServerPids()).toHaveLength(1)
  })

  it('equal their references, with and without autograd', async () => {
    const { build, log } = await hot(original)
    expect(build.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(build.hot).toBe(true)
    expect(log).toContain('op.cu: compiling with the compile server')
    const { calls } = unwrap(await readManifest(folder))
    for (const { op, args, reference = '' } of calls) {
      const { comparisons, outputs } = await call(op, args as (string | number)[], reference)
      expect(comparisons, op).toMatchObject([{ matches: true, mismatched: 0 }])
      expect(outputs, op).toMatchObject([{ device: 'cuda:0' }])
    }
    const gradchecks = unwrap(await workbench.gradchecks.runAll(folder, { timeout: 170 }))
    expect(gradchecks).toMatchObject([{ op: 'gpu_project::scale', verdict: 'passed' }])
  })

  it('follow a header of the project that changes', async () => {
    const header = path.join(folder, 'half_step.cuh')
    const text = fs.readFileSync(header, 'utf8')
    const { build: before } = await hot(original)
    const kept = fs.readFileSync(source, 'utf8')
    fs.writeFileSync(header, text.replace('x * 0.5f', 'x * 4.0f'))
    const after = unwrap(await workbench.builds.buildHot(folder))
    expect(fs.readFileSync(source, 'utf8')).toBe(kept)
    expect(after).toMatchObject({ ok: true, hot: true })
    expect(after.loadPath).not.toBe(before.loadPath)
    const { comparisons } = await call(
      'gpu_project::mirror',
      ['row', true],
      '4 * row + row.flip(0)',
    )
    expect(comparisons).toMatchObject([{ matches: true }])
    fs.writeFileSync(header, text)
  })

  it('have a mistake at the same line as in a plain build', async () => {
    const wrong = original.replace('half_step(x[threadIdx.x])', 'half_stepp(x[threadIdx.x])')
    const { build } = await hot(wrong)
    expect(build.ok).toBe(false)
    const plain = unwrap(await workbench.builds.build(folder))
    expect(plain.hot).toBe(false)
    expect(build.diagnostics).toEqual(plain.diagnostics)
    expect(build.diagnostics[0]).toMatchObject({ file: source, severity: 'error' })
  })

  it('have the 16-bit types that libtorch includes for nvcc', async () => {
    const { build } = await hot(original.replace('#include <cuda_fp16.h>\n', ''))
    expect(build.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(build).toMatchObject({ ok: true, hot: true })
    const plain = unwrap(await workbench.builds.build(folder))
    expect(plain).toMatchObject({ ok: true, hot: false })
  })

  it('may use names of CUDA headers that they do not include', async () => {
    const own = 'struct thread_group;\nnamespace cooperative_groups {}\nnamespace cub {}\n'
    const { build } = await hot(own + original)
    expect(build.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(build).toMatchObject({ ok: true, hot: true })
  })

  it('are compiled without it where they have 16-bit types of their own and no libtorch', async () => {
    const kernel = path.join(folder, 'own_half.cu')
    const manifest = path.join(folder, 'opsmith.json')
    const before = fs.readFileSync(manifest, 'utf8')
    fs.writeFileSync(kernel, 'struct half { float value; };\nhalf halved(half x) { return x; }\n')
    const { sources } = JSON.parse(before) as { sources: string[] }
    const both = { ...JSON.parse(before), sources: [...sources, 'own_half.cu'] } as unknown
    fs.writeFileSync(manifest, JSON.stringify(both))
    try {
      const { build, log } = await hot(original)
      expect(build.ok, JSON.stringify(build.diagnostics)).toBe(true)
      expect(build.steps.map(({ label }) => label)).toContain('own_half.cu')
      expect(log).toContain('op.cu: compiling with the compile server')
      expect(log).not.toContain('own_half.cu: compiling with the compile server')
    } finally {
      fs.writeFileSync(manifest, before)
      fs.rmSync(kernel)
    }
  })

  it('say of a source alone that its blocks wait for each other', async () => {
    const isNoted = (build: BuildReport): boolean =>
      fs.readFileSync(build.loadPath).includes('opsmith_gpu_blocks_depend_on_each_other')
    const alone = original.replace(/atomicCAS\(&(.*), -1, i\)/, '$1 = i')
    const { build: independent } = await hot(alone)
    expect(isNoted(independent)).toBe(false)
    const { build: dependent } = await hot(`#include <cooperative_groups.h>\n${original}`)
    expect(dependent).toMatchObject({ ok: true, hot: true })
    expect(isNoted(dependent)).toBe(true)
  })
})

/** Two sources with the same names, all of which are used by kernels and by the host. */
const partsOf = (op: string, factor: number): string => `
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

namespace {

__constant__ float weights[3];
__device__ int calls;
__device__ int even;
__device__ int odd;
const float table[4] = {${factor}, 2, 3, 4};
const float other_table[4] = {0, 0, 0, 0};
const float* const tables[] = {table, other_table};
static int host_calls = 0;

__host__ __device__ inline float scaled(float x) {
  return x * tables[0][0];
}

struct Shape {
  virtual ~Shape() = default;
  virtual float area(float x) const { return scaled(x) + table[1]; }
};

__global__ void step_kernel(const float* x, float* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  atomicAdd(&calls, 1);
  int* parities[] = {&even, &odd};
  atomicAdd(parities[i % 2], 1);
  const Shape shape;
  y[i] = scaled(x[i]) * weights[i % 3] + shape.area(0);
}

at::Tensor step(const at::Tensor& x) {
  const int at_first[] = {0};
  cudaMemcpyToSymbol(calls, at_first, sizeof(int));
  const float values[3] = {scaled(1), scaled(1), scaled(1)};
  cudaMemcpyToSymbol(weights, values, sizeof(values));
  at::Tensor y = at::empty_like(x);
  const int count = static_cast<int>(x.numel());
  step_kernel<<<(count + 63) / 64, 64>>>(x.const_data_ptr<float>(), y.mutable_data_ptr<float>(),
                                         count);
  int called = 0;
  cudaMemcpyFromSymbol(&called, calls, sizeof(int));
  host_calls += 1;
  TORCH_CHECK(called == count, "the kernel ran for ", called, " of ", count, " elements");
  const Shape shape;
  return y + shape.area(0) * host_calls / host_calls;
}

// Much code that runs once for each call.
class Step : public torch::autograd::Function<Step> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext*, const at::Tensor& x) {
    const at::AutoDispatchBelowADInplaceOrView below;
    return step(x);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                 torch::autograd::variable_list gradients) {
    return {gradients[0] * scaled(1)};
  }
};

}  // namespace

TORCH_LIBRARY_FRAGMENT(parts, m) {
  m.def("${op}(Tensor x) -> Tensor");
}
TORCH_LIBRARY_IMPL(parts, CUDA, m) {
  m.impl("${op}", &step);
}
TORCH_LIBRARY_IMPL(parts, AutogradCUDA, m) {
  m.impl("${op}", [](const at::Tensor& x) { return Step::apply(x); });
}
`

describe('the parts of a large source, which two processes compile', () => {
  const parts = path.join(cache.home, 'parts')

  async function build(): Promise<{ report: BuildReport; log: string }> {
    let log = ''
    const report = unwrap(
      await workbench.builds.buildHot(parts, { onOutput: (part) => (log += part) }),
    )
    return { report, log }
  }

  beforeAll(async () => {
    fs.mkdirSync(parts)
    fs.writeFileSync(path.join(parts, 'a.cu'), partsOf('a', 2))
    fs.writeFileSync(path.join(parts, 'b.cu'), partsOf('b', 5))
    const inputs = { x: { shape: [100], distribution: 'randn', device: 'cuda' } }
    const manifest = { name: 'parts', sources: ['a.cu', 'b.cu'], inputs }
    fs.writeFileSync(path.join(parts, 'opsmith.json'), JSON.stringify(manifest))
    expect(await workbench.builds.startCompileServer(parts)).toEqual({ ok: true, value: true })
  })

  it('share variables, constants and functions, and no name with another source', async () => {
    const { report, log } = await build()
    expect(report.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(report).toMatchObject({ ok: true, hot: true })
    expect(log).not.toContain('failed')
    const { inputs } = unwrap(await readManifest(parts))
    for (const [op, reference] of [
      ['parts::a', 'x * 2 * 2 + 2 + 2'],
      ['parts::b', 'x * 5 * 5 + 2 + 2'],
    ] as const) {
      const request = { op, args: ['x'], inputs, reference }
      const { comparisons } = unwrap(await workbench.runs.run(parts, request, { timeout: 170 }))
      expect(comparisons, op).toMatchObject([{ matches: true }])
    }
  })

  it('are compiled again in the usual way where they cannot be joined', async () => {
    const tools = path.join(cache.home, 'tools')
    fs.mkdirSync(tools)
    fs.writeFileSync(path.join(tools, 'ld.gold'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const before = process.env['PATH'] ?? ''
    process.env['PATH'] = `${tools}:${before}`
    try {
      fs.writeFileSync(path.join(parts, 'a.cu'), partsOf('a', 7))
      const { report, log } = await build()
      expect(log).toContain('the compile server failed; compiling again without it')
      expect(report).toMatchObject({ ok: true })
    } finally {
      process.env['PATH'] = before
    }
  })
})

it('clang makes what kernels start from, where g++ compiles the project', async () => {
  const bare = makeTestCache(['precompiled'])
  try {
    const project = unwrap(await workbench.projects.open(folder))
    const toolchain = unwrap(await project.toolchain())
    const gcc = { ...toolchain.compiler, family: 'g++' as const, identity: 'g++' }
    const request = { installation: testInstallation(bare), project, variant: 'plain' as const }
    const plan = unwrap(await planBuild({ ...request, toolchain: { ...toolchain, compiler: gcc } }))
    const prepared = toolsToPrepare(request.installation, { ...toolchain, compiler: gcc }, project)
    expect(prepared.map((tools) => tools.toolchain.compiler.family)).toEqual(['g++', 'clang'])
    expect(toolsToPrepare(request.installation, toolchain, project)).toHaveLength(1)
    const missing = plan.missingHeaders.map(({ tools, prelude, variant, device }) => ({
      family: tools.toolchain.compiler.family,
      prelude,
      variant,
      isDevice: device !== undefined,
    }))
    const usual = { family: 'clang', prelude: 'extension', variant: 'plain', isDevice: false }
    expect(missing).toEqual([{ ...usual, isDevice: true }, usual])
    expect(plan.remarks.join()).toContain('not precompiled')
    expect(plan.servers).toMatchObject({
      gpu: { tools: { toolchain: { compiler: { family: 'clang' } } } },
    })
    expect(plan.servers.cxx).toBeUndefined()
  } finally {
    bare.remove()
  }
})

it('flags that contradict the headers of a compile server keep a source from it', async () => {
  const project = unwrap(await workbench.projects.open(folder))
  const toolchain = unwrap(await project.toolchain())
  const flags = { project: [], own: ['-DNDEBUG'], contradicting: ['-DNDEBUG'] }
  const cxx = { label: 'op.cpp', file: 'op.cpp', text: '', prelude: 'lean' as const }
  const tools = compileTools(workbench.installation, toolchain)
  const server = (wanted: ProjectFlags): ServerFlags | undefined =>
    new CxxTasks(tools, 'plain', wanted).projectTask(cxx).server
  expect(server(flags)).toBeUndefined()
  expect(server({ ...flags, contradicting: [] })).toMatchObject({ defines: ['NDEBUG'] })
})
