import { call } from '../../bridge/bridge'
import { captureGraph, showAgain } from './capture'
import { changeChoice, firstChoice, graphStore } from './graph'
import { chooseFirstEntry } from './graph-entry'
import { graphJob, shownGraph } from './jobs'
import { isAlive } from './shots'
import { showPanel } from '../../store/layout'
import { notify, notifyError } from '../../store/notifications'
import { currentFolder } from '../../store/project'

/** Opens a model from elsewhere; `path` relative to the project, "" asks the user. */
export async function openGraphFile(path = ''): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const opened = await call('graph.openFile', { folder, path })
  if (!opened.ok) {
    notifyError(opened.error)
    return
  }
  const file = opened.value
  if (file === null) return
  const entry = file.entries[0]?.name ?? ''
  const form = file.kind === 'export' ? 'export' : 'script'
  changeChoice({ file, entry, form, callIndex: null, argsText: null, passes: [], step: null })
  changeChoice({ compare: { kind: 'auto' } })
  showPanel('graph')
  if (file.missing.length > 0) {
    notify(
      'warning',
      `These operators of the model are not registered: ${file.missing.join(', ')}.`,
      {
        hint: 'Opsmith can show the model, but not run it. To run the model, open and build the project that registers these operators.',
      },
    )
  }
  await captureGraph()
}

/** Back to the program of the project. */
export function closeGraphFile(): void {
  const { entry, callIndex, argsText, form, passes, step } = firstChoice
  changeChoice({ file: null, entry, callIndex, argsText, form, passes, step })
  changeChoice({ compare: { kind: 'auto' } })
  if (chooseFirstEntry()) void captureGraph()
  else graphJob.set({ value: null, error: null })
}

/** Marks the shown graph against one in a file. */
export async function compareWithFile(path = ''): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const opened = await call('graph.openFile', { folder, path })
  if (!opened.ok) {
    notifyError(opened.error)
    return
  }
  if (opened.value === null) return
  changeChoice({ compare: { kind: 'file', path: opened.value.path } })
  await showAgain()
}

/** Saves the shown capture as a module that Python and C++ load. */
export async function saveGraphModule(path = ''): Promise<void> {
  const folder = currentFolder()
  const before = shownGraph()
  if (folder === null || !before?.shot.report) return
  if (!isAlive(before.shot)) await captureGraph()
  const shown = shownGraph()
  if (!shown?.shot.report) return
  const saved = await call('graph.save', { folder, capture: shown.shot.report.capture, path })
  if (!saved.ok) notifyError(saved.error)
  else if (saved.value) notify('info', `Saved ${saved.value.path}.`)
}

/** Writes what was exported; answers the path, null when the user changed their mind. */
export async function writeGraphFile(
  content: string,
  extension: string,
  base64 = false,
  path = '',
): Promise<string | null> {
  const folder = currentFolder()
  const shown = shownGraph()
  const { choice } = graphStore.getState()
  if (folder === null || !shown) return null
  const name = choice.entry.replace(/[^\w.-]+/g, '_')
  const suggestedName = `${name}_${choice.form}.${extension}`
  const written = await call('graph.writeFile', { folder, path, suggestedName, content, base64 })
  if (!written.ok) {
    notifyError(written.error)
    return null
  }
  if (written.value) notify('info', `Wrote ${written.value.path}.`)
  return written.value?.path ?? null
}
