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
import { stepNotes } from '../../step-commands'
import { defineVerb, refuse } from '../../verb'
import { countsText } from '../../counts-text'
import { stepProgram } from './step-program'

const cudaOptions = {
  check: flag('check every memory access of kernels; exit code 1 if there is a finding'),
  counts: flag(
    'count for each line: memory requests, sectors, bank conflicts, active lanes, operations',
  ),
  includePath: texts('<folders...>', 'also look for included files in these folders'),
  define: texts('<names...>', 'define macros: NAME or NAME=VALUE'),
  link: texts('<names...>', 'link these libraries'),
  json: flag(
    'with --check or --counts: print the result as JSON to stdout, after the output of the program',
  ),
  step: text(
    '<file:line>',
    'stop the threads of a block at this line, then step through the kernel by commands from stdin',
  ),
  block: text('<x,y,z>', 'with --step: the thread block to step through (default: 0,0,0)'),
  seed: text(
    '<number>',
    'seed for the order of blocks and warps; the same seed gives the same order',
  ),
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
  { check, counts, step, block, ...others }: OptionValues<typeof cudaOptions>,
  more: readonly string[],
): Promise<number> {
  const { includePath, define, link, json, seed } = others
  if ([check, counts, step !== undefined].filter(Boolean).length > 1)
    return refuse(
      '--check, --counts and --step cannot be used together, because each needs a different build. Run the command once for each option.',
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
    isStepped: step !== undefined,
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
        ? 'opsmith: refused: the program uses a feature that the virtual GPU does not support'
        : 'opsmith: the program does not compile for the virtual GPU',
    )
    return exitCodes.noAnswer
  }
  const environment = seed === undefined ? {} : { OPSMITH_GPU_SEED: seed }
  const run = {
    ...program,
    executable,
    programArguments: own,
    environment,
    signal,
    folder: callerPath('.'),
  }
  if (step !== undefined) return await stepProgram(workbench, run, { step, block })
  const result = await workbench.gpuPrograms.run(run)
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
  else if (counts.value.launches === 0)
    progress(
      'opsmith: no kernel ran, so there are no counts. Check that the program launches a kernel.',
    )
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
  readsInput: ({ step }) => step !== undefined,
  notes: [
    'The program writes to stdout, and its exit code becomes the exit code of opsmith. Opsmith writes its messages to stderr.\nExit code 2: the program does not compile, or uses a feature that the virtual GPU does not support.',
    stepNotes,
  ],
  run: runCuda,
})
