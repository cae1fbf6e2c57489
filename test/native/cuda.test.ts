import fs from 'node:fs'
import path from 'node:path'

import { afterEach, describe, expect, it } from 'vitest'

import { unwrap } from '../../electron/contract/outcome'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { findCudaToolkit } from '../../electron/engine/toolchain/cuda'
import { findOnPath } from '../../electron/engine/toolchain/find-on-path'
import { copyProject, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

// nvcc and the machine's GPU, not the virtual one.
const { workbench, cache } = useWorkbench({ settings: { gpu: 'hardware' } })
const sample = path.join(root, 'samples/calculate_force')
const { PATH, CUDA_HOME, CUDA_PATH } = process.env

afterEach(() => {
  process.env['PATH'] = PATH
  for (const [name, value] of Object.entries({ CUDA_HOME, CUDA_PATH })) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
})

/** Calls of the sample answer, as on every machine: the CPU's kernels are called. */
async function expectCalls(folder: string): Promise<void> {
  const manifest = unwrap(await readManifest(folder))
  const [call] = manifest.calls
  const run = unwrap(
    await workbench.runs.run(
      folder,
      {
        op: call?.op ?? '',
        args: call?.args ?? [],
        inputs: manifest.inputs,
        reference: call?.reference ?? '',
      },
      { timeout: 170 },
    ),
  )
  expect(run.comparisons.map(({ matches }) => matches)).toEqual([true])
}

it('CUDA sources are left out with a remark where nvcc is missing', async () => {
  const folder = copyProject(sample, cache)
  // Everything but nvcc, wherever it lies.
  const tools = path.join(cache.home, 'tools')
  fs.mkdirSync(tools)
  for (const name of ['gcc', 'g++', 'ld', 'as', 'pkg-config']) {
    const file = findOnPath(name)
    if (file !== undefined) fs.symlinkSync(file, path.join(tools, name))
  }
  process.env['PATH'] = tools
  process.env['CUDA_HOME'] = '/nowhere'
  const remarks: string[] = []
  const build = unwrap(
    await workbench.builds.build(folder, { onRemark: (text) => remarks.push(text) }),
  )
  expect(build).toMatchObject({ ok: true, diagnostics: [] })
  expect(remarks.join('\n')).toMatch(/leaves out .*add_forces\.cu.*, because nvcc is not installed/)
  expect(build.steps.map(({ label }) => label).join()).not.toContain('cuda/')
  await expectCalls(folder)
})

const toolkit = await findCudaToolkit()
if (!toolkit) console.log('cuda: builds with nvcc are skipped: there is no nvcc here')

describe.skipIf(!toolkit)('CUDA sources with nvcc', () => {
  it('kernels compile and link, and the library loads and runs without a GPU', async () => {
    const folder = copyProject(sample, cache)
    const build = unwrap(await workbench.builds.build(folder, { cudaArchitectures: ['80'] }))
    expect(build).toMatchObject({ ok: true, diagnostics: [] })
    const kernels = build.steps.flatMap((step) => step.kernels ?? [])
    expect(kernels.map(({ architecture }) => architecture)).toEqual(Array(8).fill('80'))
    expect(kernels.every(({ registers }) => registers > 0)).toBe(true)
    const loaded = unwrap(await workbench.libraries.load(folder, { timeout: 170 }))
    const force = loaded.operators.find(({ name }) => name === 'CalcOps::calculateForce')
    const cuda = force?.kernels.find(({ dispatchKey }) => dispatchKey === 'CUDA')
    expect(cuda?.file).toBe(path.join(folder, 'src/cuda/calculate_force_cuda.cpp'))
    await expectCalls(folder)
    // What a kernel file includes is known: only those that include a header are compiled again.
    fs.appendFileSync(path.join(folder, 'src/cuda/force_kernel_cuda.h'), `\n// ${Date.now()}\n`)
    const edited = unwrap(await workbench.builds.build(folder, { cudaArchitectures: ['80'] }))
    const made = edited.steps.filter(({ cached, kind }) => !cached && kind === 'compile')
    expect(made.map(({ label }) => path.basename(label)).sort()).toEqual([
      'add_forces.cu',
      'calculate_force_cuda.cpp',
      'force_gradients.cu',
    ])
  })

  it('a kernel whose assertion fails names its file and line', async () => {
    const folder = copyProject(sample, cache)
    const { loadPath, ok } = unwrap(
      await workbench.builds.build(folder, { cudaArchitectures: ['80'] }),
    )
    expect(ok).toBe(true)
    // What the driver prints is in the machine code: __trap() has neither.
    const library = fs.readFileSync(loadPath)
    for (const words of ['__assertfail', 'neighbour < sizes.atoms', 'add_forces.cu'])
      expect(library.includes(words), words).toBe(true)
  })

  it('kernels that call device code of another file are linked, and the library loads', async () => {
    const folder = path.join(cache.home, 'relocatable')
    fs.mkdirSync(folder)
    const files = {
      'one.cu': `__device__ float twice(float x);
__global__ void kernel(float* x) { *x = twice(*x); }
void launch(float* x) { kernel<<<1, 1>>>(x); }
`,
      'two.cu': '__device__ float twice(float x) { return 2 * x; }\n',
      'op.cpp': `#include <torch/library.h>
void launch(float* x);
TORCH_LIBRARY(relocatable, m) { m.def("go(int address) -> ()", [](int64_t at) { launch(reinterpret_cast<float*>(at)); }); }
`,
      'opsmith.json': JSON.stringify({
        name: 'relocatable',
        sources: ['op.cpp', 'one.cu', 'two.cu'],
        cudaCflags: ['-rdc=true'],
      }),
    }
    for (const [name, text] of Object.entries(files))
      fs.writeFileSync(path.join(folder, name), text)
    const build = unwrap(await workbench.builds.build(folder, { cudaArchitectures: ['80'] }))
    expect(build.ok, JSON.stringify(build.diagnostics)).toBe(true)
    const loaded = unwrap(await workbench.libraries.load(folder, { timeout: 170 }))
    expect(loaded.operators.map(({ name }) => name)).toEqual(['relocatable::go'])
  })

  it('what a CPU build of libtorch lacks is known before nvcc is waited for', async () => {
    const folder = copyProject(path.join(root, 'samples/my_op'), cache)
    fs.writeFileSync(path.join(folder, 'kernel.cu'), '__global__ void k(float* x) { *x = 1; }\n')
    fs.writeFileSync(
      path.join(folder, 'op.cpp'),
      `#include <c10/cuda/CUDAStream.h>
void launch(void* stream);
void use() { launch(c10::cuda::getCurrentCUDAStream().stream()); }
`,
    )
    const manifest = { name: 'early', sources: ['op.cpp', 'kernel.cu'] }
    fs.writeFileSync(path.join(folder, 'opsmith.json'), JSON.stringify(manifest))
    const remarks: string[] = []
    const ended: string[] = []
    const build = unwrap(
      await workbench.builds.build(folder, {
        onRemark: (text) => remarks.push(text),
        onStepEnded: ({ label }) => ended.push(label),
      }),
    )
    expect(build.ok).toBe(false)
    expect(build.diagnostics[0]).toMatchObject({ file: path.join(folder, 'op.cpp'), line: 3 })
    expect(build.diagnostics.map(({ message }) => message).join()).toMatch(
      /getCurrentCUDAStream.*this libtorch is a CPU build/,
    )
    // `launch` is a kernel source's to define, and no error of the C++ part.
    expect(build.diagnostics.map(({ message }) => message).join()).not.toContain('launch')
    expect(ended).not.toContain('libearly.so')
  })

  it('a mistake in a kernel is shown at its place', async () => {
    const folder = copyProject(sample, cache)
    const file = path.join(folder, 'src/cuda/force_gradients.cu')
    fs.writeFileSync(
      file,
      fs.readFileSync(file, 'utf8').replace('scalar sum = 0;', 'scalar sum = zero;'),
    )
    const build = unwrap(await workbench.builds.build(folder))
    expect(build.ok).toBe(false)
    const lines = fs.readFileSync(file, 'utf8').split('\n')
    const line = lines.findIndex((text) => text.includes('= zero;')) + 1
    expect(build.diagnostics[0]).toMatchObject({
      file,
      line,
      column: (lines[line - 1]?.indexOf('zero') ?? 0) + 1,
      source: 'nvcc',
      message: 'identifier "zero" is undefined',
    })
  })

  it('an architecture that nvcc does not know is an error that lists the known ones', async () => {
    const build = await workbench.builds.build(copyProject(sample, cache), {
      cudaArchitectures: ['12'],
    })
    expect(build).toMatchObject({ ok: false, error: { code: 'project.invalid' } })
  })
})
