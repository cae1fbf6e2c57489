import { defineFeature } from '../../store/feature'
import { doctorCommands } from './commands'
import { DoctorPage } from './DoctorPage'
import { DoctorPanel } from './DoctorPanel'
import { gpuJob } from './gpu-job'

export const feature = defineFeature({
  id: 'doctor',
  title: 'Doctor',
  panel: {
    Panel: DoctorPanel,
    icon: 'M1.6 8.6h3l1.6-5 3 9 1.8-4h3.4',
    help: {
      about: [
        'The compilers, libtorch, CUDA and tools of this machine: what is used, what is missing, and the command that installs it.',
        'GPU self-test checks a GPU in about a minute. Its table can be pasted into an issue.',
      ],
    },
    Page: DoctorPage,
    area: 'middle',
    order: 10,
    menu: 'tools',
  },
  commands: doctorCommands,
  jobs: [gpuJob],
})
