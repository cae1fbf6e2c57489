import { defineFeature } from '../../store/feature'
import { watchedWork } from '../../store/job'
import { exportCommands } from './commands'
import { useExportRows } from './explorer-rows'
import { exportStore } from './export'
import { forgetExports, listenToExports, stopExport } from './export-run'
import { ExportBadge } from './ExportBadge'
import { ExportPanel } from './ExportPanel'
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
  jobs: [watchedWork(exportStore, (state) => state.work !== null, stopExport)],
  explorer: { section: 'Exports', order: 50, useRows: useExportRows },
  start: listenToExports,
  forget: forgetExports,
})
