import { defineFeature } from '../../store/feature'
import { doctorCommands } from './commands'
import { DoctorPage } from './DoctorPage'
import { DoctorPanel } from './DoctorPanel'

export const feature = defineFeature({
  id: 'doctor',
  title: 'Doctor',
  panel: {
    Panel: DoctorPanel,
    help: {
      about: [
        'The compilers, libtorch, CUDA and tools of this machine: what is used, what is missing, and the command that installs it.',
      ],
    },
    Page: DoctorPage,
    area: 'middle',
    order: 10,
    closedAtFirst: true,
    menu: 'tools',
  },
  commands: doctorCommands,
})
