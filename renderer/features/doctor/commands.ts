import type { Command } from '../../store/commands'
import { runDoctor } from '../../store/doctor'
import { showPanel } from '../../store/layout'
import { gpuJob } from './gpu-job'

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
  {
    id: 'doctor.gpu',
    title: 'Check the GPU of this machine',
    group: 'Tools',
    run: async () => {
      showPanel('doctor')
      await gpuJob.run()
    },
  },
]
