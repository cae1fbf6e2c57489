import { buildStore } from '../../store/build'
import { defineFeature } from '../../store/feature'
import { watchedWork } from '../../store/job'
import { cancelBuild } from '../../store/loop'
import { BuildBadge } from './BuildBadge'
import { BuildPanel } from './BuildPanel'
import { buildCommands } from './commands'
import {
  followBuilds,
  forgetSanitized,
  sanitizeDiagnostics,
  sanitizeStore,
  stopSanitizing,
} from './sanitize'
import './styles.css'

export const feature = defineFeature({
  id: 'build',
  title: 'Build',
  panel: { Panel: BuildPanel, area: 'bottom', order: 20, shortcut: 'Ctrl+5' },
  Badge: BuildBadge,
  commands: buildCommands,
  jobs: [
    watchedWork(buildStore, (state) => state.job !== null, cancelBuild),
    watchedWork(sanitizeStore, (state) => state.job !== null, stopSanitizing),
  ],
  problems: { stores: [sanitizeStore], current: () => sanitizeDiagnostics() },
  start: followBuilds,
  forget: forgetSanitized,
})
