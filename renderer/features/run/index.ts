import { defineFeature } from '../../store/feature'
import { currentManifest } from '../../store/project'
import { callsJob, followRuns, forgetCalls } from './calls'
import { runCommands } from './commands'
import { chooseFirst, chooseFirstIfNone, forgetRun, refreshRun, repeatRun } from './run'
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
        'Calls an operator or a function of the program and shows what comes out, compared with a reference expression.',
        'An operator without a call gets inputs that suit its schema by “Make inputs and run”. “Keep as a call” writes the call into opsmith.json.',
      ],
    },
    area: 'right',
    order: 20,
    shortcut: 'Ctrl+3',
  },
  commands: runCommands,
  jobs: [runJob, makeInputsJob, callsJob],
  tests: callTests,
  refresh: { order: 5, run: refreshRun },
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
