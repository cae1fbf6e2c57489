import { applyEdits, modify } from 'jsonc-parser'

import { addFile, filesStore, manifestFile } from '../store/files'
import { notify } from '../store/notifications'
import { currentManifest } from '../store/project'
import { chosenAsCall, runStore } from '../store/run'
import { loadModel, replaceText, textOf } from './models'
import { saveFile } from './saving'

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
  const edits = modify(text, ['calls', index], kept, {
    formattingOptions: { insertSpaces: true, tabSize: 2, eol: model.getEOL() },
  })
  replaceText(model, applyEdits(text, edits))
  if (!(await saveFile(manifestFile))) return
  notify('info', `The call was kept in ${manifestFile}.`)
  // The manifest comes back a moment later; the fields already say what it will.
  runStore.setState({ callIndex: index })
}
