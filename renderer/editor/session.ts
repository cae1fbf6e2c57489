import { addFile, filesStore } from '../store/files'
import { beforeInputEdit } from '../store/inputs'
import { beforeLeaving, projectStore } from '../store/project'
import { themeStore } from '../store/theme'
import { call } from '../bridge/bridge'
import { forgetDiskChanges, listenToDisk } from './disk-changes'
import { keepAllDrafts, loadDrafts } from './drafts'
import { openLinksInTabs } from './CodeEditor'
import { followLints } from './live-lints'
import { startLanguage } from './language/start-language'
import { followMarkers, openLinksInHelp } from './markers'
import { followProgram } from './program-checks'
import { markerNavigation } from './problem-peek'
import { registerProgramLanguage } from './program-language'
import { closeAllModels, loadModel } from './models'
import { registerCuda } from './languages'
import { loadMonaco, setManifestSchema } from './monaco'
import { offerQuickFixes } from './quick-fixes'
import { saveFile } from './saving'
import { defineThemes, showEditorTheme } from './themes'
import { keepViews } from './view-states'

/** Once, at the start of the window. Nothing opens a file before this resolves. */
export async function startEditor(): Promise<void> {
  const schema = call('project.manifestSchema', {})
  await loadMonaco(markerNavigation)
  registerCuda()
  defineThemes()
  showEditorTheme(themeStore.getState().theme)
  openLinksInTabs()
  openLinksInHelp()
  startLanguage()
  followMarkers()
  followProgram()
  registerProgramLanguage()
  offerQuickFixes()
  followLints()
  listenToDisk()
  beforeInputEdit(saveManifest)
  beforeLeaving(keepTyped)
  projectStore.subscribe((now, before) => {
    if (now.project?.folder === before.project?.folder) return
    forgetDiskChanges()
    closeAllModels()
  })
  window.addEventListener('blur', () => void keepAllDrafts())
  const answer = await schema
  if (answer.ok) setManifestSchema(answer.value)
}

/** Before the window or the project closes: what was typed in the last moments is written first. */
export async function keepTyped(): Promise<void> {
  keepViews()
  await keepAllDrafts()
}

async function saveManifest(): Promise<boolean> {
  const dirty = filesStore.getState().files['opsmith.json']?.dirty === true
  return dirty ? saveFile('opsmith.json', false) : true
}

/** Files with unsaved text of an earlier window are opened with it; answers their paths. */
export async function restoreDrafts(folder: string): Promise<string[]> {
  const drafts = await loadDrafts(folder)
  for (const draft of drafts) {
    if (!filesStore.getState().files[draft.path]) addFile(draft.path, false)
    await loadModel(draft.path)
  }
  return drafts.map((draft) => draft.path)
}
