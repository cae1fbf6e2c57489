import { defineFeature } from '../../store/feature'
import { followTests } from '../../store/tests'
import { testsCommands } from './commands'
import { followTestMarks, testMarks } from './gutter'
import { TestsBadge } from './TestsBadge'
import { TestsPanel } from './TestsPanel'
import { forgetTestsView, testsChoice } from './store'
import './styles.css'

export const feature = defineFeature({
  id: 'tests',
  title: 'Tests',
  panel: {
    Panel: TestsPanel,
    icon: 'M5.6 1.8h4.8M6.4 1.8v4L3 12.4a1.2 1.2 0 0 0 1.1 1.8h7.8a1.2 1.2 0 0 0 1.1-1.8L9.6 5.8v-4M5.8 10l1.6 1.6 3-3.2',
    tasks: { check: 'above' },
    help: {
      about: [
        'Lists all tests of opsmith.json: calls with a reference, gradchecks, operator checks and benchmarks, each with its verdict and time. The list also contains the Python tests of the repository.',
        'A failed test shows a link to the function that probably contains the fault. The editor shows the same verdicts at the left of the lines.',
      ],
      keys: [
        ['Up, Down', 'Move through the tests'],
        ['Enter', 'Show the test in its panel'],
        ['Ctrl+Enter', 'Run the test'],
      ],
    },
    area: 'left',
    order: 30,
    shortcut: 'Ctrl+Shift+T',
  },
  Badge: TestsBadge,
  commands: testsCommands,
  start: () => {
    followTests()
    followTestMarks()
  },
  choice: testsChoice,
  forget: forgetTestsView,
  testHook: () => ({
    marks: (path: string) =>
      [...(testMarks().get(path) ?? [])].map(([line, { kind }]) => ({ line, kind })),
  }),
})
