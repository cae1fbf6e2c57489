import { defineFeature } from '../../store/feature'
import { exportCommands } from './commands'
import { useExportRows } from './explorer-rows'
import { forgetExports } from './run'
import { ExportBadge } from './ExportBadge'
import { ExportPanel } from './ExportPanel'
import { changesJob, exportJob } from './jobs'
import { exportRuns } from './runs'
import { exportChoice, exportResults } from './saved'
import './styles.css'

export const feature = defineFeature({
  id: 'export',
  title: 'Export',
  panel: {
    Panel: ExportPanel,
    icon: 'M2.2 8v5.6h11.6V8M8 10.4V2M4.8 5.2 8 2l3.2 3.2',
    tasks: { ship: 'above' },
    help: {
      about: [
        'Exports the operators as a wheel, a CMake package, a stable-ABI library and more. Choose forms and a folder, then export.',
        'Opsmith proves each export: it builds and runs the exported files alone, without the rest of the project. If a step of the proof fails, the export fails. To export without a proof, turn off “prove exports”.',
        'A wheel works only with the minor version of torch that it was built with, such as 2.13. To build a wheel for several versions, enter a Python for each version at “Wheels for”. Opsmith then builds wheels for these Pythons only.',
      ],
    },
    area: 'right',
    order: 90,
    shortcut: 'Ctrl+Shift+E',
    menu: 'project',
  },
  Badge: ExportBadge,
  commands: exportCommands(),
  jobs: [changesJob, exportJob],
  explorer: { section: 'Exports', order: 50, useRows: useExportRows },
  choice: exportChoice,
  results: exportResults,
  enter: () => void exportRuns.offer(),
  forget: forgetExports,
})
