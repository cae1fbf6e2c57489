import { defineFeature } from '../../store/feature'
import { enterKernels, listenToKernels } from './checking'
import { kernelsCommands } from './commands'
import { followHeat } from './heat-lines'
import { KernelsBadge } from './KernelsBadge'
import { KernelsPanel } from './KernelsPanel'
import { kernelDiagnostics } from './problems'
import { kernelsChoice } from './saved'
import { forgetKernels, kernelsStore } from './store'
import './styles.css'

export const feature = defineFeature({
  id: 'kernels',
  title: 'Kernels',
  panel: {
    Panel: KernelsPanel,
    icon: 'M2.4 2.4h4.4v4.4H2.4zM9.2 2.4h4.4v4.4H9.2zM2.4 9.2h4.4v4.4H2.4zM9.2 11.6l1.6 1.6 2.9-3.4',
    help: {
      about: [
        'Runs CUDA kernels on the virtual GPU, which needs only a CPU, and checks each memory access. The checks find races, accesses out of bounds, uninitialised reads, barriers that not all threads reach, and more.',
        'Counts what each line of a kernel costs a GPU: sectors per request, bank conflicts, active lanes, atomics, bytes, operations. The editor shows one of these counts next to each line.',
        'Turn on “Check kernels” or “Count”, then run calls, gradchecks or operator checks. Kernels with checks or counts are slow: turn both off before you time, profile or export.',
      ],
    },
    area: 'right',
    order: 52,
  },
  Badge: KernelsBadge,
  commands: kernelsCommands,
  problems: { stores: [kernelsStore], current: kernelDiagnostics },
  choice: kernelsChoice,
  start: () => {
    listenToKernels()
    followHeat()
  },
  enter: () => void enterKernels(),
  forget: forgetKernels,
})
