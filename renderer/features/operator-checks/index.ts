import { defineFeature } from '../../store/feature'
import { currentManifest } from '../../store/project'
import { operatorCheckCommands } from './commands'
import { useOperatorCheckRows } from './explorer-rows'
import { operatorCheckJob, operatorCheckJobs } from './jobs'
import { operatorCheckDiagnostics } from './problems'
import { operatorChecksStore } from './store'
import { entriesChanged, forgetOperatorChecks, refreshOperatorChecks } from './run'
import { OperatorChecksBadge } from './OperatorChecksBadge'
import { OperatorChecksPanel } from './OperatorChecksPanel'

export const feature = defineFeature({
  id: 'operator-checks',
  title: 'Operator checks',
  panel: {
    Panel: OperatorChecksPanel,
    help: {
      about: [
        'Checks what an operator does to memory, layouts, dtypes and shapes, as torch.library.opcheck does and further. Inputs are made from the schema where opsmith.json gives none.',
        'With “sanitizers”, ASan and UBSan watch the calls.',
      ],
    },
    area: 'right',
    order: 50,
  },
  Badge: OperatorChecksBadge,
  commands: operatorCheckCommands,
  jobs: operatorCheckJobs,
  problems: {
    stores: [operatorChecksStore, operatorCheckJob.store],
    current: operatorCheckDiagnostics,
  },
  explorer: { section: 'Checks', order: 30, useRows: useOperatorCheckRows },
  refresh: { order: 30, run: refreshOperatorChecks },
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
  forget: forgetOperatorChecks,
})
