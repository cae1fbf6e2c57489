import type { Workbench } from '../../engine/workbench'
import { exitCodes } from '../exit-codes'
import { jsonFlag } from '../options'
import type { OptionValues } from '../options'
import { printError, printJson, printLines } from '../print'
import { defineVerb, projectArgument } from '../verb'

const verbOptions = { json: jsonFlag }

async function run__Name__(
  workbench: Workbench,
  folder: string,
  { json }: OptionValues<typeof verbOptions>,
): Promise<number> {
  const project = await workbench.projects.open(folder)
  if (!project.ok) return printError(project.error, json)
  const { sources } = project.value.manifest
  if (json) printJson({ ok: true, sources })
  else printLines(sources)
  return exitCodes.good
}

export const verb = defineVerb({
  name: '__name__',
  order: 100,
  description: 'list the sources of a project',
  argument: projectArgument,
  options: verbOptions,
  run: run__Name__,
})
