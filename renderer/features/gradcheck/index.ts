import { defineFeature } from '../../store/feature'
import { currentManifest } from '../../store/project'
import { gradcheckCommands } from './commands'
import { gradcheckJobs } from './jobs'
import { forgetGradchecks, refreshGradchecks } from './all'
import { gradientsStore } from './gradient-functions'
import { gradcheckDiagnostics } from './problems'
import { gradcheckRuns } from './runs'
import { gradcheckStore } from './store'
import { GradcheckBadge } from './GradcheckBadge'
import { GradcheckPanel } from './GradcheckPanel'
import { gradcheckChoice, gradcheckResults } from './saved'
import { gradcheckTests } from './tests'
import './styles.css'

export const feature = defineFeature({
  id: 'gradcheck',
  title: 'Gradcheck',
  panel: {
    Panel: GradcheckPanel,
    icon: 'M8 2.4 14 13.2H2zM5.4 9.4l1.8 1.8 3.4-3.6',
    tasks: { write: 'above', check: 'above' },
    help: {
      about: [
        'Compares the gradients of an operator with finite differences, as torch.autograd.gradcheck does, and shows each element of both Jacobians.',
        'Choose an operator from the list. Gradcheck cases that you save to opsmith.json run after every build.',
        '“Search for the worst point” checks the case at many random points (values of the inputs), and shows the worst one. To search on other machines or with Slurm, choose them in the “where” field. Such a run goes on if you close the window.',
      ],
    },
    area: 'right',
    order: 40,
    shortcut: 'Ctrl+8',
  },
  Badge: GradcheckBadge,
  commands: gradcheckCommands(),
  jobs: gradcheckJobs,
  problems: { stores: [gradcheckStore, gradientsStore], current: gradcheckDiagnostics },
  tests: gradcheckTests,
  refresh: { order: 20, run: refreshGradchecks },
  manifest: [
    {
      reads: () => [currentManifest()?.gradchecks, currentManifest()?.inputs],
      changed: ({ isBuilt }) => {
        if (isBuilt) void refreshGradchecks()
      },
    },
  ],
  choice: gradcheckChoice,
  results: gradcheckResults,
  enter: () => void gradcheckRuns.offer(),
  forget: forgetGradchecks,
})
