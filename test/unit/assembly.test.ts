import { describe, expect, it } from 'vitest'

import type { AssemblyReport } from '../../electron/contract/assembly'
import { withoutArchitectures } from '../../electron/engine/language/assembly/device-code'
import {
  holdsLambda,
  namedFunctions,
  withTitle,
} from '../../electron/engine/language/assembly/function-names'
import {
  deviceMix,
  resourcesOfKernel,
  machineMix,
} from '../../electron/engine/language/assembly/instruction-mix'
import { parsePtx, parseSass } from '../../electron/engine/language/assembly/parse-device-code'
import {
  parseDisassembly,
  parseFrames,
  parseSymbols,
  referenceOf,
} from '../../electron/engine/language/assembly/parse-disassembly'
import { placesOf } from '../../electron/engine/language/assembly/machine-code'
import { deviceRows, machineRows } from '../../electron/engine/language/assembly/rows'
import { coloursOf, sameFunction, shownRows } from '../../renderer/features/assembly/store'

const places = placesOf('/p', ['/p'])

/** binutils 2.40 and LLVM 19 of one loop. */
const gnu = `
/p/build/libcup.so:     file format elf64-x86-64


Disassembly of section .text:

0000000000009720 <scale(at::Tensor const&, double)+0x3c0>:
    9720:	movss  xmm0,DWORD PTR [rax]
    9724:	addss  xmm0,DWORD PTR [rcx+rsi*4]
    9729:	movss  DWORD PTR [rcx+rsi*4],xmm0
    9734:	jne    9724 <scale(at::Tensor const&, double)+0x3c4>
    9736:	call   9a30 <at::mm(at::Tensor const&, at::Tensor const&)@plt>
    973b:	movsd  QWORD PTR [rsp+0x68],xmm0
`
const llvm = `
0000000000009720 <scale(at::Tensor const&, double)+0x3c0>:
    9724:      	addss	xmm0, dword ptr [rcx + 4*rsi]
    9734:      	jne	0x9724 <scale(at::Tensor const&, double)+0x3c4>
`
/** llvm-symbolizer -a -f -C --inlines --output-style=GNU. */
const frames = `0x9720
at::Tensor::size(long) const
/torch/include/ATen/core/TensorBase.h:188
scale(at::Tensor const&, double)
./op.cpp:13
0x9724
scale(at::Tensor const&, double)
./op.cpp:14
0x9729
??
??:0
`

describe('a disassembly', () => {
  it('the output of either disassembler is read', () => {
    const [code] = parseDisassembly(gnu)
    expect(code?.instructions).toHaveLength(6)
    expect(code?.instructions[0]).toEqual({ address: 0x9720n, text: 'movss xmm0,DWORD PTR [rax]' })
    expect(parseDisassembly(llvm)[0]?.instructions.map(({ text }) => text)).toEqual([
      'addss xmm0, dword ptr [rcx + 4*rsi]',
      'jne 0x9724 <scale(at::Tensor const&, double)+0x3c4>',
    ])
    expect(referenceOf('jne 0x9724 <f+0x4>')).toEqual({
      before: 'jne ',
      address: 0x9724n,
      symbol: 'f+0x4',
    })
    expect(referenceOf('mov rax,rbx')).toBeUndefined()
  })

  it('a listing becomes rows with labels, lines of the project and inlined functions', () => {
    const [code] = parseDisassembly(gnu)
    const rows = machineRows(code!, parseFrames(frames), places)
    expect(rows.map(({ text }) => text)).toEqual([
      'movss xmm0,dword ptr [rax]',
      '.L1:',
      'addss xmm0,dword ptr [rcx+rsi*4]',
      'movss dword ptr [rcx+rsi*4],xmm0',
      'jne .L1',
      'call at::mm(at::Tensor const&, at::Tensor const&)@plt',
      'movsd qword ptr [rsp+0x68],xmm0',
    ])
    expect(rows[0]).toMatchObject({
      file: '/p/op.cpp',
      line: 13,
      inlined: 'at::Tensor::size(long) const, TensorBase.h:188',
    })
    expect(rows[2]).toMatchObject({ file: '/p/op.cpp', line: 14, inlined: '' })
    expect(rows[3]).toMatchObject({ file: '', line: 0, inlined: '' })
    expect(rows[4]).toMatchObject({ kind: 'instruction', target: 1 })
  })

  it('the functions are listed once each, with their sizes', () => {
    const symbols = `0000000000009360 0000000000000556 T scale(at::Tensor const&, double)
000000000001e680 000000000000003b t A::~A()
000000000001e680 000000000000003b t A::~A()
                 U at::mm
0000000000000010 0000000000000004 r table
`
    expect(parseSymbols(symbols)).toEqual([
      { address: 0x9360n, size: 0x556, name: 'scale(at::Tensor const&, double)' },
      { address: 0x1e680n, size: 0x3b, name: 'A::~A()' },
    ])
  })
})

