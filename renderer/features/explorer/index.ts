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
        'Lists the files of the project, and the exports of opsmith.json. A click opens a file in the editor, an export in the Export panel, and a model (.pt, .pt2) as a graph. Calls, gradchecks, operator checks and benchmarks are in the Tests panel.',
        'The letter after a name is the git state: M modified, A added, U untracked, R renamed, ! conflict. Files that git ignores are in italics.',
        'Drop files from another application on a folder to copy them into it. Drag rows of the tree to move them. The menu of a row has more actions.',
      ],
      keys: [
        ['Up, Down', 'Move through the rows'],
        ['Enter', 'Open the row'],
        ['Left, Right', 'Expand or collapse a folder'],
        ['F2', 'Rename'],
        ['Delete', 'Move to the trash'],
        ['Shift+F10', 'Open the menu of the row'],
      ],
    },
    area: 'left',
    order: 10,
    shortcut: 'Ctrl+1',
  },
  choice: { stores: [treeStore], read: savedFolders, restore: restoreFolders },
  start: () => {
    followTree()
    followDrops()
  },
  forget: forgetTree,
})
