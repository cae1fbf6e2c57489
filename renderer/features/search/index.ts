import { listen } from '../../bridge/bridge'
import { monaco } from '../../editor/monaco'
import type { Command } from '../../store/commands'
import { defineFeature } from '../../store/feature'
import { layoutStore, showPanel } from '../../store/layout'
import { projectStore } from '../../store/project'
import {
  changeForm,
  forgetSearch,
  restoreForm,
  savedForm,
  searchAgain,
  searchJob,
  searchStore,
} from './search'
import { SearchPanel } from './SearchPanel'
import './styles.css'

const hasProject = (): boolean => projectStore.getState().project !== null

/** What is selected in the editor that has the keyboard, where that is within a line. */
function selectedText(): string {
  const editor = monaco.editor.getEditors().find((one) => one.hasTextFocus())
  const selection = editor?.getSelection()
  if (!selection || selection.startLineNumber !== selection.endLineNumber) return ''
  return editor?.getModel()?.getValueInRange(selection) ?? ''
}

function search(replaces: boolean): void {
  const text = selectedText()
  changeForm({ ...(text !== '' && { text }), ...(replaces && { replaces }) })
  showPanel('search')
  searchStore.setState(({ focusWish }) => ({ focusWish: focusWish + 1 }))
}

const commands: readonly Command[] = [
  {
    id: 'search.find',
    title: 'Search in files',
    group: 'Search',
    shortcut: 'Ctrl+Shift+F',
    enabled: hasProject,
    run: () => search(false),
  },
  {
    id: 'search.replace',
    title: 'Replace in files',
    group: 'Search',
    shortcut: 'Ctrl+Shift+H',
    enabled: hasProject,
    run: () => search(true),
  },
]

export const feature = defineFeature({
  id: 'search',
  title: 'Search',
  panel: {
    Panel: SearchPanel,
    icon: 'M7 2.4a4.6 4.6 0 1 0 0 9.2 4.6 4.6 0 0 0 0-9.2zM10.4 10.4 14 14',
    help: {
      about: [
        'Searches the files of the project, including unsaved edits. The search skips files that .gitignore lists, build folders and binary files.',
        'Regular expressions have the syntax of JavaScript and match within one line. “$1” in a replacement inserts the first group. You can undo a replacement in each file.',
      ],
      keys: [
        ['Down', 'Move from the field into the results, and through the results'],
        ['Enter', 'Start the search, or open the selected result'],
        ['Left, Right', 'Expand or collapse the results of a file'],
      ],
    },
    area: 'right',
    order: 5,
  },
  commands,
  jobs: [searchJob],
  fileActions: [
    {
      id: 'search-folder',
      title: 'Search in this folder',
      order: 20,
      applies: ({ kind }) => kind === 'folder',
      run: (path) => {
        changeForm({ include: `./${path}` })
        search(false)
      },
    },
  ],
  choice: { stores: [searchStore], read: savedForm, restore: restoreForm },
  start: () => {
    listen('file.changed', () => {
      if (layoutStore.getState().visible.has('search')) searchAgain()
    })
  },
  forget: forgetSearch,
})
