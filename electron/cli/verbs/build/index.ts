import { exitCodes } from '../../exit-codes'
import { buildAloud, buildJson, loadTimeout, sayBuild, sayPrecompiling } from '../../building'
import { interruptSignal } from '../../interrupt'
import { flag, jsonFlag, optionalText, text } from '../../options'
import type { OptionValues } from '../../options'
import { callerPath, printError, printJson, printLines, progress } from '../../print'
import { defineVerb, projectArgument } from '../../verb'
import type { Workbench } from '../../../engine/workbench'
import { timeTraceJson, timeTraceText, writeTrace } from './time-trace-text'

const buildOptions = {
  cudaArch: text(
    '<list>',
    'compile kernels for these architectures, such as 80,90a, instead of for the GPUs of this machine',
  ),
  sanitize: flag(
    'build with ASan and UBSan, into the cache; the library of the project does not change',
  ),
  timeTrace: optionalText(
    '[file]',
    'compile everything again and show where the time goes; with a file, also write a trace for ui.perfetto.dev to the file',
  ),
  verbose: flag('show the full compiler output for shortened errors, and list all kernels'),
  json: jsonFlag,
}

async function runBuild(
  workbench: Workbench,
  project: string,
  options: OptionValues<typeof buildOptions>,
): Promise<number> {
  const { json, sanitize, verbose } = options
  const traced = options.timeTrace !== undefined
  const printed = { showsKernels: true, verbose }
  const cudaArchitectures = options.cudaArch?.split(',') ?? []
  const build = sanitize
    ? await sayBuild(
        (callbacks) =>
          workbench.sanitizedRuns.build(project, {
            ...callbacks,
            signal: interruptSignal(),
            onOutput: sayPrecompiling,
          }),
        printed,
      )
    : await buildAloud(
        workbench,
        project,
        { timeTrace: traced, cudaArchitectures, withNvcc: true },
        printed,
      )
  if (!build.ok) return printError(build.error, json)
  const { ok: isGood, timeTrace } = build.value
  // Loading is the last part of what one waits for.
  const load =
    traced && isGood && !sanitize
      ? await workbench.libraries.load(project, { timeout: loadTimeout })
      : undefined
  const loadSeconds = load?.ok ? load.value.seconds : undefined
  if (timeTrace && typeof options.timeTrace === 'string') {
    const file = callerPath(options.timeTrace)
    const written = await writeTrace(file, timeTrace, loadSeconds)
    if (!written.ok) return printError(written.error, json)
    progress(`${file}: open it with ui.perfetto.dev or chrome://tracing`)
  }
  if (json) {
    printJson({
      ...buildJson(build.value),
      ...(timeTrace ? { timeTrace: timeTraceJson(timeTrace, loadSeconds) } : {}),
    })
  } else if (isGood) {
    // The sanitizers' variant stays in the cache: what lies in the project is what is timed.
    process.stdout.write(`${sanitize ? build.value.loadPath : build.value.library}\n`)
    if (timeTrace) printLines(timeTraceText(timeTrace, loadSeconds))
    progress(
      `built in ${build.value.seconds.toFixed(2)} s with ${build.value.compiler}, libtorch ${build.value.libtorch}`,
    )
  } else progress('the build failed')
  return isGood ? exitCodes.good : exitCodes.failed
}

export const verb = defineVerb({
  name: 'build',
  order: 1,
  description: 'compile the project into lib<name>.so and <name>.node',
  argument: projectArgument,
  options: buildOptions,
  run: runBuild,
})
