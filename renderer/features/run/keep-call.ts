import { applyEdits, modify } from 'jsonc-parser'

import { addFile, filesStore, manifestFile } from '../../store/files'
import { notify } from '../../store/notifications'
import { currentManifest } from '../../store/project'
import { chosenAsCall, runStore } from './run'
import { loadModel, replaceText, textOf } from '../../editor/models'
import { saveFile } from '../../editor/saving'

/**
 * Writes what the Run panel's fields say into opsmith.json: over the call they were filled from, else
 * as a new one. An edit of the file like any other: comments stay, and it can be undone.
 */
export async function keepCall(): Promise<void> {
  const call = chosenAsCall()
  if (call === null) return
  if (!filesStore.getState().files[manifestFile]) addFile(manifestFile, false)
  const model = await loadModel(manifestFile)
  if (!model) return
  const { callIndex } = runStore.getState()
  const index = callIndex ?? currentManifest()?.calls.length ?? 0
  const before = callIndex === null ? undefined : currentManifest()?.calls[callIndex]
  const kept = before?.timeout === undefined ? call : { ...call, timeout: before.timeout }
  const text = textOf(model)
  // jsonc-parser's own formatting gives every argument a line: one line a call reads and diffs better.
  const edits = modify(text, ['calls', index], kept, {}).map((edit) => ({
    ...edit,
    content: edit.content.replace(
      JSON.stringify(kept),
      () => `${lead(edit.content)}${oneLine(kept)}`,
    ),
  }))
  replaceText(model, applyEdits(text, edits))
  if (!(await saveFile(manifestFile))) return
  notify('info', `Saved as call ${index + 1} of ${manifestFile}.`)
  // The manifest comes back a moment later; the fields already say what it will.
  runStore.setState({ callIndex: index })
}

/** A new call comes on a line of its own. */
function lead(content: string): string {
  return content.startsWith(',') ? '\n    ' : ''
}

/** As people write it: a space after each comma and colon, none inside brackets. */
function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}: ${oneLine(item)}`,
  )
  return `{ ${fields.join(', ')} }`
}
