import path from 'node:path'

import { applyEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser'

import { manifestFileName } from '../../contract/manifest'
import type { InputSpec } from '../../contract/manifest'
import { ok } from '../../contract/outcome'
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
    const onOneLine = JSON.stringify(value).replaceAll(',', ', ')
    text = text.slice(0, node.offset) + onOneLine + text.slice(node.offset + node.length)
  }
  const valid = parseManifest(text, path.join(folder, manifestFileName))
  if (!valid.ok) return valid
  const written = await writeProjectFile(folder, manifestFileName, text, current.value.version)
  return written.ok ? ok(null) : written
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
