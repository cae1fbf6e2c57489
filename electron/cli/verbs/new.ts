import path from 'node:path'

import { addOperator } from '../../engine/project/add-operator'
import { findProjectFolder } from '../../engine/project/find-project'
import { createProject, listTemplates } from '../../engine/project/new-project'
import type { Installation } from '../../engine/installation'
import { exitCodes } from '../exit-codes'
import { jsonFlag, text } from '../options'
import { callerPath, printError, printJson, printLines, progress } from '../print'
import { defineVerb } from '../verb'

export const verb = defineVerb({
  name: 'new',
  order: -1,
  description: 'make a project from a template, or add an operator to a project',
  makesProject: true,
  argument: {
    name: 'folder',
    description:
      'the folder to make, new or empty; the project has the same name (without a folder, this command lists the templates)',
    isOptional: true,
  },
  options: {
    template: text('<id>', 'the template of the project or operator (default: operator)'),
    operator: text(
      '<name>',
      'add an operator of this name to the project in the folder (default: the current folder)',
    ),
    json: jsonFlag,
  },
  run: async ({ installation, projects }, folder, { template, operator, json }) => {
    if (operator !== undefined)
      return await add(installation, folder, operator, template ?? 'operator', json)
    if (folder === '') {
      const templates = await listTemplates(installation)
      const width = Math.max(...templates.map(({ id }) => id.length))
      if (json) printJson(templates)
      else printLines(templates.map((item) => `${item.id.padEnd(width)}  ${item.description}`))
      return exitCodes.good
    }
    const made = await createProject(installation, folder, template ?? 'operator')
    if (!made.ok) return printError(made.error, json)
    // What is in it came from here.
    await projects.trust.decide(folder, 'trusted')
    if (json) printJson({ ok: true, folder })
    else progress(`${path.join(folder, 'opsmith.json')} was written. Next: opsmith build ${folder}`)
    return exitCodes.good
  },
})

async function add(
  installation: Installation,
  folder: string,
  name: string,
  template: string,
  json: boolean,
): Promise<number> {
  const project = await findProjectFolder(folder === '' ? callerPath('.') : folder)
  if (!project.ok) return printError(project.error, json)
  const added = await addOperator(installation, project.value, name, template)
  if (!added.ok) return printError(added.error, json)
  const { operator, file } = added.value
  if (json) printJson({ ok: true, operator, file })
  else
    progress(
      `${operator} was added: ${path.join(project.value, file)} and its entries in opsmith.json. Next: opsmith run ${folder === '' ? '.' : folder}`,
    )
  return exitCodes.good
}
