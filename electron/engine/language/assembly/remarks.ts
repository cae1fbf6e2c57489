import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import type { OptimizationRemark } from '../../../contract/assembly'
import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import type { BuildPlan } from '../../compile/plan'
import { demangled } from './demangle'
import type { Places } from './rows'
import { compileTo, tasksOf } from './with-flags'

/** Passes whose remarks lead to a faster kernel; the others say something of nearly every line. */
const passes = {
  done: 'loop-vectorize|slp-vectorizer|loop-unroll|loop-idiom|loop-delete',
  missed: 'loop-vectorize|inline|licm|loop-distribute',
  analysis: 'loop-vectorize|loop-distribute',
}
const flags = [
  `-Rpass=^(${passes.done})$`,
  `-Rpass-missed=^(${passes.missed})$`,
  `-Rpass-analysis=^(${passes.analysis})$`,
  '-fno-caret-diagnostics',
  '-fno-color-diagnostics',
]

const remarkLine =
  /^(.+?):(\d+):(\d+): remark: (.*) \[-R(pass|pass-missed|pass-analysis)=([\w-]+)\]$/
/** What clang adds that the line says already, and its pointers to options of its own. */
const noise = / \(use -Rpass[^)]*\)| at callsite [^;]*;|;$| into '[^']*'/g
/** Of calls of other libraries, which cannot be inlined, and of what runs once, when the library is loaded. */
const isNoise =
  /because its definition is unavailable|because it should never be inlined|into '(__cxx_global|_GLOBAL__sub|_ZL?\d+TORCH_LIBRARY)/

/** clang's remarks on the project's files, by line, each once. */
export function parseRemarks(text: string, places: Places): OptimizationRemark[] {
  const found = new Map<string, OptimizationRemark>()
  for (const line of text.split('\n')) {
    const match = remarkLine.exec(line)
    const file = match && places.absolute(match[1] ?? '')
    if (!match || file === null || !places.isOwn(file) || isNoise.test(line)) continue
    const message = (match[4] ?? '').replace(noise, '').trim()
    const remark: OptimizationRemark = {
      file,
      line: Number(match[2]),
      column: Number(match[3]),
      kind: match[5] === 'pass' ? 'done' : 'missed',
      pass: match[6] ?? '',
      message,
    }
    const key = `${file}:${remark.line}:${message}`
    if (!found.has(key)) found.set(key, remark)
  }
  const remarks = [...found.values()]
  // "loop not vectorized" alone, where another remark says why.
  const says = ({ file, line, pass }: OptimizationRemark, before: string): boolean =>
    remarks.some(
      (one) =>
        one.file === file &&
        one.line === line &&
        one.pass === pass &&
        one.message !== before &&
        one.message.startsWith(before),
    )
  return remarks
    .filter((one) => one.message !== 'loop not vectorized' || !says(one, one.message))
    .sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column)
}

/** Compiles a source once more, its object thrown away, and reads what clang says of the project's lines. */
export async function remarksOf(
  plan: BuildPlan,
  file: string,
  { folder, places, signal }: { folder: string; places: Places; signal: AbortSignal | undefined },
): Promise<Result<OptimizationRemark[]>> {
  const { compiler } = plan.tools.toolchain
  if (compiler.family !== 'clang') {
    return err(
      'toolchain.mismatch',
      'This project is built with g++, but optimization remarks come from clang.',
      {
        hint: 'Choose clang in Doctor, or with "toolchain" in opsmith.json.',
      },
    )
  }
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), `opsmith-assembly-${process.pid}-`))
  try {
    let said = ''
    for (const task of tasksOf(plan, folder, file)) {
      const object = path.join(scratch, 'remarks.o')
      const made = await compileTo(task, { folder, object, flags, signal })
      if (!made.ok) return made
      said += made.value
    }
    const remarks = parseRemarks(said, places)
    const messages = await demangled(remarks.map(({ message }) => message))
    return ok(
      remarks.map((remark, index) => ({ ...remark, message: messages[index] ?? remark.message })),
    )
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}
