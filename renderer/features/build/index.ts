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
  panel: { Panel: BuildPanel, area: 'bottom', order: 20, shortcut: 'Ctrl+5' },
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
