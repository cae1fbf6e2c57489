/** What the checks of kernels found, as text and as an exit code. */
import path from 'node:path'

import type { GpuReport, GpuThread, SourcePlace } from '../contract/gpu-findings'
import type { Workbench } from '../engine/workbench'
import { exitCodes } from './exit-codes'
import { progress } from './print'

const threadText = ({ block, thread }: GpuThread): string =>
  `block (${block.join(', ')}), thread (${thread.join(', ')})`

function placeText({ file, line }: SourcePlace): string {
  if (file === '') return 'unknown place'
  const relative = path.relative(process.cwd(), file)
  return `${relative.startsWith('..') ? file : relative}:${line}`
}

/** Prints findings to stderr: stdout is the program's own, or the verb's answer. */
export function printKernelReport({ launches, accesses, findings }: GpuReport): void {
  for (const one of findings) {
    const times = one.count > 1 ? ` (${one.count} times)` : ''
    progress(`${placeText(one.place)}: ${one.check}: ${one.message}${times}`)
    if (one.thread)
      progress(`  in ${one.kernel === '' ? 'a kernel' : one.kernel}, ${threadText(one.thread)}`)
    if (one.other) {
      const by = one.other.thread ? `, ${threadText(one.other.thread)}` : ''
      progress(`  ${one.other.what}: ${placeText(one.other)}${by}`)
    }
    if (one.allocated) progress(`  allocated: ${placeText(one.allocated)}`)
    progress(`  → ${one.remedy}`)
  }
  const counted = `${launches} launches and ${accesses} accesses to memory checked`
  if (launches === 0) progress('opsmith: no kernel ran, so nothing was checked')
  else if (findings.length === 0) progress(`opsmith: no findings; ${counted}`)
  else
    progress(`opsmith: ${findings.length} finding${findings.length === 1 ? '' : 's'}; ${counted}`)
}

/** Nothing that was checked is no pass. */
export const isCleanReport = ({ launches, findings }: GpuReport): boolean =>
  findings.length === 0 && launches > 0

/** Prints what the kernels of a verb with --check-kernels did; the exit code of both together comes back. */
export async function endKernelChecks(workbench: Workbench, exitCode: number): Promise<number> {
  if (!workbench.projects.checksKernels) return exitCode
  const report = await workbench.kernelChecks.all()
  printKernelReport(report)
  return exitCode === exitCodes.good && !isCleanReport(report) ? exitCodes.failed : exitCode
}

/** The same for --json: a field of the answer; none where kernels are not checked. */
export async function kernelReportJson(workbench: Workbench): Promise<{ kernels?: GpuReport }> {
  return workbench.projects.checksKernels ? { kernels: await workbench.kernelChecks.all() } : {}
}
