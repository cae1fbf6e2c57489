import { defineFeature } from '../../store/feature'
import { exportCommands } from './commands'
import { useExportRows } from './explorer-rows'
import { forgetExports } from './run'
import { ExportBadge } from './ExportBadge'
import { ExportPanel } from './ExportPanel'
import { changesJob, exportJob } from './jobs'
import './styles.css'

export const feature = defineFeature({
  id: 'export',
  title: 'Export',
  panel: {
    Panel: ExportPanel,
    area: 'right',
    order: 90,
    shortcut: 'Ctrl+Shift+E',
    menu: 'project',
  },
  Badge: ExportBadge,
  commands: exportCommands(),
  jobs: [changesJob, exportJob],
  explorer: { section: 'Exports', order: 50, useRows: useExportRows },
  forget: forgetExports,
})
