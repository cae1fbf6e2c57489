import { describe, expect, it } from 'vitest'

import { instructionName } from '../../electron/contract/assembly'
import type { AssemblyRow } from '../../electron/contract/assembly'
import { counterpart, pairRows } from '../../electron/engine/language/assembly/compare'
import { meaningsOf } from '../../electron/engine/language/assembly/instruction-meanings'
import { innermostLoops } from '../../electron/engine/language/assembly/loops'
import { placesOf } from '../../electron/engine/language/assembly/machine-code'
import { parseRemarks } from '../../electron/engine/language/assembly/remarks'

const places = placesOf('/p', ['/p'])

function rowsOf(texts: readonly string[]): AssemblyRow[] {
  return texts.map((text) => {
    const kind = text.endsWith(':') ? 'label' : 'instruction'
    const label = /\.L\d+$/.exec(text)?.[0]
    const target = label === undefined ? -1 : texts.indexOf(`${label}:`)
    return { kind, address: '', text, file: '/p/op.cpp', line: 3, inlined: '', target }
  })
}

describe('two versions of a function next to each other', () => {
  it('rows that differ in labels, distances and PTX registers alone are the same', () => {
    const now = rowsOf([
      '.L1:',
      'movss xmm0,dword ptr [rip+0x10]  # x',
      'jne .L1',
      'add.f32 %f1, %f2, %f3',
    ])
    const other = rowsOf([
      '.L7:',
      'movss xmm0,dword ptr [rip+0xff]',
      'jne .L7',
      'add.f32 %f9, %f8, %f7',
    ])
    expect(pairRows(now, other).map(({ same }) => same)).toEqual([true, true, true, true])
  })

  it('what came and what went is next to each other, and the longer side goes on alone', () => {
    const now = rowsOf(['push rbp', 'vmulps ymm0,ymm0,ymm1', 'vzeroupper', 'ret'])
    const other = rowsOf(['push rbp', 'mulps xmm0,xmm1', 'ret'])
    expect(pairRows(now, other)).toEqual([
      { base: 0, other: 0, same: true },
      { base: 1, other: 1, same: false },
      { base: 2, other: -1, same: false },
      { base: 3, other: 2, same: true },
    ])
  })

  it('the counterpart of a function has its name and is nearest; none is an error that says why', () => {
    const one = { id: '1', name: 'f(int)', title: 'f', file: '/p/op.cpp', line: 3, size: 8 }
    const far = { ...one, id: '2', line: 90 }
    expect(counterpart([far, { ...one, id: '3', line: 5 }], one, '-O3')).toMatchObject({
      value: { id: '3' },
    })
    expect(counterpart([{ ...one, name: 'g(int)' }], one, '-O3')).toMatchObject({
      ok: false,
      error: { message: 'The other version (-O3) has no function f.' },
    })
  })
})

describe('the loops of a function', () => {
  it('innermost loops are found with the line of most of their instructions', () => {
    const rows = rowsOf([
      '.L1:',
      'inc rax',
      '.L2:',
      'addss xmm0,xmm1',
      'jne .L2',
      'cmp rax,rbx',
      'jne .L1',
    ])
    rows[1]!.line = 9
    expect(innermostLoops(rows)).toEqual([
      { first: 2, last: 4, file: '/p/op.cpp', line: 3, instructions: 2 },
    ])
  })
})

describe('what instructions do', () => {
  it('x86, PTX and SASS are explained by their names, and unknown ones are left out', () => {
    expect(
      meaningsOf('machine', ['vaddps ymm0,ymm0,ymm1', 'lock xadd [rax],ecx', 'frob eax']),
    ).toEqual({
      vaddps: 'Add Packed Single-Precision Floating-Point Values',
      'lock xadd': 'Exchange and Add, atomically',
    })
    expect(
      meaningsOf('ptx', ['@%p1 bra $L1', 'ld.global.nc.f32 %f1, [%rd1]', 'frob.f32 %f1']),
    ).toEqual({
      bra: 'Jump to a label',
      'ld.global.nc.f32': 'Load from global memory through the read-only cache, as __ldg() does',
    })
    expect(meaningsOf('sass', ['@P0 FFMA R1, R2, R3, R4', 'FROB R1'])).toEqual({
      FFMA: 'Multiply and add floats, rounded once',
    })
    expect(instructionName('data16 cs nop word ptr [rax]')).toBe('data16 cs nop')
  })
})

describe("clang's remarks", () => {
  it('remarks on lines of the project are kept once each, those without a way out are left out', () => {
    const said = `./op.cpp:20:3: remark: loop not vectorized: value that could not be identified as reduction [-Rpass-analysis=loop-vectorize]
op.cpp:20:3: remark: loop not vectorized [-Rpass-missed=loop-vectorize]
op.cpp:24:5: remark: vectorized loop (vectorization width: 4, interleaved count: 2) [-Rpass=loop-vectorize]
op.cpp:24:5: remark: vectorized loop (vectorization width: 4, interleaved count: 2) [-Rpass=loop-vectorize]
op.cpp:9:5: remark: 'f' not inlined into 'g' because too costly to inline (cost=405, threshold=325) [-Rpass-missed=inline]
op.cpp:9:9: remark: 'h' will not be inlined into 'g' because its definition is unavailable [-Rpass-missed=inline]
/torch/include/ATen.h:1:1: remark: vectorized loop (vectorization width: 4, interleaved count: 2) [-Rpass=loop-vectorize]
op.cpp:30:1: warning: unused variable 'x' [-Wunused-variable]
`
    expect(
      parseRemarks(said, places).map(({ line, kind, message }) => [line, kind, message]),
    ).toEqual([
      [9, 'missed', "'f' not inlined because too costly to inline (cost=405, threshold=325)"],
      [20, 'missed', 'loop not vectorized: value that could not be identified as reduction'],
      [24, 'done', 'vectorized loop (vectorization width: 4, interleaved count: 2)'],
    ])
  })
})
