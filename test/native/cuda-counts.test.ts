/** Counts of kernels whose cost is known by hand. */
import fs from 'node:fs'
import path from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { gpuCounts } from '../../electron/contract/gpu-counts'
import type { GpuCounts, GpuCountSums } from '../../electron/contract/gpu-counts'
import { opsmith } from '../support/command-line'
import { countCuda, namedLines } from '../support/cuda-counts'
import { cudaCases } from '../support/cuda-programs'
import { useWorkbench } from '../support/workbench'

const { workbench, cache } = useWorkbench()
const accesses = path.join(cudaCases, 'counts/accesses.cu')
const transposes = path.join(cudaCases, 'counts/transposes.cu')

/** Three blocks of two warps. */
const warps = 6
const lanes = 32 * warps

const of = (requests: number, active: number, bytes: number) => ({
  requests,
  lanes: active,
  bytes,
})
/** A request of each warp, with 32 lanes. */
const full = (bytes: number) => of(warps, lanes, lanes * bytes)
const loads = (bytes: number, sectors: number): GpuCountSums['globalLoads'] => ({
  ...full(bytes),
  sectors: sectors * warps,
})

describe('accesses', () => {
  let counts: GpuCounts
  const lineOf = (kernel: string, name: string): GpuCountSums => {
    const line = namedLines(counts, kernel, accesses).get(name)
    if (!line) throw new Error(`no counts for ${kernel}: ${name}`)
    return line
  }
  beforeAll(async () => {
    counts = await countCuda(workbench, accesses)
  })

  it.each([
    ['coalesced', 4],
    ['stride 2', 8],
    ['stride 32', 32],
    ['shifted', 5],
    ['broadcast', 1],
    ['one of a warp', 1],
  ])('of floats, %s, take %i sectors a request', (name, sectors) => {
    expect(lineOf('copies', name)).toEqual({
      globalLoads: loads(4, sectors),
      globalStores: loads(4, 4),
    })
  })

  it('of whole vectors are one request, also where clang splits them', () => {
    const quads = loads(16, 16)
    expect(lineOf('widths', 'float4 copied')).toEqual({ globalLoads: quads, globalStores: quads })
    expect(lineOf('widths', 'float4 used')).toEqual({ globalLoads: quads })
    expect(lineOf('widths', 'float4 made').globalStores).toEqual(quads)
    expect(lineOf('widths', 'float2')).toEqual({ globalLoads: loads(8, 8) })
    expect(lineOf('widths', 'half2')).toEqual({ globalLoads: loads(4, 4) })
    expect(lineOf('widths', 'char').globalLoads).toEqual(loads(1, 1))
    expect(lineOf('widths', 'double').globalLoads).toEqual(loads(8, 8))
  })

  it('of three floats are three requests with a stride', () => {
    expect(lineOf('widths', 'float3').globalLoads).toEqual({
      ...of(3 * warps, 3 * lanes, 12 * lanes),
      sectors: 3 * 12 * warps,
    })
  })

  it('of four neighbours that the source reads one by one are four requests', () => {
    const four = { ...of(4 * warps, 4 * lanes, 16 * lanes), sectors: 4 * 16 * warps }
    expect(lineOf('structures', 'unrolled').globalLoads).toEqual(four)
    expect(lineOf('structures', 'one by one').globalLoads).toEqual(four)
  })

  it.each([
    ['no conflict', 1],
    ['2-way', 2],
    ['32-way', 32],
    ['shared broadcast', 1],
    ['padded', 1],
    ['half broadcast', 1],
  ])('of shared memory, %s, take %i passes over the banks', (name, passes) => {
    expect(lineOf('banks', name).sharedLoads).toEqual({
      ...full(4),
      wavefronts: passes * warps,
      leastWavefronts: warps,
    })
  })

  it('of 8 and 16 bytes of shared memory go by halves and quarters of a warp', () => {
    const doubles = { ...full(8), wavefronts: 2 * warps, leastWavefronts: 2 * warps }
    expect(lineOf('banks', 'doubles').sharedStores).toEqual(doubles)
    expect(lineOf('banks', 'doubles read').sharedLoads).toEqual(doubles)
    expect(lineOf('banks', 'doubles with stride 2').sharedLoads).toEqual({
      ...doubles,
      wavefronts: 4 * warps,
    })
    const quads = { ...full(16), wavefronts: 4 * warps, leastWavefronts: 4 * warps }
    expect(lineOf('banks', 'quads').sharedStores).toEqual(quads)
    // 32 words with a stride of four: four in each of eight banks.
    expect(lineOf('banks', 'a part of quads').sharedLoads).toEqual({
      ...full(4),
      wavefronts: 4 * warps,
      leastWavefronts: warps,
    })
  })

  it('of a part of the lanes count the lanes', () => {
    const half = of(warps, lanes / 2, (lanes / 2) * 4)
    expect(lineOf('branches', 'even lanes').globalStores).toEqual({ ...half, sectors: 4 * warps })
    expect(lineOf('branches', 'lower half').globalStores).toEqual({ ...half, sectors: 2 * warps })
    expect(lineOf('branches', 'one lane').globalStores).toEqual({ ...of(3, 3, 12), sectors: 3 })
    // 80 of 192 threads: two whole warps, and 16 lanes of one.
    expect(lineOf('branches', 'tail').globalStores).toEqual({ ...of(3, 80, 320), sectors: 10 })
  })

  it('of a loop that lanes leave at different times belong together turn by turn', () => {
    const turns = (32 * 33) / 2
    expect(lineOf('branches', 'uneven loop')).toEqual({
      globalLoads: { ...of(32 * warps, turns * warps, 4 * turns * warps), sectors: 32 * warps },
      operations: { float32: turns * warps, float64: 0, functionCalls: 0 },
    })
  })

  it('of lanes that skip turns belong to the turn, in nested loops too', () => {
    expect(lineOf('turns', 'a quarter of the lanes').globalLoads).toEqual({
      ...of(32 * warps, 32 * 8 * warps, 32 * 8 * 4 * warps),
      sectors: 32 * 4 * warps,
    })
    // Of 32 lanes, 21 come to the second row and 10 to the third.
    const came = 2 * (32 + 21 + 10)
    expect(lineOf('turns', 'nested').globalLoads).toMatchObject(
      of(6 * warps, came * warps, 4 * came * warps),
    )
    expect(lineOf('turns', 'together again').globalStores).toEqual(loads(4, 4))
  })

  it('that are atomic count the lanes at one address', () => {
    const atomics = (addresses: number, atOne: number) => ({
      ...full(4),
      addresses: addresses * warps,
      serialLanes: atOne * warps,
    })
    expect(lineOf('atomics', 'one address')).toEqual({ globalAtomics: atomics(1, 32) })
    expect(lineOf('atomics', 'an address each')).toEqual({ globalAtomics: atomics(32, 1) })
    expect(lineOf('atomics', 'four lanes each')).toEqual({ globalAtomics: atomics(8, 4) })
    expect(lineOf('atomics', 'float atomics')).toEqual({ globalAtomics: atomics(8, 4) })
    expect(lineOf('atomics', 'shared atomics')).toEqual({ sharedAtomics: atomics(2, 16) })
  })

  it('of local arrays, parameters and constants are none', () => {
    const lines = namedLines(counts, 'variables', accesses)
    expect(lines.get('local')).toBeUndefined()
    expect(lines.get('constant')).toEqual({
      operations: { float32: 64, float64: 0, functionCalls: 0 },
    })
    expect(lines.get('device variable')?.globalLoads).toEqual({ ...of(2, 64, 256), sectors: 16 })
  })

  it('between warp operations are one request a step, over all launches', () => {
    expect(lineOf('steps', 'step').globalLoads).toEqual({
      ...of(10 * warps, 10 * lanes, 40 * lanes),
      sectors: 4 * 10 * warps,
    })
  })
})

