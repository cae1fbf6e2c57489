import type { Command } from '../store/commands'
import { filesStore } from '../store/files'
import { languageStore, restartLanguage, whyNoClangd } from '../store/language'
import { layoutStore } from '../store/layout'
import { notify } from '../store/notifications'
import { projectStore } from '../store/project'
import { lastFocusedEditor } from './CodeEditor'
import { cppLanguages } from './language/documents'
import { modelOf } from './models'
import { monaco, type Monaco } from './monaco'

/** The editor of the file that was used last, as far as its tab is open. */
function currentEditor(): Monaco.editor.ICodeEditor | null {
  const path = layoutStore.getState().dock?.activeFile() ?? filesStore.getState().active?.path
  const model = path === undefined ? null : modelOf(path)
  if (!model) return null
  const last = lastFocusedEditor()
  if (last?.getModel() === model) return last
  return monaco.editor.getEditors().find((editor) => editor.getModel() === model) ?? null
}

function isCpp(editor: Monaco.editor.ICodeEditor): boolean {
  return cppLanguages.includes(editor.getModel()?.getLanguageId() ?? '')
}

/** What the editor itself does by its own keys, for those who look for it in the palette. */
export function editorCommands(): Command[] {
  return [
    action('definition', 'Go to definition', 'editor.action.revealDefinition', 'F12'),
    action('references', 'Find references', 'editor.action.goToReferences', 'Shift+F12'),
    action('symbol', 'Go to symbol in the file …', 'editor.action.quickOutline', 'Ctrl+Shift+O'),
    action('rename', 'Rename in all files …', 'editor.action.rename', 'F2'),
    action('format', 'Format document', 'editor.action.formatDocument', 'Shift+Alt+F'),
    action('formatSelection', 'Format selection', 'editor.action.formatSelection'),
    action('fix', 'Quick fixes …', 'editor.action.quickFix', 'Ctrl+.'),
    action('refactor', 'Refactor …', 'editor.action.refactor', 'Ctrl+Shift+R'),
    action('hover', 'Show type and documentation', 'editor.action.showHover'),
    action('complete', 'Complete', 'editor.action.triggerSuggest', 'Ctrl+Space'),
    action('signature', 'Show the signature', 'editor.action.triggerParameterHints'),
    {
      id: 'tools.restartClangd',
      title: 'Restart clangd',
      group: 'Tools',
      // It begins with the first C++ file, which then is the way to start it.
      enabled: () =>
        projectStore.getState().project !== null &&
        !['idle', 'off'].includes(languageStore.getState().state.state),
      run: restartLanguage,
    },
  ]
}

/** @param name Monaco's, of the action; what cannot be done in this file is left out of the palette */
function action(id: string, title: string, name: string, key?: string): Command {
  return {
    id: `editor.${id}`,
    title,
    group: 'Editor',
    keyOfEditor: true,
    ...(key === undefined ? {} : { shortcut: key }),
    enabled: () => {
      const editor = currentEditor()
      if (!editor) return false
      // Some of Monaco's actions are commands, which say nothing of where they can be used.
      const known = editor.getAction(name)
      return known ? known.isSupported() : isCpp(editor) || id === 'fix'
    },
    run: () => {
      const editor = currentEditor()
      if (!editor) return
      // Monaco would only say that nothing was found.
      const why = isCpp(editor) && id !== 'fix' ? whyNoClangd() : ''
      if (why !== '') return notify('warning', why)
      editor.focus()
      editor.trigger('palette', name, null)
    },
  }
}
