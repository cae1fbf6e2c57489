import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { gpuReport } from '../../electron/contract/gpu-findings'
import { opsmith } from '../support/command-line'
import { casesIn, cudaCases } from '../support/cuda-programs'
import { makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

let cache: TestCache

beforeAll(() => {
  cache = makeTestCache()
})
afterAll(() => {
  cache.remove()
})

function writeProgram(name: string, text: string): string {
  const file = path.join(cache.home, name)
  fs.writeFileSync(file, text)
  return file
}

describe('opsmith cuda', () => {
  it('passes arguments, output and the exit code of the program on', async () => {
    const file = writeProgram(
      'echo.cu',
      `#include <cstdio>
__global__ void twice(int* value) { *value *= 2; }
int main(int count, char** arguments) {
  int* value;
  cudaMallocManaged(&value, sizeof(int));
  *value = count;
  twice<<<1, 1>>>(value);
  cudaDeviceSynchronize();
  std::printf("%s %d\\n", arguments[1], *value);
  cudaFree(value);
  return 7;
}
`,
    )
    const { code, stdout } = await opsmith(cache, 'cuda', file, '--', '--check', 'two')
    expect(stdout).toBe('--check 6\n')
    expect(code).toBe(7)
  })

  it('compiles several files, with folders for headers and macros', async () => {
    const headers = path.join(cache.home, 'headers')
    fs.mkdirSync(headers)
    fs.writeFileSync(path.join(headers, 'add.cuh'), '__global__ void add(int* to);\n')
    const main = writeProgram(
      'main.cu',
      `#include <add.cuh>
int main() {
  int* value;
  cudaMallocManaged(&value, sizeof(int));
  *value = 1;
  add<<<1, 32>>>(value);
  cudaDeviceSynchronize();
  const int result = *value;
  cudaFree(value);
  return result == 1 + 32 * STEP ? 0 : 1;
}
`,
    )
    const kernels = writeProgram(
      'kernels.cu',
      '#include <add.cuh>\n__global__ void add(int* to) { atomicAdd(to, STEP); }\n',
    )
    const { code, stderr } = await opsmith(
      cache,
      'cuda',
      main,
      kernels,
      '--include-path',
      headers,
      '--define',
      'STEP=3',
    )
    expect(stderr).not.toContain('error')
    expect(code).toBe(0)
  })

  it('shows findings with their lines, and ends with 1', async () => {
    const file = path.join(cudaCases, 'defects/out_of_bounds_stencil_left.cu')
    const { code, stderr } = await opsmith(cache, 'cuda', '--check', file)
    expect(stderr).toMatch(
      /out_of_bounds_stencil_left\.cu:18: out-of-bounds: A kernel reads 4 bytes at byte -4 of an allocation of 12000 bytes\./,
    )
    expect(stderr).toContain('in blur3, block (0, 0, 0), thread (0, 0, 0)')
    expect(stderr).toContain('1 finding;')
    expect(code).toBe(1)
  })

  it('prints findings as JSON after the output of the program', async () => {
    const file = path.join(cudaCases, 'defects/missing_syncwarp_reduction.cu')
    const { code, stdout } = await opsmith(cache, 'cuda', '--check', '--json', file)
    const report = gpuReport.parse(JSON.parse(stdout.slice(stdout.indexOf('{\n'))))
    expect(report.findings.map(({ check }) => check)).toContain('missing-syncwarp')
    expect(code).toBe(1)
  })

  it('calls a checked run in which no kernel ran a failure', async () => {
    const file = writeProgram('nothing.cu', 'int main() { return 0; }\n')
    const { code, stderr } = await opsmith(cache, 'cuda', '--check', file)
    expect(stderr).toContain('no kernel ran, so nothing was checked')
    expect(code).toBe(1)
  })

  it('compiles after a fresh checkout, which gives our headers other times', async () => {
    const program = (value: number): string =>
      writeProgram('value.cu', `#include <cstdio>\nint main() { std::puts("${value}"); }\n`)
    await opsmith(cache, 'cuda', program(1))
    const header = path.join(root, 'native', 'virtual_gpu', 'include', 'assert.h')
    const { atime, mtime } = fs.statSync(header)
    fs.utimesSync(header, atime, new Date(mtime.getTime() - 86_400_000))
    try {
      const { stdout, stderr } = await opsmith(cache, 'cuda', program(2))
      expect(stderr).not.toContain('error')
      expect(stdout).toBe('2\n')
    } finally {
      fs.utimesSync(header, atime, mtime)
    }
  })

  it('gives the same run for the same seed', async () => {
    const file = writeProgram(
      'order.cu',
      `#include <cstdio>
__global__ void note(int* order, int* next) { order[atomicAdd(next, 1)] = blockIdx.x; }
int main() {
  int *order, *next;
  cudaMallocManaged(&order, 64 * sizeof(int));
  cudaMallocManaged(&next, sizeof(int));
  *next = 0;
  note<<<64, 1>>>(order, next);
  cudaDeviceSynchronize();
  for (int i = 0; i < 64; ++i) std::printf("%d ", order[i]);
}
`,
    )
    const orders = new Map<string, string>()
    for (const seed of ['3', '3', '4']) {
      const { stdout } = await opsmith(cache, 'cuda', file, '--seed', seed)
      if (orders.has(seed)) expect(stdout).toBe(orders.get(seed))
      orders.set(seed, stdout)
    }
    expect(orders.get('3')).not.toBe(orders.get('4'))
  })

  it.each(casesIn('refused'))('refuses %s by name, at its line', async (name) => {
    const file = path.join(cudaCases, 'refused', `${name}.cu`)
    const lines = fs.readFileSync(file, 'utf8').split('\n')
    const index = lines.findIndex((line) => line.includes('// refused: '))
    const words = lines[index]?.split('// refused: ')[1]?.trim() ?? 'missing'
    const { code, stderr } = await opsmith(cache, 'cuda', file)
    expect(stderr).toContain(words)
    expect(stderr).toContain('not supported on the virtual GPU')
    expect(stderr).toContain('refused: the program uses a feature')
    expect(code).toBe(2)
  })

  it('says which file does not exist', async () => {
    const { code, stderr } = await opsmith(cache, 'cuda', path.join(cache.home, 'absent.cu'))
    expect(stderr).toContain('absent.cu does not exist')
    expect(code).toBe(2)
  })

  it('shows errors of the compiler at the lines of the user', async () => {
    const file = writeProgram(
      'wrong.cu',
      '__global__ void k() {\n  undeclared = 1;\n}\nint main() {}\n',
    )
    const { code, stderr } = await opsmith(cache, 'cuda', file)
    expect(stderr).toContain("wrong.cu:2:3: error: use of undeclared identifier 'undeclared'")
    expect(stderr).toContain('the program does not compile for the virtual GPU')
    expect(code).toBe(2)
  })
})
