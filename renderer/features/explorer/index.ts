import { defineFeature } from '../../store/feature'
import { ExplorerPanel } from './ExplorerPanel'

export const feature = defineFeature({
  id: 'explorer',
  title: 'Explorer',
  panel: { Panel: ExplorerPanel, area: 'left', order: 10, shortcut: 'Ctrl+1' },
})
