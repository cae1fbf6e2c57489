import { defineFeature } from '../../store/feature'
import { ExplorerPanel } from './ExplorerPanel'

export const feature = defineFeature({
  id: 'explorer',
  title: 'Explorer',
  panel: {
    Panel: ExplorerPanel,
    icon: 'M1.8 3.8h4.4l1.4 1.6h6.6v7.2H1.8z',
    help: {
      about: [
        'The files of the project, and what opsmith.json lists: calls, gradchecks, operator checks, benchmarks and exports. A click opens each where it belongs.',
      ],
      keys: [
        ['Up, Down', 'Walk through the rows'],
        ['Enter', 'Open the row'],
      ],
    },
    area: 'left',
    order: 10,
    shortcut: 'Ctrl+1',
  },
})
