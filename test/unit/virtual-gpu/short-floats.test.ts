import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { expect, it } from 'vitest'

import { agreesWithDeviceServer } from '../../../electron/engine/compile/virtual-gpu/device-header'
import { gpuSourcesOf } from '../../../electron/engine/compile/virtual-gpu/gpu-sources'
import {
  agreesWithShortFloats,
  needsShortFloats,
} from '../../../electron/engine/compile/virtual-gpu/short-floats'

const torch = '#include <torch/extension.h>\n'
const operators = '#undef __CUDA_NO_HALF_OPERATORS__\n#include <cuda_fp16.h>\n'

it.each([
  ['a source of libtorch', [torch], true, true],
  ['one that includes the header as well', [`${torch}#include <cuda_fp16.h>\n`], true, true],
  ['one whose header includes libtorch', ['__half x;', '# include "ATen/ATen.h"\n'], true, true],
  ['one with a half in a namespace', [`${torch}namespace my { struct half {}; }`], true, true],
  ['one that changes what the headers declare', [operators + torch], false, false],
  ['one without libtorch', ['__host__ __device__ int f();\nint half = 2;'], false, true],
  ['one with macros of libtorch alone', ['#include <c10/macros/Macros.h>\n'], false, true],
  ['one with a type of its own', ['struct half { float value; };'], false, false],
  ['one with an alias of its own', ['using nv_bfloat16 = unsigned short;'], false, false],
  ['one with a typedef of its own', ['typedef struct { int x; } half2;'], false, false],
  ['one with a macro of its own', ['#define half float\n'], false, false],
])('%s', (_, texts, needs, agrees) => {
  expect(needsShortFloats(texts)).toBe(needs)
  expect(agreesWithShortFloats(texts)).toBe(agrees)
})

it('a source of libtorch begins with the headers, and another one does not', () => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-test-'))
  const texts = { 'a.cu': torch, 'b.cu': 'int b;\n' }
  const sources = Object.entries(texts).map(([relative, text]) => {
    const file = path.join(home, relative)
    fs.writeFileSync(file, text)
    return { relative, file, text }
  })
  try {
    const begun = [...gpuSourcesOf(path.join(home, 'cache'), home, sources, [home]).values()]
    const has = begun.map(({ text }) => ['fp16', 'bf16'].map((part) => text.includes(part)))
    expect(has).toEqual([
      [true, true],
      [false, false],
    ])
  } finally {
    fs.rmSync(home, { recursive: true })
  }
})

it.each([
  ['-DCUDA_NO_HALF', false],
  ['-D__CUDA_NO_BFLOAT16_OPERATORS__', false],
  ['-D__CUDA_NO_HALF_OPERATORS__', true],
  ['-DTHREADS=64', true],
])('a compile server takes device code with %s: %s', (flag, taken) => {
  expect(agreesWithDeviceServer('/root', [flag])).toBe(taken)
})