describe('the instruction mix', () => {
  const count = (mix: { what: string; count: number }[], what: string): number =>
    mix.find((one) => one.what.startsWith(what))?.count ?? -1

  it('the mix separates packed from scalar instructions and gives the widest registers', () => {
    const mix = machineMix([
      'vfmadd231ps ymm0,ymm1,ymmword ptr [rax]',
      'mulpd xmm0,xmm1',
      'addss xmm0,xmm1',
      'movaps xmm0,xmm1',
      'shufps xmm0,xmm0,0x0',
      'cvtss2sd xmm0,xmm1',
      'paddd xmm0,xmm1',
      'call f',
      'jne .L1',
      'rep stosq',
      'lock add dword ptr [rax],0x1',
      'movsd qword ptr [rsp+0x68],xmm0',
      'mov rax,qword ptr [rsp+0x8]',
      'push rbp',
    ])
    expect(mix[0]).toEqual({ what: 'instructions', count: 14 })
    expect(mix[1]).toEqual({ what: 'packed floating point, up to 256 bits', count: 2 })
    expect(count(mix, 'scalar floating')).toBe(1)
    expect(count(mix, 'packed integer')).toBe(1)
    expect(count(mix, 'call')).toBe(1)
    expect(count(mix, 'store to the stack')).toBe(1)
    expect(count(mix, 'load from the stack')).toBe(1)
  })

  it('the mix separates the memory spaces of a GPU', () => {
    const mix = deviceMix([
      'ld.global.f32 %f1, [%rd5]',
      '@%p1 bra $L__BB0_2',
      'fma.rn.f32 %f2, %f1, %f1, %f3',
      'st.local.f32 [%rd1], %f2',
      'mov.u32 %r3, %ctaid.x',
      'bar.sync 0',
      'LDG.E R0, [R2.64]',
      '@P0 FFMA R1, R2, R3, R4',
      'STS [R0], R1',
    ])
    expect(mix.map((one) => one.count)).toEqual([9, 2, 2, 0, 1, 1, 1])
  })
})

/** nvcc 13.0 -ptx -lineinfo, shortened. */
const ptx = `.version 9.0
.target sm_90
.address_size 64
	// .globl	_ZN5force7squaresIfEEvPKT_PS1_i
.extern .func (.param .b32 r) vprintf(.param .b64 a);
.visible .entry _ZN5force7squaresIfEEvPKT_PS1_i(
	.param .u64 _ZN5force7squaresIfEEvPKT_PS1_i_param_0
)
{
	.reg .pred 	%p<2>;
	.loc	1 6 0
	ld.param.u64 	%rd1, [_ZN5force7squaresIfEEvPKT_PS1_i_param_0];
	.loc	1 8 3
	setp.ge.s32 	%p1, %r1, %r2;
	@%p1 bra 	$L__BB0_2;

	.loc	2 3 5, function_name $L__info_string0, inlined_at 1 9 5
	ld.global.f32 	%f1, [%rd5];
$L__BB0_2:
	.loc	1 11 1
	ret;

}

	.file	1 "/p/k.cu"
	.file	2 "/usr/include/square.h"
`

/** A chain of places, the innermost first, as nvdisasm -c -gi prints it. */
const sass = `	.section	.text._Z3addPf,"ax",@progbits
	.align	128
.text._Z3addPf:
	//## File "/usr/include/square.h", line 3 inlined at "/p/k.cu", line 9
	//## File "/p/k.cu", line 9
        /*0000*/                   MOV R1, c[0x0][0x28] ;
        /*0010*/              @P0 BRA \`(.L_x_1) ;
.L_x_1:
	//## File "/p/k.cu", line 11
        /*0020*/                   EXIT ;
	.section	.nv.info
        /*0030*/                   NOP ;
`

