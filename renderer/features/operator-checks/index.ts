import { defineFeature } from '../../store/feature'
import { currentManifest } from '../../store/project'
import { operatorCheckCommands } from './commands'
import { operatorCheckJob, operatorCheckJobs } from './jobs'
import { operatorCheckDiagnostics } from './problems'
import { operatorCheckRuns } from './runs'
import { operatorChecksStore } from './store'
import { entriesChanged, forgetOperatorChecks, refreshOperatorChecks } from './run'
import { OperatorChecksBadge } from './OperatorChecksBadge'
import { OperatorChecksPanel } from './OperatorChecksPanel'
import { operatorChecksChoice, operatorChecksResults } from './saved'
import { operatorCheckTests } from './tests'

export const feature = defineFeature({
  id: 'operator-checks',
  title: 'Operator checks',
  panel: {
    Panel: OperatorChecksPanel,
    icon: 'M2.4 3.4l1.2 1.2L5.8 2.4M2.4 8.2l1.2 1.2 2.2-2.2M2.4 13l1.2 1.2L5.8 12M8.4 3.6h5.4M8.4 8.4h5.4M8.4 13.2h5.4',
    tasks: { check: 'above' },
    help: {
      about: [
        'Checks memory, layouts, dtypes and shapes of an operator, with the checks of torch.library.opcheck and more. If opsmith.json has no inputs for an operator, Opsmith makes inputs from the schema.',
        '“sanitizers” also runs the calls with ASan and UBSan. “thorough” also checks complex and second-order gradients, and four times as many shapes.',
        'To check all operators on another machine or with Slurm, choose the machine or Slurm in the “where” field. Such a run goes on if you close the window.',
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
  tests: operatorCheckTests,
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
  choice: operatorChecksChoice,
  results: operatorChecksResults,
  enter: () => void operatorCheckRuns.offer(),
  forget: forgetOperatorChecks,
})
