import type { KernelVariant } from '../../../electron/contract/build'
import type { Command } from '../../store/commands'
import { showPanel } from '../../store/layout'
import { projectStore } from '../../store/project'
import { compileKernelsFor } from './checking'

const hasProject = (): boolean => projectStore.getState().project !== null

function turnOn(id: string, title: string, variant: KernelVariant): Command {
  return {
    id,
    title,
    group: 'Kernels',
    enabled: hasProject,
    run: () => {
      showPanel('kernels', false)
      return compileKernelsFor(variant)
    },
  }
}

export const kernelsCommands: readonly Command[] = [
  turnOn('kernels.on', 'Kernels: Check kernels', 'checked'),
  turnOn('kernels.count', 'Kernels: Count', 'counted'),
  {
    id: 'kernels.off',
    title: 'Kernels: Turn off checks and counts',
    group: 'Kernels',
    enabled: hasProject,
    run: () => compileKernelsFor('plain'),
  },
]