describe('a kernel', () => {
  it('has its barriers, operations, launches and shared memory', async () => {
    const counts = await countCuda(workbench, accesses)
    expect(counts).toMatchObject({ launches: 11, missedAccesses: 0 })
    const kernel = (name: string) => counts.kernels.find((one) => one.kernel === name)
    expect(kernel('banks')).toMatchObject({
      staticShared: 32 * 64 * 4 + 64 * 8 + 64 * 16,
      total: { barriers: { warps, lanes } },
    })
    expect(kernel('steps')?.configurations).toEqual([
      { block: [64, 1, 1], dynamicShared: 0, launches: 2, blocks: 6 },
    ])
    const mathematics = namedLines(counts, 'mathematics', accesses)
    const operations = (name: string) => mathematics.get(name)?.operations
    const none = { float32: 0, float64: 0, functionCalls: 0 }
    expect(operations('in a function')).toEqual({ ...none, float32: 64 })
    expect(operations('two doubles')).toEqual({ ...none, float64: 128 })
    expect(operations('root and quotient')).toEqual({ ...none, float64: 128 })
    expect(operations('function')).toEqual({ ...none, functionCalls: 64 })
    expect(operations('fused')).toEqual({ ...none, float32: 128 })
    const widths = namedLines(counts, 'widths', accesses)
    expect(widths.get('three operations')?.operations).toEqual({ ...none, float32: 3 * lanes })
    expect(widths.get('a conversion')?.operations).toBeUndefined()
    // 128 + 64 operations of float, 256 of double; 64 floats read, 192 doubles written.
    expect(kernel('mathematics')?.arithmeticIntensity).toBe((192 + 256) / (256 + 1536))
    expect(kernel('copies')?.arithmeticIntensity).toBeNull()
  })

  it('that transposes shows what tiles and padding change', async () => {
    const counts = await countCuda(workbench, transposes)
    // 16 blocks of 8 warps, four rows each.
    const requests = 16 * 8 * 4
    const global = (sectors: number) => ({
      ...of(requests, 32 * requests, 128 * requests),
      sectors: sectors * requests,
    })
    const shared = (passes: number) => ({
      ...of(requests, 32 * requests, 128 * requests),
      wavefronts: passes * requests,
      leastWavefronts: requests,
    })
    const naive = namedLines(counts, 'naive', transposes)
    expect(naive.get('naive load')).toEqual({ globalLoads: global(4) })
    expect(naive.get('naive store')).toEqual({ globalStores: global(32) })
    for (const [name, passes] of [
      ['tiled<kTile>', 32],
      ['tiled<kTile + 1>', 1],
    ] as const) {
      const tiled = namedLines(counts, name, transposes)
      expect(tiled.get('tiled load')).toEqual({ globalLoads: global(4) })
      expect(tiled.get('tile store')).toEqual({ sharedStores: shared(1) })
      expect(tiled.get('barrier')).toEqual({ barriers: { warps: 128, lanes: 4096 } })
      expect(tiled.get('tile load')).toEqual({ sharedLoads: shared(passes) })
      expect(tiled.get('tiled store')).toEqual({ globalStores: global(4) })
    }
  })
})

