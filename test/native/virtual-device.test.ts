import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { unwrap } from '../../electron/contract/outcome'
import { describeCompiler } from '../../electron/engine/toolchain/compilers'
import { cudaFlags } from '../../electron/engine/compile/virtual-gpu/flags'
import { rewriteCuda } from '../../electron/engine/compile/virtual-gpu/rewrite'
import { runtimeLibrary } from '../../electron/engine/compile/virtual-gpu/runtime-library'
import { findPlaces } from '../../electron/engine/places'
import { root } from '../support/installation'
import { compiler, libtorch } from './fixture'

/** libtorch's device `cuda` without a GPU: a program uses it, and prints what it saw. */

const native = path.join(root, 'native')
const device = path.join(native, 'virtual_gpu', 'torch')
const program = path.join(__dirname, 'fixtures', 'virtual_device.cpp')
const kernels = path.join(__dirname, 'fixtures', 'virtual_device_kernels.cu')

function filesOf(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
}

/** One translation unit: libtorch's headers are read once. */
async function buildProgram(): Promise<string> {
  const cache = path.join(root, '.setup', 'test-fixtures')
  const clang = await describeCompiler(compiler)
  if (!clang) throw new Error(`${compiler} is not a compiler`)
  // The one that programs are linked with: other tests, or users, have compiled it.
  const tools = { root, cacheFolder: findPlaces().cacheFolder, compiler: clang }
  const runtime = unwrap(await runtimeLibrary(tools, undefined, () => undefined))
  const headers = path.join(libtorch, 'include')
  const sources = filesOf(device).filter((file) => file.endsWith('.cpp'))
  const command = [
    '-std=gnu++20',
    '-fdeclspec',
    '-O1',
    `-I${native}`,
    `-isystem${path.join(native, 'virtual_gpu', 'include')}`,
    `-isystem${headers}`,
    `-isystem${path.join(headers, 'torch/csrc/api/include')}`,
  ]
  const hash = createHash('sha256').update(
    JSON.stringify([compiler, libtorch, command, runtime.identity]),
  )
  for (const file of [...filesOf(path.join(native, 'virtual_gpu')), program, kernels])
    hash.update(fs.readFileSync(file))
  const folder = path.join(cache, hash.digest('hex').slice(0, 16))
  const built = path.join(folder, 'virtual_device')
  if (fs.existsSync(built)) return built
  fs.mkdirSync(folder, { recursive: true })
  const ofKernels = path.join(folder, 'kernels.o')
  const { text } = rewriteCuda(fs.readFileSync(kernels, 'utf8'), 'kernels', () => undefined)
  fs.writeFileSync(path.join(folder, 'kernels.cpp'), text)
  const torch = [`-isystem${headers}`, `-isystem${path.join(headers, 'torch/csrc/api/include')}`]
  const cuda = cudaFlags(root, { isChecked: false })
  execFileSync(
    compiler,
    [
      ...cuda,
      `-I${path.join(native, 'include')}`,
      ...torch,
      '-c',
      path.join(folder, 'kernels.cpp'),
      '-o',
      ofKernels,
    ],
    { stdio: 'pipe' },
  )
  const all = path.join(folder, 'all.cpp')
  fs.writeFileSync(all, [...sources, program].map((file) => `#include "${file}"\n`).join(''))
  const lib = path.join(libtorch, 'lib')
  const link = [
    '-Wl,--no-as-needed',
    `-Wl,-rpath,${lib}`,
    `-L${lib}`,
    '-ltorch',
    '-ltorch_cpu',
    '-lc10',
    '-ldl',
  ]
  const output = `${built}.${process.pid}`
  execFileSync(compiler, [...command, all, ofKernels, runtime.file, ...link, '-o', output], {
    stdio: 'pipe',
  })
  fs.renameSync(output, built)
  return built
}

/** The runtime is written for clang. */
const isClang = /clang/.test(execFileSync(compiler, ['--version'], { encoding: 'utf8' }))

let seen: Record<string, unknown>

const sameDevice =
  /^Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!$/
const otherDevice =
  /^Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cuda:1!$/

/** What is refused, in PyTorch's words where it refuses the same. */
const errors: Record<string, RegExp> = {
  'a device that is not there': /^CUDA error: invalid device ordinal/,
  'a generator of the CPU': /^Expected a 'cuda' device type for generator but found 'cpu'$/,
  'cuda:0 + cpu': sameDevice,
  'cpu + cuda:0': sameDevice,
  'cuda:0 + cuda:1': otherDevice,
  'in place with the CPU': sameDevice,
  'out= on the CPU': sameDevice,
  'mm of two devices':
    /^Expected all tensors to be on the same device, but got mat2 is on cpu, different from other tensors on cuda:0 \(when checking argument in method wrapper_CUDA_mm\)$/,
  'cat of two devices':
    /^Expected all tensors to be on the same device, but got tensors is on cuda:1/,
  'an index of another device':
    /^indices should be either on cpu or on the same device as the indexed tensor \(cuda:0\)$/,
  'two scalars of the CPU': /^Trying to pass too many CPU scalars to non-CPU kernel!$/,
  'a scalar of another device': otherDevice,
  'an operator without a CUDA kernel':
    /^Could not run 'virtual_device_test::cpu_only' with arguments from the 'CUDA' backend\./,
  cuDNN: /^aten::_cudnn_rnn_flatten_weight is not supported on the virtual GPU$/,
  sparse: /^aten::_to_sparse is not supported on the virtual GPU: one of its tensors is not dense$/,
  'sparse from indices':
    /^aten::_sparse_coo_tensor_with_dims_and_tensors is not supported on the virtual GPU for sparse tensors$/,
  quantized:
    /^aten::quantize_per_tensor is not supported on the virtual GPU: one of its tensors is quantized$/,
  'an error of CUDA': /^CUDA error: invalid device ordinal/,
  'a launch that is too large': /^CUDA error: invalid configuration argument/,
}

