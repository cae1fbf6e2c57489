import { defineFeature } from '../../store/feature'
import { watchedWork } from '../../store/job'
import { currentManifest } from '../../store/project'
import { timingsStore } from './store'
import { benchmarksChanged, forgetTimings, followTimings, refreshTimings, stopTimings } from './run'
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
    focus: '.gc-body .section-body',
  },
  Badge: TimingsBadge,
  commands: timingsCommands(),
  jobs: [watchedWork(timingsStore, (state) => state.work !== null, stopTimings)],
  explorer: { section: 'Benchmarks', order: 40, useRows: useBenchmarkRows },
  // Last, and alone: other work on the machine would be in the times.
  refresh: { order: 90, run: refreshTimings },
  manifest: [
    {
      reads: () => [currentManifest()?.benchmarks, currentManifest()?.calls],
      changed: benchmarksChanged,
    },
  ],
  start: followTimings,
  forget: forgetTimings,
})
