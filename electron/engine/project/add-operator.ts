import fs from 'node:fs/promises'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'

import { parse } from 'jsonc-parser'

import { manifestFileName } from '../../contract/manifest'
import type { Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Installation } from '../installation'
import { addToManifest } from './edit-manifest'
import type { ManifestAdditions } from './edit-manifest'
import { createProjectFile } from './files'
import { insideProject } from './inside'
import { checkName, findTemplate, named } from './new-project'
import { parseManifest, readManifest } from './read-manifest'
import { registeredFunctions, withoutComments } from './scan-source'
import { isCuda, resolveSources } from './sources'

/** The operator of the templates. */
const templateOperator = 'my_op::my_op'

export interface AddedOperator {
  /** "namespace::name" */
  operator: string
  /** Its C++ source, relative to the project. */
  file: string
}

/** An entry of a template's opsmith.json that is about an operator. */
type Entry = { op: string; args: unknown[]; reference?: string; against?: string[] }

/**
 * Adds an operator to a project: a source from a template, and its inputs, calls, gradchecks and benchmarks in
 * opsmith.json. Nothing is overwritten, and where it cannot be added no file is left.
 * Errors: the name is none, the project has an operator of that name, or no operator is made from this template
 * (request.invalid); opsmith.json is not valid (project.invalid); a file is there or cannot be written (io).
 * @param name without a namespace
 * @param template an id of listTemplates with `isOperator`
 */
export async function addOperator(
  installation: Installation,
  folder: string,
  name: string,
  template: string,
): Promise<Result<AddedOperator>> {
  const good = checkName(name, 'an operator')
  if (!good.ok) return good
  const found = await findTemplate(installation, template, ({ isOperator }) => isOperator)
  if (!found.ok) return found
  const manifest = await readManifest(folder)
  if (!manifest.ok) return manifest
  const before = await readSources(folder, manifest.value)
  if (isTaken(name, manifest.value, before.texts)) {
    return err('request.invalid', `The project already has an operator ${name}.`, {
      path: 'name',
      hint: 'Choose another name.',
    })
  }
  const namespace = namespaceOf(manifest.value, before.texts)
  const operator = `${namespace}::${name}`
  const source = path.join(installation.templatesFolder, template)
  const own = path.posix.dirname(before.files[0] ?? '')
  const made: string[] = []
  try {
    for (const file of (await fs.readdir(source)).filter((one) => /\.(cpp|cu)$/.test(one))) {
      const text = await fs.readFile(path.join(source, file), 'utf8')
      const target = path.posix.join(own, file.replace(/^op/, name))
      const created = await createProjectFile(folder, target, sourceText(text, namespace, name))
      if (!created.ok) return await withoutFiles(folder, made, created)
      made.push(target)
    }
    const listed = new Set((await readSources(folder, manifest.value)).files)
    const entries = await fs.readFile(path.join(source, manifestFileName), 'utf8')
    const added = await addToManifest(folder, (current) => ({
      added: {
        ...entriesOf(entries, current, operator),
        files: {
          sources: made.filter((file) => !isCuda(file) && !listed.has(file)),
          cudaSources: made.filter((file) => isCuda(file) && !listed.has(file)),
        },
      },
      answer: null,
    }))
    if (!added.ok) return await withoutFiles(folder, made, added)
  } catch (error) {
    await withoutFiles(folder, made, null)
    throw error
  }
  const file = made.find((one) => !isCuda(one)) ?? ''
  return ok({ operator, file })
}

async function withoutFiles<Answer>(
  folder: string,
  files: readonly string[],
  answer: Answer,
): Promise<Answer> {
  await Promise.all(files.map((file) => fs.rm(path.join(folder, file), { force: true })))
  return answer
}

