import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

// One program for all: each line that a test names ends with its name.
const source = `#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum Color { red, green };
struct Pair {
  short index;
  double value;
};

__forceinline__ __device__ float scaled(float value, int lane) {
  float factor = 0.5f * lane;  // factor
  return value * factor;       // return
}

__global__ void reduce(const float* in, float* out, __nv_bfloat16 small) {
  __shared__ float tile[2][32];
  extern __shared__ int dynamic[];
  float* flat = &tile[0][0];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  Pair pair{static_cast<short>(-1 - threadIdx.x), in[i]};
  __half half_value = __float2half(pair.value / 4);
  Color color = i % 2 == 0 ? red : green;
  const float three[3] = {1, in[i], 3};
  dynamic[threadIdx.x] = i;       // types
  flat[threadIdx.x] = in[i];      // store
  __syncthreads();                // barrier
  for (int stride = 32; stride > 0; stride /= 2) {  // loop
    if (threadIdx.x < stride)
      flat[threadIdx.x] += flat[threadIdx.x + stride];  // sum
    __syncthreads();
  }
  float mine = scaled(flat[0], threadIdx.x);  // call
  if (threadIdx.x % 2 == 0) {  // if
    mine = 1;                  // then
    mine *= 2;
  }
  out[i] = mine;                   // join
  flat[threadIdx.x / 2] = out[i];  // race
  out[i] += __half2float(half_value) + three[1] + color + float(small) + dynamic[0];
}

__shared__ int of_file[8];
extern __shared__ int dynamic_of_file[];

__global__ void divided(int* out) {
  of_file[threadIdx.x] = threadIdx.x;
  dynamic_of_file[threadIdx.x] = 10 + threadIdx.x;
  int steps = 0;
  if (threadIdx.x == 3)
    steps = of_file[3];  // one lane
  steps += 1;            // after it
  out[threadIdx.x] = steps;
}

__global__ void faulty(int* out) {
  out[threadIdx.x] = 1;    // before the fault
  if (threadIdx.x == 5)
    *reinterpret_cast<int*>(8) = 1;  // fault
}

__global__ void stuck(int* out) {
  if (threadIdx.x < 8)
    __syncthreads();  // first barrier
  else
    __shfl_sync(0xffffffff, *out, 0);  // shuffle
  *out = 1;  // never
}

int main(int arguments, char**) {
  const int n = 128;
  float* in;
  float* out;
  cudaMallocManaged(&in, n * sizeof(float));  // allocation
  cudaMalloc(&out, n * sizeof(float));
  for (int i = 0; i < n; ++i) in[i] = i;
  reduce<<<2, 64, 64 * sizeof(int)>>>(in, out, __float2bfloat16(1.5f));
  std::printf("%s\\n", cudaGetErrorString(cudaDeviceSynchronize()));
  divided<<<1, 8, 8 * sizeof(int)>>>(reinterpret_cast<int*>(out));
  if (arguments > 1) {
    faulty<<<1, 8>>>(reinterpret_cast<int*>(out));
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 4;
  }
  stuck<<<1, 16>>>(reinterpret_cast<int*>(out));
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 3;
}
`
const lines = source.split('\n')
const lineOf = (name: string): number => lines.findIndex((line) => line.endsWith(`// ${name}`)) + 1

let cache: TestCache
let file: string

beforeAll(() => {
  cache = makeTestCache()
  file = path.join(cache.home, 'steps.cu')
  fs.writeFileSync(file, source)
})
afterAll(() => {
  cache.remove()
})

interface Outcome {
  code: number
  stdout: string
  stderr: string
}

/** Runs `opsmith cuda --step` with commands on stdin. */
async function step(at: string, commands: readonly string[], ...more: string[]): Promise<Outcome> {
  return await new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [path.join(root, 'dist/cli.cjs'), 'cuda', file, '--step', at, ...more],
      { env: { ...process.env, ...cache.environment, OPSMITH_CALLER_FOLDER: cache.home } },
      (_error, stdout, stderr) => {
        resolve({ code: child.exitCode ?? -1, stdout, stderr })
      },
    )
    child.stdin?.end(`${commands.join('\n')}\n`)
  })
}

/** A table of lanes: each row by the names of its columns. */
function rowsOf(text: string): Record<string, string>[] {
  const all = text.split('\n')
  const head = all.findIndex((line) => line.includes('lane') && line.includes('thread'))
  const cells = (line: string): string[] => line.trim().split(/ {2,}/)
  const names = cells(all[head] ?? '')
  return all
    .slice(head + 1, head + 33)
    .map((line) => Object.fromEntries(cells(line).map((cell, index) => [names[index], cell])))
}

