/**
 * Floating-point operations of a program: its machine code, as a disassembler prints it, times how
 * often threads ran each piece. Counted builds have no vector instructions of the compiler's own.
 */
import { findAllOnPath, findOnPath } from '../toolchain/find-on-path'
import { runProcess } from '../toolchain/run-command'

/** One instruction, as often as it counts. */
export interface Operation {
  /** In the module. */
  offset: number
  float32: number
  float64: number
  functionCalls: number
}

/** What clang calls where a straight piece of code begins. */
const guard = '__sanitizer_cov_trace_pc_guard'
const mathFunction =
  /^(?:a?(?:cos|sin|tan)h?|atan2|exp[2m]?1?|exp10|log(?:2|10|1p|b)?|pow|cbrt|hypot|erfc?|[tl]gamma|fmod|remainder|sincos|j[01n]|y[01n])f?$/

interface Instruction {
  offset: number
  name: string
  operands: string
}

/** Pieces of code, by the offset of the instruction after the call that begins each. */
export class MachineCode {
  private readonly pieces = new Map<number, Instruction[]>()

  /** @param listing of `objdump -d --no-show-raw-insn`, GNU's or LLVM's */
  constructor(listing: string) {
    let piece: Instruction[] | undefined
    let begins = false
    for (const line of listing.split('\n')) {
      const found = /^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$/.exec(line)
      if (!found) {
        // The name of the next function.
        if (/^[0-9a-f]+ <.*>:$/.test(line)) piece = undefined
        continue
      }
      const [, address = '0', name = '', operands = ''] = found
      const one = { offset: Number.parseInt(address, 16), name, operands }
      if (begins) {
        piece = []
        this.pieces.set(one.offset, piece)
        begins = false
      }
      if (isCall(one) && operands.includes(`<${guard}`)) {
        piece = undefined
        begins = true
      } else if (piece) {
        piece.push(one)
        if (/^(?:jmp|ret|b$|br$)/.test(name)) piece = undefined
      }
    }
  }

  /** What counts in the piece of code that begins at the offset. */
  operations(offset: number): Operation[] {
    return (this.pieces.get(offset) ?? []).flatMap((one) => {
      const counted = operationOf(one)
      return counted ? [{ offset: one.offset, ...counted }] : []
    })
  }
}

const isCall = ({ name }: Instruction): boolean => /^(?:callq?|bl)$/.test(name)

function operationOf(one: Instruction): Omit<Operation, 'offset'> | undefined {
  const none = { float32: 0, float64: 0, functionCalls: 0 }
  if (isCall(one)) {
    const called = /<([\w.]+)(?:@plt)?>/.exec(one.operands)?.[1] ?? ''
    if (called === 'fmaf') return { ...none, float32: 2 }
    if (called === 'fma') return { ...none, float64: 2 }
    return mathFunction.test(called) ? { ...none, functionCalls: 1 } : undefined
  }
  // x86-64: mulss, vaddsd, vfmadd213ss. AArch64: fadd s0, s1, s2.
  const x86 = /^v?(?:(fn?m(?:add|sub)\d{3})|add|sub|mul|div|sqrt|min|max)s([sd])$/.exec(one.name)
  const arm =
    /^f(?:(n?m(?:add|sub))|add|sub|n?mul|div|sqrt|min(?:nm)?|max(?:nm)?)$/.exec(one.name) &&
    /^([sd])\d/.exec(one.operands)
  if (!x86 && !arm) return undefined
  const isFused = x86 ? x86[1] !== undefined : /^fn?m(?:add|sub)$/.test(one.name)
  const isDouble = (x86?.[2] ?? arm?.[1]) === 'd'
  const count = isFused ? 2 : 1
  return isDouble ? { ...none, float64: count } : { ...none, float32: count }
}

/** Undefined where no disassembler is, it does not read the file, or its output is too long. */
export async function disassemble(module: string): Promise<MachineCode | undefined> {
  const tool =
    findOnPath('objdump') ??
    findOnPath('llvm-objdump') ??
    findAllOnPath(/^llvm-objdump-\d+$/).at(-1)
  if (tool === undefined) return undefined
  const result = await runProcess(tool, ['-d', '--no-show-raw-insn', module], {
    limits: { seconds: 60, outputBytes: 256 << 20, memoryBytes: 0 },
  })
  return result.exitCode === 0 && !result.truncated ? new MachineCode(result.stdout) : undefined
}
