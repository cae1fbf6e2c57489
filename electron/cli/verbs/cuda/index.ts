import path from 'node:path'

import type { GpuCounts } from '../../../contract/gpu-counts'
import type { Result } from '../../../contract/outcome'
import type { GpuProgram } from '../../../engine/virtual-gpu/gpu-programs'
import type { Workbench } from '../../../engine/workbench'
import { exitCodes } from '../../exit-codes'
import { interruptSignal } from '../../interrupt'
import { isCleanReport, printKernelReport } from '../../kernel-report'
import { flag, text, texts } from '../../options'
import type { OptionValues } from '../../options'
import { callerPath, describeDiagnostic, printError, printJson, progress } from '../../print'
import { defineVerb, refuse } from '../../verb'
import { countsText } from './counts-text'

const cudaOptions = {
  check: flag('check every access of kernels to memory; exit code 1 if something is found'),
  counts: flag(
    'count for each line: memory requests, sectors, bank conflicts, active lanes, operations',
  ),
  includePath: texts('<folders...>', 'look for included files in these folders, too'),
  define: texts('<names...>', 'define macros: NAME or NAME=VALUE'),
  link: texts('<names...>', 'link these libraries'),
  json: flag(
    'with --check or --counts: print the result as JSON to stdout, after the output of the program',
  ),
  seed: text('<number>', 'the order of blocks and warps; the same seed gives the same run'),
}

/** Part of each message about something that the virtual GPU does not have. */
const refusal = 'not supported on the virtual GPU'

/** What stands after `--` on the command line: the program's own arguments. */
function programArguments(): string[] {
  const separator = process.argv.indexOf('--')
  return separator < 0 ? [] : process.argv.slice(separator + 1)
}

/** The exit code is the program's own. */
async function runCuda(
  workbench: Workbench,
  first: string,
  { check, counts, includePath, define, link, json, seed }: OptionValues<typeof cudaOptions>,
  more: readonly string[],
): Promise<number> {
  if (check && counts)
    return refuse(
      '--check and --counts cannot be used together, because each needs another build. Run the command twice.',
      json,
    )
  const own = programArguments()
  const sources = [
    first,
    ...more.slice(0, more.length - own.length).map((file) => callerPath(file)),
  ]
  const program: GpuProgram = {
    sources,
    includeFolders: (includePath ?? []).map((folder) => callerPath(folder)),
    defines: define ?? [],
    libraries: link ?? [],
    isChecked: check,
    isCounted: counts,
  }
  const signal = interruptSignal()
  const built = await workbench.gpuPrograms.build(program, signal, progress)
  if (!built.ok) return printError(built.error, false)
  const { executable, diagnostics } = built.value
  if (executable === '') {
    const errors = diagnostics.filter(({ severity }) => severity === 'error')
    // What follows from a refusal is noise.
    const refused = errors.filter(({ message }) => message.includes(refusal))
    for (const one of refused.length > 0 ? refused : errors) progress(describeDiagnostic(one))
    progress(
      refused.length > 0
        ? `opsmith: refused: ${path.basename(first)} uses what the virtual GPU does not support`
        : `opsmith: ${path.basename(first)} does not compile for the virtual GPU`,
    )
    return exitCodes.noAnswer
  }
  const environment = seed === undefined ? {} : { OPSMITH_GPU_SEED: seed }
  const result = await workbench.gpuPrograms.run({
    executable,
    programArguments: own,
    environment,
    signal,
    folder: callerPath('.'),
    isChecked: check,
    isCounted: counts,
  })
  const { exitCode, report } = result
  if (result.counts) return printCounts(result.counts, exitCode, json)
  if (!report) return exitCode
  if (!report.ok) return printError(report.error, json)
  if (json) printJson({ ok: report.value.findings.length === 0, exitCode, ...report.value })
  else printKernelReport(report.value)
  return isCleanReport(report.value) ? exitCode : exitCodes.failed
}

function printCounts(counts: Result<GpuCounts>, exitCode: number, json: boolean): number {
  if (!counts.ok) return printError(counts.error, json)
  if (json) printJson({ exitCode, ...counts.value })
  else if (counts.value.launches === 0) progress('opsmith: no kernel ran, so nothing was counted')
  else for (const line of countsText(counts.value, process.cwd())) progress(line)
  return counts.value.launches === 0 ? exitCodes.failed : exitCode
}

export const verb = defineVerb({
  name: 'cuda',
  order: 19,
  description: 'compile a CUDA program, and run it on the virtual GPU: no GPU is needed',
  argument: { name: 'file', description: 'a .cu file with main', isOptional: false },
  moreArguments: {
    name: 'files',
    description: 'the other sources; after --, arguments of the program',
  },
  options: cudaOptions,
  makesProject: true,
  notes: [
    'Standard output and the exit code are those of the program; all that Opsmith says goes to stderr.\nExit code 2: the program does not compile, or uses something that the virtual GPU does not have.',
  ],
  run: runCuda,
})
