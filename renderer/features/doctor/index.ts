import { defineFeature } from '../../store/feature'
import { doctorCommands } from './commands'
import { DoctorPage } from './DoctorPage'
import { DoctorPanel } from './DoctorPanel'

export const feature = defineFeature({
  id: 'doctor',
  title: 'Doctor',
  panel: {
    Panel: DoctorPanel,
    Page: DoctorPage,
    area: 'middle',
    order: 10,
    closedAtFirst: true,
    menu: 'tools',
  },
  commands: doctorCommands,
})
