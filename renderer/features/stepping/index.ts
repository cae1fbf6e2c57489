import { defineFeature } from '../../store/feature'
import { listenToSteps } from './actions'
import { steppingCommands } from './commands'
import { followCurrentLine, offerInEditors } from './current-line'
import { stepJob } from './step-job'
import { SteppingPanel } from './SteppingPanel'
import { forgetStepping } from './store'
import './styles.css'

export const feature = defineFeature({
  id: 'stepping',
  title: 'Stepping',
  panel: {
    Panel: SteppingPanel,
    icon: 'M2.4 3.2h5M2.4 8h5M2.4 12.8h5M10.6 2.6v8.6M7.9 8.7l2.7 2.7 2.7-2.7',
    help: {
      about: [
        'Stops the threads of one block of a CUDA kernel at a line, on the virtual GPU. Shows the variables of each lane of a warp, what each thread waits for, and shared memory with its races.',
        'Put the cursor on a line of a kernel and choose “Run to this line”. Opsmith makes a separate build for stepping, then runs the chosen call.',
      ],
    },
    area: 'right',
    order: 53,
  },
  commands: steppingCommands,
  jobs: [stepJob],
  start: () => {
    listenToSteps()
    followCurrentLine()
    offerInEditors()
  },
  forget: forgetStepping,
})
