import { z } from 'zod'

import type {
  AssemblyLoop,
  AssemblyReport,
  AssemblyRow,
  LoopEstimate,
  RowRange,
} from '../../../contract/assembly'
import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { findAllOnPath, findOnPath } from '../../toolchain/find-on-path'
import { probeLimits, runProcess } from '../../toolchain/run-command'

/** How many times llvm-mca runs the loop: enough that its first iteration does not count. */
const iterations = 100

/** Innermost loops of machine code: from the target of a jump backwards to that jump. */
export function innermostLoops(rows: readonly AssemblyRow[]): AssemblyLoop[] {
  const lastOf = new Map<number, number>()
  rows.forEach(({ kind, target }, index) => {
    if (kind === 'instruction' && target >= 0 && target < index) lastOf.set(target, index)
  })
  const loops = [...lastOf].map(([first, last]) => ({ first, last }))
  const holds = (outer: RowRange, inner: RowRange): boolean =>
    outer !== inner && outer.first <= inner.first && inner.last <= outer.last
  return loops
    .filter((loop) => !loops.some((other) => holds(loop, other)))
    .sort((a, b) => a.first - b.first)
    .map((loop) => ({ ...loop, ...describe(rows.slice(loop.first, loop.last + 1)) }))
}

function describe(rows: readonly AssemblyRow[]): Omit<AssemblyLoop, 'first' | 'last'> {
  const instructions = rows.filter(({ kind }) => kind === 'instruction')
  const counts = new Map<string, { row: AssemblyRow; count: number }>()
  for (const row of instructions) {
    if (row.line === 0) continue
    const place = `${row.file}:${row.line}`
    const before = counts.get(place)
    counts.set(place, { row, count: (before?.count ?? 0) + 1 })
  }
  const [most] = [...counts.values()].sort((a, b) => b.count - a.count)
  const { file = '', line = 0 } = most?.row ?? {}
  return { file, line, instructions: instructions.length }
}

/** A row as llvm-mca reads it; undefined for what fills space, which processors skip. */
function assembled({ text, target }: AssemblyRow): string | undefined {
  if (/^(?:(?:data16|cs|ds|rex\.W) )*(?:nop|xchg ax,ax)\b/.test(text)) return undefined
  const plain = text.replace(/\s*#.*$/, '')
  if (plain.startsWith('call')) return 'call elsewhere'
  // A jump out of the function has a C++ name, which is no operand.
  if (/^j\w+ /.test(plain) && target < 0) return plain.replace(/ .*$/, ' elsewhere')
  return plain
}

const answer = z.object({
  CodeRegions: z
    .array(
      z.object({
        Instructions: z.array(z.string()),
        InstructionInfoView: z.object({
          InstructionList: z.array(
            z.object({ Instruction: z.number(), Latency: z.number(), RThroughput: z.number() }),
          ),
        }),
        SummaryView: z.object({
          BlockRThroughput: z.number(),
          IPC: z.number(),
          Iterations: z.number(),
          TotalCycles: z.number(),
        }),
      }),
    )
    .min(1),
  TargetInfo: z.object({ CPUName: z.string() }),
})

function warningsOf(said: string): string[] {
  const warnings: string[] = []
  if (said.includes('found a call')) {
    warnings.push(
      'The loop calls a function. llvm-mca does not know how long the call takes, so it assumes 100 cycles.',
    )
  }
  const unread = [...said.matchAll(/error: invalid .*\n(.*)\n/g)].map((match) => match[1] ?? '')
  const unknown = [...said.matchAll(/^note: instruction:\s*(.*)$/gm)].map((match) => match[1] ?? '')
  const left = [...new Set([...unread, ...unknown].map((text) => text.trim().split(/\s/)[0] ?? ''))]
  if (left.length > 0)
    warnings.push(
      `llvm-mca does not know these instructions and left them out: ${left.join(', ')}. The real loop may take longer than the estimate.`,
    )
  return warnings
}

function findMca(): string | undefined {
  return findAllOnPath(/^llvm-mca-\d+$/).at(-1) ?? findOnPath('llvm-mca')
}

/** What llvm-mca says of one of the report's loops, for the processor of this machine. */
export async function estimateLoop(
  report: AssemblyReport,
  loop: RowRange,
): Promise<Result<LoopEstimate>> {
  if (report.form !== 'machine' || report.architecture !== 'x86-64') {
    return err(
      'request.invalid',
      'Opsmith estimates the cycles of a loop only in x86-64 machine code.',
      {
        path: 'loop',
      },
    )
  }
  const tool = findMca()
  if (tool === undefined) {
    return err(
      'toolchain.missing',
      'Opsmith needs llvm-mca to estimate the cycles of a loop, but llvm-mca is not installed.',
      {
        hint: 'Install LLVM: apt-get install llvm-19 (Debian, Ubuntu), dnf install llvm, pacman -S llvm.',
      },
    )
  }
  const { rows } = report
  const wanted: number[] = []
  const lines = ['.intel_syntax noprefix']
  for (let row = loop.first; row <= loop.last; row += 1) {
    const one = rows[row]
    if (one?.kind === 'label') lines.push(one.text)
    const text = one?.kind === 'instruction' ? assembled(one) : undefined
    if (text === undefined) continue
    wanted.push(row)
    lines.push(text)
  }
  const asked = await runProcess(
    tool,
    [
      '-mtriple=x86_64-unknown-unknown',
      '-mcpu=native',
      `-iterations=${iterations}`,
      '-skip-unsupported-instructions=any',
      '-json',
    ],
    { input: `${lines.join('\n')}\n`, limits: probeLimits },
  )
  const failed = (): Result<never> =>
    err('toolchain.mismatch', `${tool} cannot estimate the cycles of this loop.`, {
      detail: (asked.stderr + asked.stdout).slice(-4000),
    })
  if (asked.exitCode !== 0) return failed()
  let json: unknown
  try {
    json = JSON.parse(asked.stdout.slice(asked.stdout.indexOf('{')))
  } catch {
    return failed()
  }
  const read = answer.safeParse(json)
  const region = read.data?.CodeRegions[0]
  if (!read.success || !region) return failed()
  const { SummaryView: summary, InstructionInfoView: view, Instructions: known } = region
  return ok({
    first: loop.first,
    last: loop.last,
    processor: read.data.TargetInfo.CPUName,
    cycles: summary.TotalCycles / summary.Iterations,
    instructionsPerCycle: summary.IPC,
    withoutWaiting: summary.BlockRThroughput,
    // Where one was left out, it is not known whose the others are.
    rows:
      known.length === wanted.length
        ? view.InstructionList.flatMap(({ Instruction: index, Latency, RThroughput }) => {
            const row = wanted[index]
            return row === undefined ? [] : [{ row, latency: Latency, throughput: RThroughput }]
          })
        : [],
    warnings: warningsOf(asked.stderr),
  })
}
