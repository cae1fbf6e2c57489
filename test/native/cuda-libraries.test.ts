/** CUDA's device-side libraries on the virtual GPU: each program checks itself, and prints that it is right. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { expect, it } from 'vitest'

import { unwrap } from '../../electron/contract/outcome'
import { root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

const { workbench, cache } = useWorkbench()
const folder = path.join(root, 'test/cases/cuda/libraries')
const sources = fs.readdirSync(folder).filter((file) => file.endsWith('.cu'))

async function build(source: string): ReturnType<typeof workbench.gpuPrograms.build> {
  const program = {
    sources: [source],
    includeFolders: [],
    defines: [],
    libraries: [],
    isChecked: false,
  }
  return await workbench.gpuPrograms.build(program, undefined, () => {})
}

it.each(sources)('%s gives the right results', async (source) => {
  const { executable, diagnostics } = unwrap(await build(path.join(folder, source)))
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  for (const seed of ['1', '2']) {
    const output = execFileSync(executable, {
      encoding: 'utf8',
      env: { ...process.env, OPSMITH_GPU_SEED: seed },
    })
    expect(output).toBe(`${path.basename(source, '.cu')}: ok\n`)
  }
})

const refusals: [string, string, string][] = [
  ['clusters', 'cooperative_groups.h', 'auto cluster = cooperative_groups::this_cluster();'],
  [
    'large tiles',
    'cooperative_groups.h',
    'auto tile = cooperative_groups::tiled_partition<64>(cooperative_groups::this_thread_block());',
  ],
  ['cuRAND’s Sobol numbers', 'curand_kernel.h', 'curandStateSobol32_t state;'],
  ['transaction barriers', 'cuda/barrier', 'cuda::device::memcpy_async_tx(0, 0, 0, 0);'],
  ['PTX of libcu++', 'cuda/ptx', ''],
  ['CUB’s grid queue', 'cub/grid/grid_queue.cuh', ''],
  ['Thrust’s asynchronous algorithms', 'thrust/async/copy.h', ''],
]

it.each(refusals)('%s: refused by name', async (_, header, use) => {
  const source = path.join(fs.mkdtempSync(path.join(cache.home, 'refused-')), 'refused.cu')
  fs.writeFileSync(
    source,
    `#include <${header}>\n__global__ void k() { ${use} }\nint main() { k<<<1, 1>>>(); }\n`,
  )
  const { executable, diagnostics } = unwrap(await build(source))
  expect(executable).toBe('')
  expect(diagnostics.map(({ message }) => message).join('\n')).toMatch(
    /not supported on the virtual GPU/,
  )
})
