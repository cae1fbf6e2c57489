import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { unwrap } from '../../electron/contract/outcome'
import { root } from '../support/installation'
import { useWorkbench } from '../support/workbench'
import { compiler, libtorch } from './fixture'

/** libtorch's device `cuda` without a GPU: a program uses it, and prints what it saw. */

const { workbench, cache } = useWorkbench()

/** Built as a project, which starts from precompiled headers. Its library has the `main` of a program. */
async function buildProgram(): Promise<string> {
  const folder = path.join(cache.home, 'virtual_device')
  const sources = ['virtual_device.cpp', 'virtual_device_kernels.cu']
  fs.mkdirSync(folder)
  for (const name of sources)
    fs.copyFileSync(path.join(__dirname, 'fixtures', name), path.join(folder, name))
  const manifest = {
    name: 'virtual_device',
    sources,
    cflags: [`-I${path.join(root, 'native')}`],
    optimization: 'O0',
  }
  fs.writeFileSync(path.join(folder, 'opsmith.json'), JSON.stringify(manifest))
  const { library, diagnostics } = unwrap(await workbench.builds.build(folder))
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  const program = path.join(folder, 'program')
  const torch = `-Wl,-rpath-link,${path.join(libtorch, 'lib')}`
  execFileSync(compiler, [library, `-Wl,-rpath,${path.dirname(library)}`, torch, '-o', program])
  return program
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

  it('is installed once', () => {
    expect(seen['reason']).toBe('')
    expect(seen['installed']).toBe(true)
    expect(seen['installed again']).toBe(true)
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
