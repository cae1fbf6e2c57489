import fs from 'node:fs/promises'
import path from 'node:path'

import { manifestFileName } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { templateText } from '../../contract/project'
import type { ProjectTemplate } from '../../contract/project'
import type { Installation } from '../installation'
import { systemCode } from './file-errors'
import { ioError } from './files'

/** In each template folder; it is not copied. */
const templateFile = 'template.json'
/** The names in the templates that a project's own replace. */
const namePattern = 'my_op'
const classPattern = 'MyOp'

/** What C++ and Python would read as something else. */
const reserved = new Set(
  'and as assert auto bool break case char class const continue def default delete do double else enum except export float for from global if import in inline int is lambda long namespace new none not null operator or pass private public return short signed static struct switch template this throw torch true try typedef union unsigned using void while with yield'.split(
    ' ',
  ),
)

/** Where new projects and copies of samples are made: the user's choice, or among what is kept. */
export function projectsFolder(
  settings: { projectsFolder: string },
  { dataFolder }: Pick<Installation, 'dataFolder'>,
): string {
  return settings.projectsFolder === ''
    ? path.join(dataFolder, 'projects')
    : settings.projectsFolder
}

/** A folder in `parent` that is not there yet: NAME, NAME-2, NAME-3. */
export async function freeFolder(parent: string, name: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const folder = path.join(parent, number === 1 ? name : `${name}-${number}`)
    const isThere = await fs.lstat(folder).then(
      () => true,
      () => false,
    )
    if (!isThere) return folder
  }
}

/** What a new project can begin as, the simplest first. */
export async function listTemplates(installation: Installation): Promise<ProjectTemplate[]> {
  const folders = await fs.readdir(installation.templatesFolder, { withFileTypes: true })
  const templates = await Promise.all(
    folders
      .filter((entry) => entry.isDirectory())
      .map(async ({ name }) => {
        const file = path.join(installation.templatesFolder, name, templateFile)
        return { id: name, ...templateText.parse(JSON.parse(await fs.readFile(file, 'utf8'))) }
      }),
  )
  return templates.sort((a, b) => a.position - b.position)
}

/** "fused_gelu" → "FusedGelu" */
function className(name: string): string {
  return name.replace(/(?:^|_+)([a-z0-9])/g, (_match, first: string) => first.toUpperCase())
}

/** Whether a file keeps a folder from being empty: a new repository has hidden files, a README and a licence. */
export function isOccupying(file: string): boolean {
  return !/^(\..*|(readme|licen[cs]e)(\..*)?)$/i.test(file)
}

/** A template's text about this name instead of its own. */
export function named(text: string, name: string): string {
  return text.replaceAll(namePattern, name).replaceAll(classPattern, className(name))
}

/** @param what "a project" */
export function checkName(name: string, what: string): Result<null> {
  if (/^[a-z][a-z0-9_]{0,60}$/.test(name) && !reserved.has(name)) return ok(null)
  const why = reserved.has(name)
    ? 'C++, Python or PyTorch uses this name'
    : 'its form is not allowed'
  return err('request.invalid', `${name} cannot be the name of ${what}, because ${why}.`, {
    path: 'name',
    hint: 'Use only lower-case letters, digits and _, with a letter first, and at most 61 characters: "fused_gelu". The name must not be torch or a keyword of C++ or Python.',
  })
}

/** @param fits which templates are meant */
export async function findTemplate(
  installation: Installation,
  id: string,
  fits: (template: ProjectTemplate) => boolean = () => true,
): Promise<Result<ProjectTemplate>> {
  const templates = (await listTemplates(installation)).filter(fits)
  const found = templates.find((template) => template.id === id)
  if (found) return ok(found)
  return err('request.invalid', `There is no template ${id}.`, {
    path: 'template',
    hint: `Choose one of ${templates.map((template) => template.id).join(', ')}.`,
  })
}

/** Makes the folder, or takes one that is there and empty. */
async function makeFolder(folder: string): Promise<Result<null>> {
  await fs.mkdir(path.dirname(folder), { recursive: true })
  try {
    await fs.mkdir(folder)
    return ok(null)
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
  }
  const other = (await fs.readdir(folder)).find(isOccupying)
  if (other === undefined) return ok(null)
  return err(
    'io',
    `The folder ${folder} already exists and is not empty: the folder contains ${other}.`,
    {
      hint: 'Choose another name.',
    },
  )
}

/**
 * Makes a project in a folder that is new or empty. Its name is the folder's.
 * Errors: the name is none, or there is no such template (request.invalid); the folder has files or cannot be
 * made (io). Nothing is overwritten.
 * @param folder absolute
 * @param template an id of listTemplates
 */
export async function createProject(
  installation: Installation,
  folder: string,
  template: string,
): Promise<Result<{ folder: string }>> {
  const name = path.basename(folder)
  const good = checkName(name, 'a project')
  if (!good.ok) return good
  const found = await findTemplate(installation, template)
  if (!found.ok) return found
  const source = path.join(installation.templatesFolder, template)
  try {
    const made = await makeFolder(folder)
    if (!made.ok) return made
    const files = (await fs.readdir(source)).filter((file) => file !== templateFile)
    // Last, so that a folder that could not be filled is not a project.
    files.sort((a, b) => Number(a === manifestFileName) - Number(b === manifestFileName))
    for (const file of files) {
      const text = await fs.readFile(path.join(source, file), 'utf8')
      await fs.writeFile(path.join(folder, file), named(text, name), { flag: 'wx' })
    }
    return ok({ folder })
  } catch (error) {
    return ioError(error, `make ${folder}`)
  }
}
