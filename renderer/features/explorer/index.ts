import { defineFeature } from '../../store/feature'
import { followDrops } from './drops'
import { ExplorerPanel } from './ExplorerPanel'
import './styles.css'
import { followTree, forgetTree, restoreFolders, savedFolders, treeStore } from './tree'

export const feature = defineFeature({
  id: 'explorer',
  title: 'Explorer',
  panel: {
    Panel: ExplorerPanel,
    icon: 'M1.8 3.8h4.4l1.4 1.6h6.6v7.2H1.8z',
    help: {
      about: [
        'The files of the project, and the exports that opsmith.json lists. A click opens each where it belongs; a model (.pt, .pt2) shows its graph. Calls, gradchecks, operator checks and benchmarks are in the Tests panel.',
        'A letter behind a name is what git says: M modified, A added, U untracked, R renamed, ! conflict. What git ignores is in italics.',
        'Drop files from outside on a folder to copy them there. Drag rows of the tree to move them. The menu of a row has more actions.',
      ],
      keys: [
        ['Up, Down', 'Walk through the rows'],
        ['Enter', 'Open the row'],
        ['Left, Right', 'Close or open a folder'],
        ['F2', 'Rename'],
        ['Delete', 'Move to the trash'],
        ['Shift+F10', 'The menu of the row'],
      ],
    },
    area: 'left',
    order: 10,
    shortcut: 'Ctrl+1',
  },
  choice: { store: treeStore, read: savedFolders, restore: restoreFolders },
  start: () => {
    followTree()
    followDrops()
  },
  forget: forgetTree,
})
