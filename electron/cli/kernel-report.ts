/** What the checks of kernels found, as text and as an exit code. */
import path from 'node:path'

import type { GpuFinding, GpuReport, GpuThread, SourcePlace } from '../contract/gpu-findings'
import type { Workbench } from '../engine/workbench'
import { exitCodes } from './exit-codes'
import type { Suite } from './junit-xml'
import { progress } from './print'

const threadText = ({ block, thread }: GpuThread): string =>
  `block (${block.join(', ')}), thread (${thread.join(', ')})`

function placeText({ file, line }: SourcePlace): string {
  if (file === '') return 'unknown place'
  const relative = path.relative(process.cwd(), file)
  return `${relative.startsWith('..') ? file : relative}:${line}`
}

const counting = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? '' : 'es'}`

/** A kernel's mistake, who made it, and what to do, a sentence a line. */
export function findingLines(one: GpuFinding): string[] {
  const times = one.count > 1 ? ` (${one.count} times)` : ''
  const lines = [`${placeText(one.place)}: ${one.check}: ${one.message}${times}`]
  if (one.thread)
    lines.push(`  in ${one.kernel === '' ? 'a kernel' : one.kernel}, ${threadText(one.thread)}`)
  if (one.other) {
    const by = one.other.thread ? `, ${threadText(one.other.thread)}` : ''
    lines.push(`  ${one.other.what}: ${placeText(one.other)}${by}`)
  }
  if (one.allocated) lines.push(`  allocated: ${placeText(one.allocated)}`)
  return [...lines, `  → ${one.remedy}`]
}

/** Prints findings to stderr: stdout is the program's own, or the verb's answer. */
export function printKernelReport({ launches, accesses, findings }: GpuReport): void {
  for (const line of findings.flatMap(findingLines)) progress(line)
  const counted = `${counting(launches, 'launch')} and ${counting(accesses, 'access')} to memory checked`
  if (launches === 0 && findings.length === 0)
    progress(
      'opsmith: no kernel ran, so nothing was checked. Check that your code launches a CUDA kernel.',
    )
  else if (findings.length === 0) progress(`opsmith: no findings; ${counted}`)
  else
    progress(`opsmith: ${findings.length} finding${findings.length === 1 ? '' : 's'}; ${counted}`)
}

/** Nothing that was checked is no pass. */
export const isCleanReport = ({ launches, findings }: GpuReport): boolean =>
  findings.length === 0 && launches > 0

const isChecked = ({ projects }: Workbench): boolean => projects.kernelVariant === 'checked'

/** Prints what the kernels of a verb with --check-kernels did; the exit code of both together comes back. */
export async function endKernelChecks(workbench: Workbench, exitCode: number): Promise<number> {
  if (!isChecked(workbench)) return exitCode
  const report = await workbench.kernelChecks.all()
  printKernelReport(report)
  return exitCode === exitCodes.good && !isCleanReport(report) ? exitCodes.failed : exitCode
}

/** The same for --json: a field of the answer; none where kernels are not checked. */
export async function kernelReportJson(workbench: Workbench): Promise<{ kernels?: GpuReport }> {
  return isChecked(workbench) ? { kernels: await workbench.kernelChecks.all() } : {}
}

/** The same for JUnit: a suite with a case for each finding, or one case; none where kernels are not checked. */
export async function kernelReportSuites(workbench: Workbench): Promise<Suite[]> {
  if (!isChecked(workbench)) return []
  const { launches, findings } = await workbench.kernelChecks.all()
  const output = findings.flatMap(findingLines).join('\n')
  const name = 'kernel checks'
  const passed = { name: 'no findings', seconds: 0, kind: 'passed' as const, message: '', text: '' }
  if (launches === 0 && findings.length === 0) {
    const message =
      'No kernel ran, so nothing was checked. Check that your code launches a CUDA kernel.'
    return [{ name, cases: [{ ...passed, kind: 'failure', message }], output }]
  }
  if (findings.length === 0) return [{ name, cases: [passed], output }]
  const cases = findings.map((one) => ({
    name: `${one.check} at ${placeText(one.place)}`,
    seconds: 0,
    kind: 'failure' as const,
    message: one.message,
    text: findingLines(one).join('\n'),
  }))
  return [{ name, cases, output }]
}
