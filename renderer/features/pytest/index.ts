import { defineFeature } from '../../store/feature'
import { pytestCommands } from './commands'
import { forgetTests, pytestJob, refreshTests } from './job'
import { PytestBadge } from './PytestBadge'
import { PytestPanel } from './PytestPanel'
import { pytestChoice, pytestResults } from './saved'
import { pytestTests } from './tests'
import './styles.css'

export const feature = defineFeature({
  id: 'pytest',
  title: 'Pytest',
  panel: {
    Panel: PytestPanel,
    icon: 'M2.4 3h4M2.4 8h4M2.4 13h4M8.6 3.2l1.4 1.4 3-3M8.6 8.2l1.4 1.4 3-3M8.8 11.4l4 3.2M12.8 11.4l-4 3.2',
    help: {
      about: [
        'Runs the tests of this repository with pytest. The tests use the library that Opsmith built instead of the installed library. Nothing is installed, and no file of the repository changes.',
        'With “record calls”, a run lists the calls that the tests make to the operators. You can add these calls to opsmith.json as calls, gradchecks, operator checks and benchmarks.',
        'Opsmith uses the Python of the active environment. If no environment is active, Opsmith uses the Python of .venv or venv in the project, or else the first Python on PATH that has torch. This Python needs pytest and the torch version that the library is built for.',
      ],
      keys: [
        ['Up, Down', 'Move through the tests'],
        ['Left, Right', 'Hide or show the tests of a file or a class'],
        ['Ctrl+Enter', 'Run the test, file or class'],
      ],
    },
    area: 'right',
    order: 55,
  },
  Badge: PytestBadge,
  commands: pytestCommands,
  jobs: [pytestJob],
  tests: pytestTests,
  // Last: it has a process of its own, and takes long.
  refresh: { order: 100, run: refreshTests },
  choice: pytestChoice,
  results: pytestResults,
  forget: forgetTests,
})
