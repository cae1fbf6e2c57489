import type { LoadReport } from '../../contract/operators'
import type { Workbench } from '../../engine/workbench'
import { buildAloud, buildJson, loadTimeout } from '../building'
import { exitCodes } from '../exit-codes'
import { printError, printJson } from '../print'
import { jsonFlag } from '../options'
import type { OptionValues } from '../options'
import { defineVerb, projectArgument } from '../verb'

export function printSchemas(report: LoadReport): void {
  for (const operator of report.operators) {
    process.stdout.write(`${operator.schema}\n`)
    if (operator.doc !== '')
      process.stdout.write(`    ${operator.doc.trim().split('\n').join('\n    ')}\n`)
    for (const kernel of operator.kernels) {
      process.stdout.write(`    ${kernel.dispatchKey.padEnd(28)} ${kernel.file}:${kernel.line}\n`)
    }
  }
  for (const type of report.classes) {
    process.stdout.write(`class ${type.name}\n`)
    for (const method of type.methods) process.stdout.write(`    ${method.schema}\n`)
  }
}

const verbOptions = { json: jsonFlag }

async function runSchemas(
  workbench: Workbench,
  project: string,
  options: OptionValues<typeof verbOptions>,
): Promise<number> {
  const build = await buildAloud(workbench, project)
  if (!build.ok) return printError(build.error, options.json)
  if (!build.value.ok) {
    if (options.json) printJson({ operators: [], classes: [], build: buildJson(build.value) })
    return exitCodes.failed
  }
  const load = await workbench.libraries.load(project, { timeout: loadTimeout })
  if (!load.ok) return printError(load.error, options.json)
  if (options.json) {
    printJson({
      operators: load.value.operators.map(({ name, overload, schema, kernels, doc }) => ({
        name,
        overload,
        schema,
        doc,
        kernels,
      })),
      classes: load.value.classes,
    })
  } else printSchemas(load.value)
  return exitCodes.good
}

export const verb = defineVerb({
  name: 'schemas',
  order: 3,
  description: 'build, load, and list the operators and classes that are registered',
  argument: projectArgument,
  options: verbOptions,
  runsOperators: true,
  run: runSchemas,
})