/** The sources that opsmith.json names, and the texts of those that can be read. */
async function readSources(
  folder: string,
  manifest: Manifest,
): Promise<{ files: string[]; texts: string[] }> {
  const resolved = await resolveSources(folder, manifest)
  // The build says what is wrong with them.
  if (!resolved.ok) return { files: [], texts: [] }
  const files = [...resolved.value.plain, ...resolved.value.cuda]
  const texts = await Promise.all(
    files.map(async (file) => {
      const place = await insideProject(folder, file)
      return place.ok ? await fs.readFile(place.value, 'utf8').catch(() => '') : ''
    }),
  )
  return { files, texts }
}

function isTaken(name: string, manifest: Manifest, sources: readonly string[]): boolean {
  const registered = sources.flatMap((text) =>
    registeredFunctions(text).map(({ operator }) => operator.split('::').at(-1)),
  )
  const listed = [...manifest.functions, ...manifest.autograd.map((entry) => entry.name)]
  return registered.includes(name) || listed.includes(name)
}

/** Where the project's other operators are; the name of the project for one without a TORCH_LIBRARY. */
function namespaceOf({ name }: Manifest, sources: readonly string[]): string {
  const block = /\b(?:STABLE_)?TORCH_LIBRARY(?:_FRAGMENT)?\s*\(\s*(\w+)\s*,/g
  const found = sources.flatMap((text) =>
    [...withoutComments(text).matchAll(block)].map((match) => match[1] ?? ''),
  )
  const own = found.filter((namespace) => namespace !== 'TORCH_EXTENSION_NAME')
  return own.includes(name) ? name : (own[0] ?? name)
}

/** A template's source about this operator, as one of several that register in a namespace. */
function sourceText(text: string, namespace: string, name: string): string {
  // In parts, since the namespace may have the name of the template's operator in it.
  return text
    .split(/(TORCH_LIBRARY(?:_IMPL)?\(my_op,|"my_op::)/)
    .map((part, index) => {
      if (index % 2 === 0) return named(part, name)
      if (part.startsWith('"')) return `"${namespace}::`
      return part.replace('LIBRARY(', 'LIBRARY_FRAGMENT(').replace('my_op', namespace)
    })
    .join('')
}

/** What a template's opsmith.json says of its operator. An input whose name means another tensor here gets a new name. */
function entriesOf(
  templateText: string,
  manifest: Manifest,
  operator: string,
): Pick<ManifestAdditions, 'inputs' | 'entries'> {
  const template = parseManifest(templateText, manifestFileName)
  if (!template.ok) throw new Error(template.error.message)
  const raw = parse(templateText) as Record<'inputs', Record<string, object>> &
    Record<'calls' | 'gradchecks' | 'benchmarks', Entry[]>
  const newNames = new Map<string, string>()
  const inputs: Record<string, object> = {}
  const name = operator.split('::').at(-1) ?? ''
  for (const [input, spec] of Object.entries(raw.inputs)) {
    const present = manifest.inputs[input]
    if (present && isDeepStrictEqual(present, template.value.inputs[input])) continue
    const free = present ? freeName(`${name}_${input}`, manifest) : input
    newNames.set(input, free)
    inputs[free] = spec
  }
  const rename = (text: string): string =>
    text.replace(/(?<![.\w])[A-Za-z_]\w*/g, (word) => newNames.get(word) ?? word)
  const own = (list: readonly Entry[]): object[] =>
    list
      .filter(({ op }) => op === templateOperator)
      .map((entry) => ({
        ...entry,
        op: operator,
        args: entry.args.map((one) => (typeof one === 'string' ? rename(one) : one)),
        ...(entry.reference !== undefined && { reference: rename(entry.reference) }),
        ...(entry.against && { against: entry.against.map(rename) }),
      }))
  return {
    inputs,
    entries: {
      calls: own(raw.calls),
      gradchecks: own(raw.gradchecks),
      benchmarks: own(raw.benchmarks),
    },
  }
}

function freeName(wanted: string, { inputs }: Manifest): string {
  let name = wanted
  for (let number = 2; Object.hasOwn(inputs, name); number += 1) name = `${wanted}_${number}`
  return name
}
