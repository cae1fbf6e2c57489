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
        'Lists the compilers, libtorch, CUDA and tools of this machine. It shows which are used, which are missing, and the commands that install them.',
        'The GPU self-test takes about a minute. You can paste its table into an issue.',
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
