import type { Command } from '../../store/commands'
import { runDoctor } from '../../store/doctor'
import { showPanel } from '../../store/layout'

export const doctorCommands: readonly Command[] = [
  {
    id: 'doctor.run',
    title: 'Check the tools of this machine again',
    group: 'Tools',
    run: async () => {
      showPanel('doctor')
      await runDoctor()
    },
  },
]
