import path from 'node:path'

import { applyEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser'

import { manifestFileName } from '../../contract/manifest'
import type { InputSpec } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { readProjectFile, writeProjectFile } from './files'
import { parseManifest } from './read-manifest'

type Edit = { path: (string | number)[]; value: unknown }

/** Edits opsmith.json in place: comments, order and layout of everything else stay. */
export async function editManifest(folder: string, edits: readonly Edit[]): Promise<Result<null>> {
  const current = await readProjectFile(folder, manifestFileName)
  if (!current.ok) return current
  let text = current.value.text
  for (const edit of edits) {
    text = applyEdits(
      text,
      modify(text, edit.path, edit.value, {
        formattingOptions: { insertSpaces: true, tabSize: 2 },
      }),
    )
  }
  for (const { path: keys, value } of edits) {
    // jsonc-parser spreads lists over lines; a shape reads better as `[4, 8]`.
    const tree = Array.isArray(value) ? parseTree(text) : undefined
    const node = tree && findNodeAtLocation(tree, keys)
    if (!node) continue
    text = text.slice(0, node.offset) + onOneLine(value) + text.slice(node.offset + node.length)
  }
  const valid = parseManifest(text, path.join(folder, manifestFileName))
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
function entryText(entry: object, indent: string): string {
  const line = onOneLine(entry)
  if (line.length + indent.length <= 110) return line
  const fields = Object.entries(entry)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => `${indent}  ${JSON.stringify(key)}: ${onOneLine(item)}`)
  return `{\n${fields.join(',\n')}\n${indent}}`
}

/** Adds an entry at the end of a list of opsmith.json; everything else stays as it is. Its position comes back. */
export async function appendEntry(
  folder: string,
  list: 'calls' | 'gradchecks',
  entry: object,
): Promise<Result<{ entry: number }>> {
  const current = await readProjectFile(folder, manifestFileName)
  if (!current.ok) return current
  const file = path.join(folder, manifestFileName)
  const parsed = parseManifest(current.value.text, file)
  if (!parsed.ok) return parsed
  const position = parsed.value[list].length
  const added = modify(current.value.text, [list, position], null, {
    formattingOptions: { insertSpaces: true, tabSize: 2 },
  })
  let text = applyEdits(current.value.text, added)
  const tree = parseTree(text, [], { allowTrailingComma: true })
  const node = tree && findNodeAtLocation(tree, [list, position])
  if (!node) return err('internal', `The entry could not be added to "${list}".`)
  const before = text.slice(text.lastIndexOf('\n', node.offset) + 1, node.offset)
  const indent = /^\s*/.exec(before)?.[0] ?? ''
  text =
    text.slice(0, node.offset) + entryText(entry, indent) + text.slice(node.offset + node.length)
  const valid = parseManifest(text, file)
  if (!valid.ok) return valid
  const written = await writeProjectFile(folder, manifestFileName, text, current.value.version)
  return written.ok ? ok({ entry: position }) : written
}

/** One field an edit, so that what is beside it keeps its comments; fields no longer set are taken out. */
export async function setInput(
  folder: string,
  name: string,
  spec: InputSpec,
): Promise<Result<null>> {
  const current = await readProjectFile(folder, manifestFileName)
  if (!current.ok) return current
  const parsed = parseManifest(current.value.text, path.join(folder, manifestFileName))
  if (!parsed.ok) return parsed
  if (!parsed.value.inputs[name])
    return await editManifest(folder, [{ path: ['inputs', name], value: spec }])
  const before: Record<string, unknown> = { ...parsed.value.inputs[name] }
  const after: Record<string, unknown> = { ...spec }
  const edits: Edit[] = []
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (JSON.stringify(before[key]) !== JSON.stringify(after[key])) {
      edits.push({ path: ['inputs', name, key], value: after[key] })
    }
  }
  return edits.length === 0 ? ok(null) : await editManifest(folder, edits)
}

/** "" takes a choice out. */
export async function setToolchain(
  folder: string,
  choice: { compiler: string; libtorch: string },
): Promise<Result<null>> {
  const value = {
    ...(choice.compiler === '' ? {} : { compiler: choice.compiler }),
    ...(choice.libtorch === '' ? {} : { libtorch: choice.libtorch }),
  }
  return await editManifest(folder, [
    { path: ['toolchain'], value: Object.keys(value).length === 0 ? undefined : value },
  ])
}
