import { defineFeature } from '../../store/feature'
import { watchedWork } from '../../store/job'
import { currentManifest } from '../../store/project'
import { operatorCheckCommands } from './commands'
import { useOperatorCheckRows } from './explorer-rows'
import {
  isCheckingOperators,
  listenToOpchecks,
  opcheckDiagnostics,
  opcheckStore,
  stopOpchecks,
} from './opcheck'
import { entriesChanged, forgetOpchecks, refreshOpchecks } from './opcheck-run'
import { OperatorChecksBadge } from './OperatorChecksBadge'
import { OperatorChecksPanel } from './OperatorChecksPanel'

export const feature = defineFeature({
  id: 'operator-checks',
  title: 'Operator checks',
  panel: {
    Panel: OperatorChecksPanel,
    area: 'right',
    order: 50,
  },
  Badge: OperatorChecksBadge,
  commands: operatorCheckCommands,
  jobs: [watchedWork(opcheckStore, isCheckingOperators, stopOpchecks)],
  problems: { stores: [opcheckStore], current: opcheckDiagnostics },
  explorer: { section: 'Checks', order: 30, useRows: useOperatorCheckRows },
  refresh: { order: 30, run: refreshOpchecks },
  manifest: [
    {
      reads: () => {
        const manifest = currentManifest()
        return [manifest?.checks ?? manifest?.calls, manifest?.inputs]
      },
      changed: ({ isBuilt }) => {
        if (isBuilt) void entriesChanged()
      },
    },
  ],
  start: listenToOpchecks,
  forget: forgetOpchecks,
})
