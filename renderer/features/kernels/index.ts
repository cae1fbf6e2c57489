import { defineFeature } from '../../store/feature'
import { enterKernels, listenToKernels } from './checking'
import { kernelsCommands } from './commands'
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
    icon: 'M4.4 4.4h7.2v7.2H4.4zM6.4 1.6v2.8M9.6 1.6v2.8M6.4 11.6v2.8M9.6 11.6v2.8M1.6 6.4h2.8M1.6 9.6h2.8M11.6 6.4h2.8M11.6 9.6h2.8M6.2 8.1l1.3 1.3 2.3-2.7',
    help: {
      about: [
        'Checks each access of CUDA kernels to memory while they run on the virtual GPU: races, accesses out of bounds, uninitialised reads, barriers that not all threads reach, and more.',
        'Turn on “Check kernels”, then run calls, gradchecks or operator checks. Checked kernels are slow: timings, profiles and exports need a build without checks.',
      ],
    },
    area: 'right',
    order: 52,
  },
  Badge: KernelsBadge,
  commands: kernelsCommands,
  problems: { stores: [kernelsStore], current: kernelDiagnostics },
  choice: kernelsChoice,
  start: listenToKernels,
  enter: () => void enterKernels(),
  forget: forgetKernels,
})
