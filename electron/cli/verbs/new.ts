import path from 'node:path'

import { createProject, listTemplates } from '../../engine/project/new-project'
import { exitCodes } from '../exit-codes'
import { jsonFlag, text } from '../options'
import { printError, printJson, printLines, progress } from '../print'
import { defineVerb } from '../verb'

export const verb = defineVerb({
  name: 'new',
  order: -1,
  description: 'make a project from a template in a new or empty folder',
  makesProject: true,
  argument: {
    name: 'folder',
    description:
      'the folder to make; the project gets its name (without a folder, the templates are listed)',
    isOptional: true,
  },
  options: {
    template: text('<id>', 'the template of the project (default: operator)'),
    json: jsonFlag,
  },
  run: async ({ installation, projects }, folder, { template, json }) => {
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
