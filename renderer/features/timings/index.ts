import { defineFeature } from '../../store/feature'
import { currentManifest } from '../../store/project'
import { benchmarksChanged, forgetTimings, refreshTimings } from './run'
import { timingsCommands } from './commands'
import { allTimingsJob, kernelsJob, timingJob } from './jobs'
import { followTimings } from './shown'
import { timingRuns } from './runs'
import './styles.css'
import { TimingsBadge } from './TimingsBadge'
import { TimingsPanel } from './TimingsPanel'
import { timingsChoice, timingsResults } from './saved'
import { timingTests } from './tests'

export const feature = defineFeature({
  id: 'timings',
  title: 'Timings',
  panel: {
    Panel: TimingsPanel,
    icon: 'M8 4.2a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM8 9.2V6.4M6.4 1.8h3.2M8 1.8v2.4M12 4.6l1-1',
    tasks: { measure: 'above' },
    help: {
      about: [
        'Measures operators, forward and backward, over sizes. Compares them with an expression, another operator or an earlier build.',
        'A variant is what an operator is compared with. Its time is shown only if its result equals the result of the operator.',
        'Other machines and Slurm can measure a sweep: choose them in the “where” field. Such a run goes on if you close the window.',
      ],
    },
    area: 'right',
    order: 60,
    shortcut: 'Ctrl+9',
  },
  Badge: TimingsBadge,
  commands: timingsCommands(),
  jobs: [timingJob, allTimingsJob, kernelsJob],
  tests: timingTests,
  // Last, and alone: other work on the machine would be in the times.
  refresh: { order: 90, run: refreshTimings },
  manifest: [
    {
      reads: () => [currentManifest()?.benchmarks, currentManifest()?.calls],
      changed: benchmarksChanged,
    },
  ],
  choice: timingsChoice,
  results: timingsResults,
  start: followTimings,
  enter: () => void timingRuns.offer(),
  forget: forgetTimings,
})
