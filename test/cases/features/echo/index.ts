import { err } from '../../../electron/contract/outcome'
import { defineFeature } from '../../store/feature'
import { createJob } from '../../store/job'
import { showPanel } from '../../store/layout'
import { EchoPanel } from './EchoPanel'
import './styles.css'

/** Runs until it is stopped. */
const echoJob = createJob<null, string>({
  kind: 'echo',
  latest: 'refused',
  run: async () => {
    while (!echoJob.store.getState().stopping) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return err('cancelled', 'The echo was stopped.')
  },
})

const problems = [
  {
    severity: 'warning' as const,
    file: '',
    line: 0,
    column: 0,
    message: 'The echo has a problem.',
    source: 'echo',
    code: 'echo',
    notes: [],
  },
]

export const feature = defineFeature({
  id: 'echo',
  title: 'Echo',
  panel: {
    Panel: EchoPanel,
    icon: 'M2 8h12',
    help: { about: ['Echoes until it is stopped.'] },
    area: 'right',
    order: 1,
    shortcut: 'Ctrl+Alt+Y',
  },
  commands: [
    {
      id: 'echo.run',
      title: 'Echo until stopped',
      group: 'Echo',
      run: async () => {
        showPanel('echo', false)
        await echoJob.run(null)
      },
    },
  ],
  jobs: [echoJob],
  problems: { stores: [], current: () => problems },
})