describe('opsmith cuda --step', () => {
  it('stops all threads of the block at a line, with variables of each type', async () => {
    const { code, stdout, stderr } = await step(
      `steps.cu:${lineOf('types')}`,
      ['lanes 1', 'step', 'shared', 'quit'],
      '--block',
      '1',
    )
    expect(code, stderr).toBe(0)
    expect(stdout).toContain(`steps.cu:${lineOf('types')} in reduce, block (1,0,0), launch 1`)
    expect(stdout).toContain('64 threads stopped')
    expect(stdout).toContain(`float* in = [0] of 128 (steps.cu:${lineOf('allocation')})`)
    expect(stdout).toContain('__nv_bfloat16 small = 1.5')
    expect(stdout).toContain('float[2][32] tile\n')
    expect(stdout).not.toContain('mine')
    // Lane 3 of warp 1 is thread 35, and its element is 64 + 35.
    expect(rowsOf(stdout)[3]).toMatchObject({
      lane: '3',
      thread: '(35,0,0)',
      state: 'here',
      i: '99',
      pair: '{index=-36, value=99}',
      half_value: '24.75',
      color: 'green',
      three: '{1, 99, 3}',
    })
    // After the step, dynamic shared memory has been written.
    expect(stdout).toMatch(/int dynamic\[64\]\n +\[0\] +64 +65 +66/)
    expect(stdout).not.toContain('no error')
  })

  it('goes past barriers, into calls and through branches as lanes of a GPU do', async () => {
    const { code, stdout, stderr } = await step(`${file}:${lineOf('store')}`, [
      'next barrier',
      `to ${lineOf('sum')}`,
      'step',
      'shared',
      `to ${lineOf('call')}`,
      'step',
      'step',
      'lanes',
      `to ${lineOf('if')}`,
      'step',
      'step',
      'step',
      'step',
      'step',
      'shared',
      'continue',
      'continue',
    ])
    const stops = [
      ...stdout.matchAll(/steps\.cu:(\d+) in (?:reduce|stuck), .*\n.*\n((?: {2}\d.*\n)+)/g),
    ]
    const at = stops.map(([, line]) => Number(line))
    const then = lineOf('then')
    expect(at, stdout + stderr).toEqual([
      lineOf('store'),
      lineOf('loop'),
      lineOf('sum'),
      lineOf('sum') + 1,
      lineOf('call'),
      lineOf('factor'),
      lineOf('return'),
      lineOf('if'),
      then,
      then + 1,
      lineOf('join'),
      lineOf('race'),
      lineOf('race') + 1,
    ])
    // Threads without this branch wait after it, and do not go on to the barrier.
    expect(stops[2]?.[2]).toContain(
      `32 threads waiting for their turn at steps.cu:${lineOf('sum') + 1}`,
    )
    expect(stops[2]?.[2]).toContain(`32 threads stopped at steps.cu:${lineOf('sum')}`)
    // One half is in the branch, the other waits after it; then all are together again.
    expect(stops[9]?.[2]).toContain(
      `32 threads waiting for their turn at steps.cu:${lineOf('join')}`,
    )
    expect(stops[10]?.[2]).toContain(`64 threads stopped at steps.cu:${lineOf('join')}`)
    // In the called function: its variables and its caller's.
    expect(rowsOf(stdout)[4]).toMatchObject({ lane: '4', i: '4', factor: '2' })
    expect(stdout).toMatch(/float tile\[2\]\[32\]\n +\[0\] +32 +34 +36/)
    expect(stdout).toMatch(
      new RegExp(
        `race on tile\\[0\\]\\[(\\d+)\\]: thread \\d+ writes at steps.cu:${lineOf('race')}, thread \\d+ writes at steps.cu:${lineOf('race')}, .*128 bytes`,
      ),
    )
    // The line is not reached again: the program goes on, until the other kernel deadlocks.
    expect(stderr).toContain('block (0, 0, 0) of reduce ended')
    expect(stdout).toContain('no error')
    expect(stdout).toContain('Deadlock: no thread of stuck, block (0,0,0), can continue.')
    expect(stdout).toContain(
      `8 threads waiting for the barrier at steps.cu:${lineOf('first barrier')}`,
    )
    expect(stdout).toContain(
      `8 threads waiting for the warp operation at steps.cu:${lineOf('shuffle')}`,
    )
    expect(code).toBe(3)
  })

  it('at a line of one lane, the others have not passed the branch; variables of the file are shown', async () => {
    const { code, stdout, stderr } = await step(`steps.cu:${lineOf('one lane')}`, [
      'shared',
      `to ${lineOf('after it')}`,
      'quit',
    ])
    expect(code, stderr).toBe(0)
    expect(stdout).toContain(`1 thread stopped at steps.cu:${lineOf('one lane')}`)
    expect(stdout).toContain(`7 threads waiting for their turn at steps.cu:${lineOf('after it')}`)
    expect(stdout).toContain(`8 threads stopped at steps.cu:${lineOf('after it')}`)
    expect(stdout).toMatch(/int of_file\[8\]\n +\[0\] +0 +1 +2 +3/)
    expect(stdout).toMatch(/int dynamic_of_file\[8\]\n +\[0\] +10 +11 +12 +13/)
  })

  it('stops at a fault, with what happened, and then the launch fails', async () => {
    const { code, stdout, stderr } = await step(
      `steps.cu:${lineOf('before the fault')}`,
      ['continue', 'lanes', 'continue'],
      '--',
      'fault',
    )
    expect(stdout, stderr).toContain(`steps.cu:${lineOf('fault')} in faulty`)
    expect(stdout).toContain(
      '  Fault: a kernel accessed memory that does not exist: 0x8. The launch ends here.',
    )
    expect(stdout).toContain(`1 thread stopped at steps.cu:${lineOf('fault')}`)
    expect(rowsOf(stdout)[5]).toMatchObject({ lane: '5', state: 'here' })
    expect(code).toBe(4)
  })

  it('says that no thread came to a line', async () => {
    const { code, stderr } = await step(`steps.cu:${lineOf('store')}`, [], '--block', '7')
    expect(stderr).toContain('no thread of block (7, 0, 0) reached steps.cu')
    expect(code).not.toBe(0)
  })
})