const groups: Record<string, readonly string[]> = {
  factories: [
    'zeros',
    'ones on the second device',
    'full',
    'arange',
    'linspace',
    'eye',
    'tensor',
    'tril_indices',
    'empty of no elements',
    'empty_strided',
    'empty in channels_last',
    'zeros_like',
    'scalar_tensor of double',
    'current device of cuda',
  ],
  'copies, printing and files': [
    'to the device and back',
    'between the devices',
    'to another dtype on the way',
    'transposed',
    'copy_ broadcasts',
    'copy_ to the CPU',
    'clone is other memory',
    'item',
    'half and bfloat16',
    'complex and conj',
    'print',
    'save and load',
    'load to the CPU',
    'pinned memory',
    'from_blob',
  ],
  'views and writes': [
    'views share memory',
    'in place through a view',
    'in place returns the same tensor',
    'as_strided, unfold and diagonal',
    'view_as_real and view(dtype)',
    'split and chunk',
    'out= into its memory',
    'out= that grows',
    'out= of two tensors',
    'resize_ keeps what was there',
    'set_',
    'indexing',
    'indices on either device',
    'index_put_ with a value of the CPU',
    'gather, scatter and index_add',
    'cat and stack',
    'where and masked_fill',
    'sort, topk and unique',
    'nonzero',
    'cumsum and reductions',
    '_foreach_add_',
    'a tensor of no elements',
  ],
  'networks and their gradients': [
    'softmax',
    'softmax of half to float',
    'matmul',
    'bmm and einsum',
    'linear, forward and backward',
    'conv2d with groups',
    'depthwise conv2d',
    'conv_transpose2d',
    'conv1d and conv3d',
    'batch_norm in training',
    'batch_norm in evaluation',
    'layer_norm',
    'group_norm and pooling',
    'embedding',
    'attention',
    'ctc_loss',
    'lstm',
    'gru',
    'autocast',
    'losses',
    'views and writes under autograd',
    'linalg',
    'fft',
    'gradcheck of a network in double',
    'second derivative',
    'forward mode',
    'gradients on the second device',
  ],
  'random numbers': [
    'manual_seed repeats',
    'randn is normal',
    'numbers do not repeat between calls',
    'get_state and set_state',
    "a generator of one's own",
    'dropout, bernoulli, randperm and multinomial',
    'Philox for kernels',
  ],
  'kernels of operators': [
    'a kernel',
    'a kernel under CPU operators',
    'warp shuffles and gpuAtomicAdd',
    'atomic functions of all types',
    'Philox in a kernel',
    'after an error of a launch',
  ],
  devices: [
    'a scalar of the CPU',
    'an operator with a CUDA kernel',
    'two devices',
    'the accelerator is CUDA',
    'CUDAGuard',
    'properties and warp_size',
    'the current stream is the default one',
    'CUDAStreamGuard',
    'streams of a pool',
    'a stream is current in its thread',
    'events',
    'events of c10',
    'record_stream',
    'raw memory',
    'memory is counted and freed',
    'an error is taken',
  ],
}

describe.runIf(isClang)("libtorch's virtual CUDA device", () => {
  beforeAll(async () => {
    const text = execFileSync(await buildProgram(), {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    seen = JSON.parse(text) as Record<string, unknown>
  }, 600_000)

  it('is installed once, in a few milliseconds', () => {
    expect(seen['reason']).toBe('')
    expect(seen['installed']).toBe(true)
    expect(seen['installed again']).toBe(true)
    expect(seen['install ms']).toBeLessThan(15)
  })

  for (const [group, names] of Object.entries(groups))
    describe(group, () => {
      it.each(names)('%s', (name) => {
        expect(seen[name]).toBe(true)
      })
    })

  describe('errors', () => {
    it.each(Object.entries(errors))('%s', (name, message) => {
      expect(seen[name]).toMatch(message)
    })
  })

  it('names every fact here', () => {
    const measured = ['installed', 'installed again', 'reason', 'install ms']
    const costs = ['add on the CPU us', 'add on the device us']
    const known = new Set([
      ...measured,
      ...costs,
      ...Object.keys(errors),
      ...Object.values(groups).flat(),
    ])
    expect(Object.keys(seen).filter((name) => !known.has(name))).toEqual([])
  })

  it('adds small tensors at a cost near that of the CPU', () => {
    expect(seen['add on the device us']).toBeLessThan(6 * (seen['add on the CPU us'] as number))
  })
})
