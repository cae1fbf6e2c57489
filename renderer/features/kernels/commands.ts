import type { Command } from '../../store/commands'
import { showPanel } from '../../store/layout'
import { projectStore } from '../../store/project'
import { checkKernels } from './checking'

const hasProject = (): boolean => projectStore.getState().project !== null

export const kernelsCommands: readonly Command[] = [
  {
    id: 'kernels.on',
    title: 'Kernels: Check kernels',
    group: 'Kernels',
    enabled: hasProject,
    run: () => {
      showPanel('kernels', false)
      return checkKernels(true)
    },
  },
  {
    id: 'kernels.off',
    title: 'Kernels: Turn off kernel checks',
    group: 'Kernels',
    enabled: hasProject,
    run: () => checkKernels(false),
  },
]
