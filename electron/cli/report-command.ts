import { readManifest } from '../engine/project/read-manifest'
import type { Workbench } from '../engine/workbench'
import { buildAloud } from './build-command'
import { exitCodes } from './exit-codes'
import { describeDiagnostic, printError } from './print'
import { makeCalls, printCall } from './run-command'
import { loadTimeout, printSchemas } from './schemas-command'

/** All that exists so far, on one project, for people: what `npm start -- --headless` prints. */
export async function runReportCommand(
  workbench: Workbench,
  project: string,
  options: { json: boolean },
): Promise<number> {
  const heading = (text: string): void => {
    process.stdout.write(`\n${text}\n${'-'.repeat(text.length)}\n`)
  }
  const manifest = await readManifest(project)
  if (!manifest.ok) return printError(manifest.error, options.json)
  process.stdout.write(`${manifest.value.name}: ${manifest.value.description ?? project}\n`)

  heading('Build')
  const build = await buildAloud(workbench, project)
  if (!build.ok) return printError(build.error, options.json)
  const { value } = build
  if (!value.ok) {
    for (const diagnostic of value.diagnostics)
      process.stdout.write(`${describeDiagnostic(diagnostic)}\n`)
    process.stdout.write('The build failed.\n')
    return exitCodes.failed
  }
  process.stdout.write(
    `${value.library}\n${value.addon}\nin ${value.seconds.toFixed(2)} s, ${value.compiler}, libtorch ${value.libtorch}\n`,
  )

  heading('Schemas')
  const load = await workbench.load(project, { timeout: loadTimeout })
  if (!load.ok) return printError(load.error, options.json)
  printSchemas(load.value)

  heading('Program')
  const functions = await workbench.programFunctions(project)
  if (!functions.ok) return printError(functions.error, options.json)
  for (const item of functions.value) process.stdout.write(`${item.schema}\n`)
  if (functions.value.length === 0)
    process.stdout.write('The project has no TorchScript program.\n')

  heading('Run')
  const outcomes = await makeCalls(workbench, project, manifest.value)
  outcomes.forEach(printCall)
  const bad = outcomes.filter((outcome) => !outcome.ok).length
  process.stdout.write(`\n${outcomes.length - bad} of ${outcomes.length} calls are good.\n`)
  return bad === 0 ? exitCodes.good : exitCodes.failed
}
