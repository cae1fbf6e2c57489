import { defineFeature } from '../../store/feature'
import { problemsCommands } from './commands'
import { ProblemsBadge } from './ProblemsBadge'
import { ProblemsPanel } from './ProblemsPanel'

export const feature = defineFeature({
  id: 'problems',
  title: 'Problems',
  panel: { Panel: ProblemsPanel, area: 'bottom', order: 10, shortcut: 'Ctrl+4' },
  Badge: ProblemsBadge,
  commands: problemsCommands,
})
