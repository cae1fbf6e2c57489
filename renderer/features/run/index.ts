import { defineFeature } from '../../store/feature'
import { currentManifest } from '../../store/project'
import { callsJob, followRuns, forgetCalls } from './calls'
import { runCommands } from './commands'
import {
  chooseFirst,
  chooseFirstIfNone,
  forgetRun,
  refreshOrder,
  refreshRun,
  repeatRun,
} from './run'
import { makeInputsJob, runJob } from './job'
import { RunPanel } from './RunPanel'
import { runChoice, runResults } from './saved'
import { callTests } from './tests'
import './styles.css'

export const feature = defineFeature({
  id: 'run',
  title: 'Run',
  panel: {
    Panel: RunPanel,
    icon: 'M4.6 2.8v10.4L13 8z',
    tasks: { write: 'above', check: 'below' },
    help: {
      about: [
        'Calls an operator or a function of the program, shows the results, and compares them with a reference expression.',
        'If an operator has no inputs yet, “Make inputs and run” makes inputs that fit the schema of the operator. “Keep as a call” writes the call to opsmith.json.',
      ],
    },
    area: 'right',
    order: 20,
    shortcut: 'Ctrl+3',
  },
  commands: runCommands,
  jobs: [runJob, makeInputsJob, callsJob],
  tests: callTests,
  refresh: { order: refreshOrder, run: refreshRun },
  manifest: [
    { reads: () => currentManifest()?.calls, changed: chooseFirstIfNone },
    { reads: () => currentManifest()?.inputs, changed: repeatRun },
  ],
  choice: runChoice,
  results: runResults,
  start: followRuns,
  enter: () => void chooseFirst(),
  forget: () => {
    forgetRun()
    forgetCalls()
  },
})