/** What nvdisasm 13.1 printed of a kernel that calls a function, shortened. */
const called = `	.target	sm_75

//--------------------- .text._Z3addPfi           --------------------------
	.section	.text._Z3addPfi,"ax",@progbits
	.sectioninfo	@"SHI_REGISTERS=15"
	.align	128
        .type           _Z3addPfi,@function
_Z3addPfi:
.text._Z3addPfi:
	//## File "/p/k.cu", line 8
        /*00a0*/                   LDG.E.SYS R9, [R2] ;
        /*00c0*/               @P0 EXIT ;
	//## File "/p/k.cu", line 9
        /*0160*/                   CALL.REL.NOINC \`($_Z3addPfi$_Z4slowf) ;
        /*01d0*/                   EXIT ;
        .type           $_Z3addPfi$_Z4slowf,@function
$_Z3addPfi$_Z4slowf:
	//## File "/p/k.cu", line 2
        /*0240*/              @!P0 BRA \`(.L_x_4) ;
.L_x_4:
        /*0280*/                   FMUL.FTZ R8, R11, R10 ;
`

/** The same kernel's beginning by cuobjdump -sass, which names no lines and no labels. */
const dumped = `
	code for sm_75
		Function : _Z3addPfi
	.headerflags	@"EF_CUDA_SM75 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM75)"
        /*00c0*/               @P0 EXIT ;                                         /* 0x000000000000094d */
                                                                                  /* 0x000fea0003800000 */
        /*00f0*/                   BSSY B1, 0x1c0 ;                               /* 0x000000c000017945 */
                                                                                  /* 0x000fe80003800000 */
        /*0150*/                   MOV R6, 0x170 ;                                /* 0x0000017000067802 */
                                                                                  /* 0x000fe40000000f00 */
        /*0170*/              @!P0 BRA 0xc0 ;                                     /* 0xffffff8000008947 */
                                                                                  /* 0x000fea000383ffff */
        /*01c0*/                   EXIT ;                                         /* 0x000000000000794d */
                                                                                  /* 0x000fea0003800000 */
        /*0200*/                   RET.REL.NODEC R20 0xc0 ;                       /* 0x0000000014007950 */
                                                                                  /* 0x000fea0003c3ffff */
        /*0210*/                   CALL.ABS.NOINC 0x0 ;                           /* 0x0000000000007943 */
                                                                                  /* 0x000fea0003c00000 */
`

const resources = `ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z3addPfi' for 'sm_75'
ptxas info    : Function properties for _Z3addPfi
    24 bytes stack frame, 20 bytes spill stores, 16 bytes spill loads
ptxas info    : Function properties for _Z4slowf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 15 registers, used 1 barriers, 128 bytes smem, 364 bytes cmem[0]
`

describe('code for a GPU', () => {
  it('PTX is read with its lines, without functions that are only declared', () => {
    const functions = parsePtx(ptx)
    expect(functions.map(({ symbol }) => symbol)).toEqual(['_ZN5force7squaresIfEEvPKT_PS1_i'])
    const rows = deviceRows(functions[0]!, places)
    const code = rows.filter(({ kind }) => kind === 'instruction')
    expect(code.map(({ line }) => line)).toEqual([6, 8, 8, 9, 11])
    expect(code[3]).toMatchObject({ file: '/p/k.cu', inlined: 'square.h:3' })
    expect(rows[code[2] ? rows.indexOf(code[2]) : -1]?.target).toBe(
      rows.findIndex(({ kind }) => kind === 'label'),
    )
    expect(rows.some(({ kind, text }) => kind === 'directive' && text.startsWith('.reg'))).toBe(
      true,
    )
  })

  it('SASS is read', () => {
    const [code, ...others] = parseSass(sass)
    expect(others).toEqual([])
    const rows = deviceRows(code!, places)
    expect(rows.map(({ kind, address, text, line }) => [kind, address, text, line])).toEqual([
      ['instruction', '0000', 'MOV R1, c[0x0][0x28]', 9],
      ['instruction', '0010', '@P0 BRA `(.L_x_1)', 9],
      ['label', '', '.L_x_1:', 0],
      ['instruction', '0020', 'EXIT', 11],
    ])
    expect(rows[0]?.inlined).toBe('square.h:3')
    expect(rows[1]?.target).toBe(2)
  })

  it('SASS is read with the functions that a kernel calls', () => {
    const rows = deviceRows(parseSass(called)[0]!, places)
    const at = (address: string): number => rows.findIndex((row) => row.address === address)
    expect(rows[rows[at('0160')]!.target]?.text).toBe('$_Z3addPfi$_Z4slowf:')
    expect(rows[rows[at('0240')]!.target]?.text).toBe('.L_x_4:')
    expect(rows.filter(({ line }) => line > 0).map(({ line }) => line)).toEqual([8, 8, 9, 9, 2, 2])
  })

  it('SASS without lines is read, and its jumps name addresses', () => {
    const [code, ...others] = parseSass(dumped)
    expect(others).toEqual([])
    const rows = deviceRows(code!, places).filter(({ kind }) => kind === 'instruction')
    expect(rows.map(({ address, target }) => [address, target])).toEqual([
      ['00c0', -1],
      ['00f0', 5],
      ['0150', -1],
      ['0170', 1],
      ['01c0', -1],
      ['0200', -1],
      ['0210', -1],
    ])
  })

  it("each kernel's resources are read from the output of ptxas", () => {
    const said = resourcesOfKernel(resources)
    expect(said.get('_Z3addPfi')).toEqual([
      { what: 'bytes spilled', count: 20 },
      { what: 'registers', count: 15 },
      { what: 'bytes of static shared memory', count: 128 },
    ])
    expect(said.get('_Z4slowf')).toEqual([{ what: 'bytes spilled', count: 0 }])
  })

  it('GPU code is listed for one architecture', () => {
    expect(
      withoutArchitectures([
        '-O2',
        '-gencode',
        'arch=compute_80,code=sm_80',
        '-arch=sm_90',
        '-I',
        '.',
      ]),
    ).toEqual({ args: ['-O2', '-I', '.'], first: '80' })
  })
})