it('a warp that never comes together is counted up to a limit, which is said', async () => {
  const source = path.join(cache.home, 'long.cu')
  fs.writeFileSync(
    source,
    `#include <cuda_runtime.h>
__global__ void run(const float* in, float* out) {
  float sum = 0;
  for (int k = 0; k < 600000; ++k) sum += in[k % 256];
  *out = sum;
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 1024);
  cudaMalloc(&out, 4);
  cudaMemset(in, 0, 1024);
  run<<<1, 1>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
`,
  )
  const counts = await countCuda(workbench, source)
  // The loads beyond 2^19, and the store behind them.
  expect(counts.missedAccesses).toBe(600_000 - 2 ** 19 + 1)
  expect(counts.kernels[0]?.total.globalLoads?.requests).toBe(2 ** 19)
  const { stderr } = await opsmith(cache, 'cuda', '--counts', source)
  expect(stderr).toContain('75,713 accesses are not counted')
})

describe('opsmith cuda --counts', () => {
  it('prints a table of lines, and says what counts follow', async () => {
    const { code, stdout, stderr } = await opsmith(cache, 'cuda', '--counts', transposes)
    expect(stdout).toBe('')
    expect(stderr).toContain('Counts are for the code that clang generates.')
    expect(stderr).toContain('naive: 1 launch, 16 blocks of 32 x 8 x 1 threads')
    expect(stderr).toMatch(
      /transposes\.cu:15 +global store +512 +32\.0 +32\.0 sectors a request, 13 % of their bytes used/,
    )
    expect(stderr).toMatch(/transposes\.cu:32 +shared load +512 +32\.0 +32\.0-way bank conflicts/)
    expect(stderr).toMatch(/sm_80 100 % \(warps, blocks\)|sm_80 100 % \(warps\)/)
    expect(code).toBe(0)
  })

  it('prints JSON of the contract', async () => {
    const { code, stdout } = await opsmith(cache, 'cuda', '--counts', '--json', transposes)
    const counts = gpuCounts.parse(JSON.parse(stdout))
    expect(counts.kernels.map(({ kernel }) => kernel)).toEqual([
      'naive',
      'tiled<kTile>',
      'tiled<kTile + 1>',
    ])
    expect(code).toBe(0)
  })

  it('is not for checked runs, and not for programs without kernels', async () => {
    const both = await opsmith(cache, 'cuda', '--counts', '--check', transposes)
    expect(both.stderr).toContain('--check, --counts and --step cannot be used together')
    expect(both.code).toBe(2)
    const file = path.join(cache.home, 'nothing.cu')
    fs.writeFileSync(file, 'int main() { return 0; }\n')
    const { code, stderr } = await opsmith(cache, 'cuda', '--counts', file)
    expect(stderr).toContain('no kernel ran, so there are no counts')
    expect(code).toBe(1)
  })
})
