import { defineFeature } from '../../store/feature'
import { watchedWork } from '../../store/job'
import { currentManifest } from '../../store/project'
import { benchStore } from './bench'
import {
  benchmarksChanged,
  forgetBenches,
  listenToBenches,
  refreshBenches,
  stopBench,
} from './bench-run'
import { timingsCommands } from './commands'
import { useBenchmarkRows } from './explorer-rows'
import './styles.css'
import { TimingsBadge } from './TimingsBadge'
import { TimingsPanel } from './TimingsPanel'

export const feature = defineFeature({
  id: 'timings',
  title: 'Timings',
  panel: {
    Panel: TimingsPanel,
    area: 'right',
    order: 60,
    shortcut: 'Ctrl+9',
  },
  Badge: TimingsBadge,
  commands: timingsCommands(),
  jobs: [watchedWork(benchStore, (state) => state.work !== null, stopBench)],
  explorer: { section: 'Benchmarks', order: 40, useRows: useBenchmarkRows },
  // Last, and alone: other work on the machine would be in the times.
  refresh: { order: 90, run: refreshBenches },
  manifest: [
    {
      reads: () => [currentManifest()?.benchmarks, currentManifest()?.calls],
      changed: benchmarksChanged,
    },
  ],
  start: listenToBenches,
  forget: forgetBenches,
})
