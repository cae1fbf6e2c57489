import { applyEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser'

import type { ExportForm } from '../../contract/export'
import { manifestFileName } from '../../contract/manifest'
import type { InputSpec, Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { FileContent } from '../../contract/project'
import type { ToolChoice } from '../../contract/tool-choice'
import { readProjectFile, writeProjectFile } from './files'
import { parseManifest } from './read-manifest'
import { manifestFileOf } from './manifest-place'
import { onOneLine, withEntry, withValue } from './manifest-text'

type Edit = { path: string[]; value: unknown }

/** The text of opsmith.json without a byte order mark, which would move all places in it by one. */
async function readManifestFile(folder: string): Promise<Result<FileContent>> {
  const content = await readProjectFile(folder, manifestFileName)
  if (!content.ok) return content
  return ok({ ...content.value, text: content.value.text.replace(/^\uFEFF/, '') })
}

/** Whether each value on the way to `path` is an object or a list, as its key needs: modify() throws otherwise. */
function canEdit(text: string, { path: keys }: Edit): boolean {
  const tree = parseTree(text)
  if (!tree) return false
  return keys.every((_key, depth) => {
    const node = findNodeAtLocation(tree, keys.slice(0, depth))
    return !node || node.type === 'object'
  })
}

/** Why opsmith.json cannot be edited: what is wrong with it as it is. */
function refusal(text: string, folder: string): Result<null> {
  const file = manifestFileOf(folder)
  const current = parseManifest(text, file)
  if (!current.ok) return current
  return err(
    'project.invalid',
    'Opsmith cannot edit opsmith.json, because the file does not contain a JSON object.',
    { file },
  )
}

/** Edits opsmith.json in place: comments, order and layout of everything else stay. */
export async function editManifest(folder: string, edits: readonly Edit[]): Promise<Result<null>> {
  const current = await readManifestFile(folder)
  if (!current.ok) return current
  let text = current.value.text
  for (const edit of edits) {
    if (!canEdit(text, edit)) return refusal(text, folder)
    text = withValue(text, edit.path, edit.value)
  }
  const valid = parseManifest(text, manifestFileOf(folder))
  if (!valid.ok) return valid
  const written = await writeProjectFile(folder, manifestFileName, text, current.value.version)
  return written.ok ? ok(null) : written
}

const entryLists = ['calls', 'gradchecks', 'checks', 'benchmarks'] as const
type EntryList = (typeof entryLists)[number]

/** The text with these entries at the end of a list, or as inputs by name; either is made where it is not there. */
function withEntries(
  given: string,
  list: EntryList | 'inputs' | 'sources' | 'cudaSources',
  entries: readonly (readonly [name: string | undefined, entry: object | string])[],
): Result<string> {
  let text = given
  const tree = parseTree(text, [], { allowTrailingComma: true })
  if (entries.length > 0 && (!tree || !findNodeAtLocation(tree, [list])))
    text = withValue(text, [list], list === 'inputs' ? {} : [])
  for (const [name, entry] of entries) {
    const changed = withEntry(text, [list], entry, name)
    if (changed === undefined)
      return err('internal', `Opsmith could not add the entry to "${list}" of opsmith.json.`)
    text = changed
  }
  return ok(text)
}

/**
 * Adds entries at the end of a list of opsmith.json; everything else stays as it is. The position of
 * the first comes back.
 */
export async function appendEntries(
  folder: string,
  list: EntryList,
  entries: readonly object[],
): Promise<Result<{ entry: number }>> {
  return await addToManifest(folder, (manifest) => ({
    added: { inputs: {}, entries: { [list]: entries } },
    answer: { entry: manifest[list]?.length ?? 0 },
  }))
}

/** What is added to opsmith.json: new inputs by name, and entries and files at the ends of lists. */
export interface ManifestAdditions {
  inputs: Readonly<Record<string, object>>
  entries: Readonly<Partial<Record<EntryList, readonly object[]>>>
  files?: Readonly<Record<'sources' | 'cudaSources', readonly string[]>>
}

/** The text with these files at the end of a list of sources. A list that is not there comes after the sources. */
function withFiles(
  text: string,
  list: 'sources' | 'cudaSources',
  files: readonly string[],
): Result<string> {
  const tree = parseTree(text, [], { allowTrailingComma: true })
  if (files.length === 0 || (tree && findNodeAtLocation(tree, [list])))
    return withEntries(
      text,
      list,
      files.map((file) => [undefined, file]),
    )
  const edits = modify(text, [list], [], {
    formattingOptions: { insertSpaces: true, tabSize: 2 },
    getInsertionIndex: (keys) => keys.indexOf('sources') + 1,
  })
  const made = applyEdits(text, edits)
  const node = findNodeAtLocation(parseTree(made) ?? { type: 'null', offset: 0, length: 0 }, [list])
  if (!node) return err('internal', `Opsmith could not add "${list}" to opsmith.json.`)
  return ok(made.slice(0, node.offset) + onOneLine(files) + made.slice(node.offset + node.length))
}

/**
 * Adds inputs and entries in one write; everything else stays as it is.
 * @param decide what is added to the file as it is, and what this function answers
 * Errors: opsmith.json is not valid, before or after it (project.invalid), has changed meanwhile (file.conflict), or
 * cannot be written.
 */
export async function addToManifest<Answer>(
  folder: string,
  decide: (manifest: Manifest) => { added: ManifestAdditions; answer: Answer },
): Promise<Result<Answer>> {
  const current = await readManifestFile(folder)
  if (!current.ok) return current
  const file = manifestFileOf(folder)
  const parsed = parseManifest(current.value.text, file)
  if (!parsed.ok) return parsed
  const { added, answer } = decide(parsed.value)
  const inputs = withEntries(current.value.text, 'inputs', Object.entries(added.inputs))
  if (!inputs.ok) return inputs
  let text = inputs.value
  for (const list of entryLists) {
    const entries = added.entries[list] ?? []
    const changed = withEntries(
      text,
      list,
      entries.map((entry) => [undefined, entry]),
    )
    if (!changed.ok) return changed
    text = changed.value
  }
  for (const list of ['sources', 'cudaSources'] as const) {
    const changed = withFiles(text, list, added.files?.[list] ?? [])
    if (!changed.ok) return changed
    text = changed.value
  }
  const valid = parseManifest(text, file)
  if (!valid.ok) return valid
  if (text === current.value.text) return ok(answer)
  const written = await writeProjectFile(folder, manifestFileName, text, current.value.version)
  return written.ok ? ok(answer) : written
}

/** Sets these inputs. Each field is an edit of its own, so that comments on other fields stay; fields no longer set are removed. */
export async function setInputs(
  folder: string,
  inputs: Readonly<Record<string, InputSpec>>,
): Promise<Result<null>> {
  const current = await readManifestFile(folder)
  if (!current.ok) return current
  const parsed = parseManifest(current.value.text, manifestFileOf(folder))
  if (!parsed.ok) return parsed
  const edits = Object.entries(inputs).flatMap(([name, spec]) =>
    editsOfInput(name, parsed.value.inputs[name], spec),
  )
  return edits.length === 0 ? ok(null) : await editManifest(folder, edits)
}

function editsOfInput(name: string, before: InputSpec | undefined, after: InputSpec): Edit[] {
  if (!before) return [{ path: ['inputs', name], value: after }]
  const was: Record<string, unknown> = { ...before }
  const is: Record<string, unknown> = { ...after }
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((key) =>
    JSON.stringify(was[key]) === JSON.stringify(is[key])
      ? []
      : [{ path: ['inputs', name, key], value: is[key] }],
  )
}

/** "" takes a choice out. */
export async function setToolchain(folder: string, choice: ToolChoice): Promise<Result<null>> {
  const value = Object.fromEntries(Object.entries(choice).filter(([, chosen]) => chosen !== ''))
  return await editManifest(folder, [
    { path: ['toolchain'], value: Object.keys(value).length === 0 ? undefined : value },
  ])
}

/** Forms that are exported where none is named; none takes the field out. */
export async function setExports(
  folder: string,
  forms: readonly ExportForm[],
): Promise<Result<null>> {
  return await editManifest(folder, [
    { path: ['exports'], value: forms.length === 0 ? undefined : [...forms] },
  ])
}
