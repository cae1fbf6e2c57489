import { describe, expect, it } from 'vitest'

import { MachineCode } from '../../../electron/engine/virtual-gpu/machine-operations'

/** objdump -d --no-show-raw-insn of GNU, x86-64. */
const x86 = `
0000000000001200 <kernel(float*)>:
    1200:	push   %rbp
    1201:	lea    0x2e00(%rip),%rdi        # 4008 <__start___sancov_guards+0x8>
    1208:	call   1030 <__sanitizer_cov_trace_pc_guard@plt>
    120d:	movss  (%rbx),%xmm0
    1211:	mulss  %xmm0,%xmm1
    1215:	addsd  %xmm0,%xmm1
    1219:	sqrtss %xmm1,%xmm1
    121d:	vfmadd213ss %xmm0,%xmm1,%xmm2
    1222:	call   1040 <expf@plt>
    1227:	call   1050 <fmaf@plt>
    122c:	call   1060 <__tsan_write4@plt>
    1231:	ucomiss %xmm0,%xmm1
    1234:	jne    1240 <kernel(float*)+0x40>
    1236:	divss  %xmm0,%xmm1
    123a:	lea    0x2e00(%rip),%rdi
    123b:	call   1030 <__sanitizer_cov_trace_pc_guard@plt>
    1240:	subss  %xmm0,%xmm1
    1244:	jmp    1250 <kernel(float*)+0x50>
    1246:	addss  %xmm0,%xmm1

0000000000001250 <other()>:
    1250:	addss  %xmm0,%xmm1
`
/** llvm-objdump, AArch64. */
const arm = `
0000000000001200 <kernel(float*)>:
    1200:      	bl	0x1030 <__sanitizer_cov_trace_pc_guard@plt>
    1204:      	fmul	s0, s0, s1
    1208:      	fmadd	d0, d0, d1, d2
    120c:      	fnmul	s0, s0, s1
    1210:      	fmov	s0, #1.00000000
    1214:      	add	w0, w0, #1
    1218:      	bl	0x1040 <pow@plt>
    121c:      	b	0x1250 <kernel(float*)+0x50>
    1220:      	fadd	s0, s0, s1
`

describe('operations of a piece of code', () => {
  const seen = (code: MachineCode, offset: number) =>
    code.operations(offset).map((one) => [one.offset, one.float32, one.float64, one.functionCalls])

  it('are those up to the next piece, each at its address', () => {
    const code = new MachineCode(x86)
    expect(seen(code, 0x120d)).toEqual([
      [0x1211, 1, 0, 0],
      [0x1215, 0, 1, 0],
      [0x1219, 1, 0, 0],
      [0x121d, 2, 0, 0],
      [0x1222, 0, 0, 1],
      [0x1227, 2, 0, 0],
      [0x1236, 1, 0, 0],
    ])
  })

  it('end where the code goes elsewhere', () => {
    expect(seen(new MachineCode(x86), 0x1240)).toEqual([[0x1240, 1, 0, 0]])
    expect(seen(new MachineCode(x86), 0x1250)).toEqual([])
  })

  it('are read for AArch64, too', () => {
    expect(seen(new MachineCode(arm), 0x1204)).toEqual([
      [0x1204, 1, 0, 0],
      [0x1208, 0, 2, 0],
      [0x120c, 1, 0, 0],
      [0x1218, 0, 0, 1],
    ])
  })
})
