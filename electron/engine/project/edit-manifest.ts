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

type Edit = { path: (string | number)[]; value: unknown }

const formatting = { formattingOptions: { insertSpaces: true, tabSize: 2 } }

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
  return keys.every((key, depth) => {
    const node = findNodeAtLocation(tree, keys.slice(0, depth))
    return !node || node.type === (typeof key === 'string' ? 'object' : 'array')
  })
}

/** Why opsmith.json cannot be edited: what is wrong with it as it is. */
function refusal(text: string, folder: string): Result<null> {
  const file = manifestFileOf(folder)
  const current = parseManifest(text, file)
  if (!current.ok) return current
  return err('project.invalid', 'opsmith.json cannot be edited: it is not a JSON object.', { file })
}

/** Edits opsmith.json in place: comments, order and layout of everything else stay. */
export async function editManifest(folder: string, edits: readonly Edit[]): Promise<Result<null>> {
  const current = await readManifestFile(folder)
  if (!current.ok) return current
  let text = current.value.text
  for (const edit of edits) {
    if (!canEdit(text, edit)) return refusal(text, folder)
    text = applyEdits(text, modify(text, edit.path, edit.value, formatting))
  }
  for (const { path: keys, value } of edits) {
    // jsonc-parser spreads lists over lines; a shape reads better as `[4, 8]`.
    const tree = Array.isArray(value) ? parseTree(text) : undefined
    const node = tree && findNodeAtLocation(tree, keys)
    if (!node) continue
    text = text.slice(0, node.offset) + onOneLine(value) + text.slice(node.offset + node.length)
  }
  const valid = parseManifest(text, manifestFileOf(folder))
  if (!valid.ok) return valid
  const written = await writeProjectFile(folder, manifestFileName, text, current.value.version)
  return written.ok ? ok(null) : written
}

/** `{ "op": "f", "args": ["x"] }`, as the samples write entries. */
function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => `${JSON.stringify(key)}: ${onOneLine(item)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

/** Wide entries get a line for each field. */
function entryText(entry: object | string, indent: string): string {
  const line = onOneLine(entry)
  if (typeof entry === 'string' || line.length + indent.length <= 110) return line
  const fields = Object.entries(entry)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => `${indent}  ${JSON.stringify(key)}: ${onOneLine(item)}`)
  return `{\n${fields.join(',\n')}\n${indent}}`
}

/** The whitespace that begins the line of that offset; undefined when something else comes before it there. */
function indentAt(text: string, offset: number): string | undefined {
  const before = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  return /^[ \t]*$/.test(before) ? before : undefined
}

/** A comma and a comment after an entry belong to it; what comes after those does not. */
const restOfEntry = /^([ \t]*,)?([ \t]*(\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/))?/

/**
 * The text with one more entry in a list that is there, or with a `name` in an object; neither comments nor other
 * entries are touched.
 */
function withEntry(
  text: string,
  list: string,
  entry: object | string,
  name?: string,
): string | undefined {
  const tree = parseTree(text, [], { allowTrailingComma: true })
  const node = tree && findNodeAtLocation(tree, [list])
  if (!tree || node?.type !== (name === undefined ? 'array' : 'object')) return undefined
  const key = name === undefined ? '' : `${JSON.stringify(name)}: `
  const last = node.children?.at(-1)
  const end = node.offset + node.length - 1
  if (!last) {
    const line = text.lastIndexOf('\n', node.offset) + 1
    const indent = /^[ \t]*/.exec(text.slice(line))?.[0] ?? ''
    const added = `\n${indent}  ${key}${entryText(entry, `${indent}  `)}\n${indent}`
    // A comment in a list without entries stays, above the new one.
    return `${text.slice(0, end).trimEnd()}${added}${text.slice(end)}`
  }
  const after = last.offset + last.length
  const rest = restOfEntry.exec(text.slice(after, end))
  const comma = rest?.[1] ?? ''
  const comment = rest?.[2] ?? ''
  const place = after + comma.length + comment.length
  const indent = indentAt(text, last.offset)
  // Entries that share a line stay on it.
  const gap = indent === undefined && !comment.includes('//') ? ' ' : `\n${indent ?? '    '}`
  return `${text.slice(0, after)},${comment}${gap}${key}${entryText(entry, indent ?? '')}${text.slice(place)}`
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
    text = applyEdits(text, modify(text, [list], list === 'inputs' ? {} : [], formatting))
  for (const [name, entry] of entries) {
    const changed = withEntry(text, list, entry, name)
    if (changed === undefined) return err('internal', `The entry could not be added to "${list}".`)
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
    ...formatting,
    getInsertionIndex: (keys) => keys.indexOf('sources') + 1,
  })
  const made = applyEdits(text, edits)
  const node = findNodeAtLocation(parseTree(made) ?? { type: 'null', offset: 0, length: 0 }, [list])
  if (!node) return err('internal', `"${list}" could not be added.`)
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
