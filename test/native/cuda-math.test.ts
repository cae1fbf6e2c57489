import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { root } from '../support/installation'

// The virtual GPU compiles with clang alone.
const clang = ['clang++-19', 'clang++'].find((name) => spawnSync(name, ['--version']).status === 0)
const include = path.join(root, 'native/virtual_gpu/include')
const sources = path.join(import.meta.dirname, 'fixtures/cuda_math')

/** Each program lists its sections when it is called without one. */
const programs = {
  math: [
    'conversions',
    'double arithmetic',
    'dynamic programming',
    'float arithmetic',
    'functions',
    'integers',
    'lanes',
    'types',
  ],
  half: [
    'bfloat16 arithmetic',
    'bfloat16 comparisons',
    'bfloat16 conversions',
    'bfloat16 functions',
    'bfloat16 integers',
    'fp8 e4m3',
    'fp8 e5m2',
    'fp8 types',
    'half arithmetic',
    'half comparisons',
    'half conversions',
    'half functions',
    'half integers',
    'half types',
  ],
}

describe.skipIf(!clang)('the mathematics of the virtual GPU', () => {
  let folder: string

  const program = (name: string, build: string): string => path.join(folder, `${name}-${build}`)
  const compile = (source: string, output: string, flags: string[]): void => {
    const warnings = ['-Wall', '-Wextra', '-Werror']
    execFileSync(clang!, [...flags, ...warnings, `-I${include}`, source, '-o', output])
  }
  const runSection = (name: string, build: string, section: string): string => {
    const result = spawnSync(program(name, build), [section], { encoding: 'utf8' })
    return result.status === null ? `ended by ${result.signal}` : result.stdout
  }

  beforeAll(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-cuda-math-'))
    for (const name of Object.keys(programs)) {
      const source = path.join(sources, `${name}.cpp`)
      compile(source, program(name, 'optimized'), ['-std=gnu++20', '-O2'])
      compile(source, program(name, 'plain'), ['-std=gnu++17', '-O0'])
    }
  })
  afterAll(() => fs.rmSync(folder, { recursive: true }))

  for (const [name, sections] of Object.entries(programs)) {
    it(`has a test for each section of ${name}.cpp`, () => {
      const listed = spawnSync(program(name, 'optimized'), { encoding: 'utf8' }).stdout
      expect(listed.trim().split('\n')).toEqual(sections)
    })
    it.each(sections)(`${name}.cpp: %s`, (section) => {
      expect(runSection(name, 'optimized', section)).toMatch(/^[1-9]\d* checked, 0 failed\n$/)
    })
  }

  // A compiler that optimizes may move arithmetic past a change of the rounding mode: both are run.
  it.each(['float arithmetic', 'double arithmetic', 'conversions'])(
    'rounds the same without optimization: %s',
    (section) => {
      expect(runSection('math', 'plain', section)).toMatch(/^[1-9]\d* checked, 0 failed\n$/)
    },
  )

  it('leaves out what macros switch off', () => {
    const source = path.join(folder, 'switched-off.cpp')
    const uses = (text: string): void => {
      fs.writeFileSync(source, `#include "cuda_bf16.h"\n${text}\n`)
    }
    const fails = (...flags: string[]): boolean =>
      spawnSync(clang!, ['-std=gnu++20', '-fsyntax-only', ...flags, `-I${include}`, source])
        .status !== 0
    uses('__half add(__half a, __half b) { return a + b; }')
    const off = ['-D__CUDA_NO_HALF_OPERATORS__', '-D__CUDA_NO_HALF_CONVERSIONS__']
    expect(fails()).toBe(false)
    expect(fails(...off)).toBe(true)
    uses('__nv_bfloat16 of(float x) { return x; }')
    expect(fails(...off)).toBe(false)
    expect(fails('-D__CUDA_NO_BFLOAT16_CONVERSIONS__')).toBe(true)
    uses('__half2 add(__half2 a, __half2 b) { return a + b; }')
    expect(fails(...off)).toBe(false)
    expect(fails('-D__CUDA_NO_HALF2_OPERATORS__')).toBe(true)
  })
})
