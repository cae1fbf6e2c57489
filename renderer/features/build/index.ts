import { buildJob } from '../../store/build'
import { defineFeature } from '../../store/feature'
import { BuildBadge } from './BuildBadge'
import { BuildPanel } from './BuildPanel'
import { buildCommands } from './commands'
import { followBuilds, sanitizeDiagnostics, sanitizeJob } from './sanitize'
import './styles.css'
import { buildTest } from './test-hook'
import { followTraces, forgetTraces } from './traced-build'

export const feature = defineFeature({
  id: 'build',
  title: 'Build',
  panel: {
    Panel: BuildPanel,
    icon: 'M9.8 2.2a3.6 3.6 0 0 0-3 5.4L2 12.4 3.6 14l4.8-4.8a3.6 3.6 0 0 0 5-4.4l-2.2 2.2-2-2 2.2-2.2a3.6 3.6 0 0 0-1.6-.6z',
    help: {
      about: [
        'Shows the output of the compilers, the time of each step, and a flame graph of the build time.',
        '“Sanitize” builds a second library with AddressSanitizer and UBSan, and runs the calls of opsmith.json with it.',
      ],
    },
    area: 'bottom',
    order: 20,
    shortcut: 'Ctrl+5',
  },
  Badge: BuildBadge,
  commands: buildCommands,
  jobs: [buildJob, sanitizeJob],
  problems: { stores: [sanitizeJob.store], current: () => sanitizeDiagnostics() },
  start: () => {
    followBuilds()
    followTraces()
  },
  forget: forgetTraces,
  testHook: buildTest,
})
