import { defineFeature } from '../../store/feature'
import { problemsCommands } from './commands'
import { ProblemsBadge } from './ProblemsBadge'
import { ProblemsPanel } from './ProblemsPanel'

export const feature = defineFeature({
  id: 'problems',
  title: 'Problems',
  panel: {
    Panel: ProblemsPanel,
    icon: 'M8 2.2 14.2 13.4H1.8zM8 6.4v3.4M8 11.3v.6',
    help: {
      about: [
        'Lists errors and warnings of the compilers, clangd, lints and checks. A click opens the line. F8 goes from problem to problem and shows each message at its line. A light bulb marks a problem that Opsmith can fix.',
      ],
      keys: [
        ['Up, Down', 'Go from problem to problem'],
        ['Enter', 'Go to the line of the problem'],
        ['Right, Left', 'Show or hide the notes'],
        ['Ctrl+.', 'Apply the fix of the light bulb'],
      ],
    },
    area: 'bottom',
    order: 10,
    shortcut: 'Ctrl+4',
  },
  Badge: ProblemsBadge,
  commands: problemsCommands,
})
