/** Counts of the kernels of a project, while its calls run on the virtual GPU. */
import fs from 'node:fs'
import path from 'node:path'

import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

import { gpuCounts } from '../../electron/contract/gpu-counts'
import type { GpuCounts, GpuCountSums, GpuKernelCounts } from '../../electron/contract/gpu-counts'
import { unwrap } from '../../electron/contract/outcome'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { opsmith } from '../support/command-line'
import { copyProject, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

const { workbench, cache } = useWorkbench()
const folder = copyProject(path.join(root, 'samples/tiled_matmul'), cache)
const source = path.join(folder, 'tiled_matmul_cuda.cu')

/** Of n x n matrices: the tiles of 16 x 16 threads, 8 warps each, and the steps of each along the inner size. */
const n = 64
const tiles = (n / 16) ** 2
const steps = n / 16
const ofStep = tiles * 8 * steps
/** A warp has two rows of 16 floats: two sectors each. */
const rows = (requests: number) => ({
  requests,
  lanes: 32 * requests,
  bytes: 128 * requests,
  sectors: 4 * requests,
})
const banks = (requests: number) => ({
  requests,
  lanes: 32 * requests,
  bytes: 128 * requests,
  wavefronts: requests,
  leastWavefronts: requests,
})

const matrix = { shape: [n, n], distribution: 'randn', seed: 1, device: 'cuda' }
const manifestFile = path.join(folder, 'opsmith.json')
fs.writeFileSync(
  manifestFile,
  JSON.stringify({
    name: 'tiled_matmul',
    sources: ['tiled_matmul.cpp'],
    cudaSources: ['tiled_matmul_cuda.cu'],
    inputs: { left: matrix, right: { ...matrix, seed: 2 } },
    calls: [
      {
        op: 'tiled_matmul::matmul',
        args: ['left', 'right'],
        reference: 'left.matmul(right)',
        atol: 1e-4,
      },
    ],
  }),
)

const only = ({ kernels }: GpuCounts): GpuKernelCounts => {
  const [kernel] = kernels
  if (!kernel || kernels.length > 1) throw new Error(`${kernels.length} kernels`)
  return kernel
}

/** What was counted at the line with this text. */
function at(counts: GpuCounts, text: string): GpuCountSums {
  const lines = fs.readFileSync(source, 'utf8').split('\n')
  const number = lines.findIndex((line) => line.includes(text)) + 1
  const found = only(counts).lines.find(
    ({ place }) => place.file === source && place.line === number,
  )
  if (!found) throw new Error(`nothing was counted at line ${number}`)
  const { place: _, ...sums } = found
  return sums
}

describe('counted operators', () => {
  afterEach(() => {
    workbench.projects.kernelVariant = 'plain'
    workbench.forgetKernelReports()
  })

  it('have the counts of their launches, line by line, summed over calls', async () => {
    workbench.projects.kernelVariant = 'counted'
    const built = unwrap(await workbench.builds.build(folder))
    expect(built).toMatchObject({ ok: true, kernelVariant: 'counted', library: '', addon: '' })
    expect(await workbench.builds.waitForPlain(folder)).toMatchObject({
      error: { code: 'build.counted' },
    })
    const request = {
      op: 'tiled_matmul::matmul',
      args: ['left', 'right'],
      inputs: unwrap(await readManifest(folder)).inputs,
    }
    unwrap(await workbench.runs.run(folder, request, { timeout: 170 }))
    const counts = gpuCounts.parse(await workbench.kernelCounts.all())

    expect(counts).toMatchObject({ launches: 1, missedAccesses: 0 })
    expect(at(counts, 'a_tile[y][x] =')).toEqual({
      globalLoads: rows(ofStep),
      sharedStores: banks(ofStep),
    })
    expect(at(counts, 'sum += a_tile')).toEqual({
      sharedLoads: banks(2 * 16 * ofStep),
      operations: { float32: 2 * n ** 3, float64: 0, functionCalls: 0 },
    })
    expect(at(counts, 'product[row')).toEqual({ globalStores: rows(tiles * 8) })
    expect(at(counts, '// both tiles are there')).toEqual({
      barriers: { warps: ofStep, lanes: 32 * ofStep },
    })
    const kernel = only(counts)
    expect(kernel.staticShared).toBe(2 * 16 * 16 * 4)
    // Each matrix once, however often its elements are read.
    expect(kernel).toMatchObject({
      sectorsRead: (2 * 4 * n * n) / 32,
      sectorsWritten: (4 * n * n) / 32,
    })
    const moved = 128 * (2 * ofStep + tiles * 8)
    expect(kernel.arithmeticIntensity).toBe((2 * n ** 3) / moved)

    unwrap(await workbench.runs.run(folder, request, { timeout: 170 }))
    const twice = await workbench.kernelCounts.all()
    expect(twice.launches).toBe(2)
    expect(at(twice, 'product[row')).toEqual({ globalStores: rows(2 * tiles * 8) })
    expect(only(twice).configurations).toEqual([
      { block: [16, 16, 1], dynamicShared: 0, launches: 2, blocks: 2 * tiles },
    ])
  })

  it('are in the answer of opsmith run --counts', async () => {
    const { code, stdout } = await opsmith(cache, 'run', '--counts', '--json', folder)
    const answer = z
      .object({ ok: z.literal(true), counts: gpuCounts })
      .parse(JSON.parse(stdout) as unknown)
    expect(answer.counts.launches).toBe(1)
    expect(at(answer.counts, 'product[row')).toEqual({ globalStores: rows(tiles * 8) })
    expect(code).toBe(0)
    const text = await opsmith(cache, 'run', '--counts', folder)
    expect(text.stdout).toMatch(
      /tiled_matmul_cuda\.cu:\d+ +global store +128 +32\.0 +4\.0 sectors a request, 100 % of their bytes used/,
    )
    expect(text.stdout).toMatch(
      /time of a launch, estimated, not measured: NVIDIA T4 [\d.]+ (?:ns )?to [\d.]+ µs/,
    )
    expect(fs.existsSync(path.join(folder, 'build'))).toBe(false)
  })

  it('are not for checked or sanitized runs', async () => {
    const both = await opsmith(cache, 'run', '--counts', '--check-kernels', folder)
    expect(both.stderr).toContain('--check-kernels and --counts cannot be used together')
    expect(both.code).toBe(2)
  })
})