describe('functions of a listing', () => {
  const lambda =
    'at::internal::parallel_region<at::parallel_for<scale(at::Tensor const&, double)::$_0>(long, long, long, scale(at::Tensor const&, double)::$_0 const&)::{lambda(long, long)#1}>::run(void*)'
  const functions = [
    {
      name: '(anonymous namespace)::scale(at::Tensor const&, double)',
      id: '10',
      file: '/p/op.cpp',
      line: 7,
      size: 8,
    },
    { name: lambda, id: '20', file: '/p/op.cpp', line: 17, size: 8 },
    {
      name: 'void force::squares<float>(float const*, float*, int)',
      id: '_Z',
      file: '/p/k.cu',
      line: 6,
      size: 0,
    },
  ].map(withTitle)

  it('functions have readable titles', () => {
    expect(holdsLambda(lambda)).toBe(true)
    expect(functions.map(({ title }) => title)).toEqual([
      'scale',
      'lambda of scale in at::internal::parallel_region',
      'force::squares<float>',
    ])
  })

  it('a function is found by its id, its name and the last part of its name', () => {
    const lines = (name: string): number[] =>
      namedFunctions(functions, name).map(({ line }) => line)
    expect(lines('20')).toEqual([17])
    expect(lines('scale')).toEqual([7])
    expect(lines('squares')).toEqual([6])
    expect(lines('nothing')).toEqual([])
  })

  it('a function is found in the next build by its name, then by its line', () => {
    const [first] = functions
    const moved = [
      { ...first!, id: '30', line: 90 },
      { ...first!, id: '40', line: 9 },
    ]
    expect(sameFunction(moved, first!)?.id).toBe('40')
    expect(sameFunction([], first!)).toBeUndefined()
  })

  it('lines are coloured, neighbours differently, and the rows can be filtered', () => {
    const row = { address: '', text: 'x', file: '/p/op.cpp', inlined: '', target: -1 }
    const report: AssemblyReport = {
      form: 'machine',
      function: functions[0]!,
      mix: [],
      architecture: '',
      tool: '',
      meanings: {},
      loops: [],
      rows: [
        { ...row, kind: 'instruction', line: 9 },
        { ...row, kind: 'label', line: 0 },
        { ...row, kind: 'directive', line: 0 },
        { ...row, kind: 'instruction', line: 8 },
      ],
    }
    expect([...coloursOf(report)]).toEqual([
      ['/p/op.cpp:8', 0],
      ['/p/op.cpp:9', 1],
    ])
    const all = { addresses: true, directives: true, labels: true, inlined: true }
    expect(shownRows(report, all)).toHaveLength(4)
    expect(shownRows(report, { ...all, labels: false, directives: false })).toHaveLength(2)
  })
})
