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
        'Lists the compilers, libtorch, CUDA and tools of this machine. Shows the tools that Opsmith uses, the tools that are missing, and the commands that install missing tools.',
        'The GPU self-test takes about a minute. You can paste the table of results into an issue.',
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
