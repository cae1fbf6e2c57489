import { defineFeature } from '../../store/feature'
import { AssemblyPanel } from './AssemblyPanel'
import { assemblyCommands } from './commands'
import { followAssembly, forgetAssembly } from './run'
import { followAssemblyLines } from './editor-lines'
import { followRemarks } from './editor-remarks'
import { compareJob, estimateJob, followShownFunction, remarksJob } from './extras'
import { assemblyChoice } from './saved'
import './styles.css'

export const feature = defineFeature({
  id: 'assembly',
  title: 'Assembly',
  panel: {
    Panel: AssemblyPanel,
    icon: 'M4.4 4.4h7.2v7.2H4.4zM6.4 1.6v2.8M9.6 1.6v2.8M6.4 11.6v2.8M9.6 11.6v2.8M1.6 6.4h2.8M1.6 9.6h2.8M11.6 6.4h2.8M11.6 9.6h2.8',
    tasks: { measure: 'below' },
    help: {
      about: [
        'Shows the machine code of one function next to its source. Rows have the colour of their source line. The panel follows the cursor until you choose a function from the list.',
        'For the kernels of CUDA sources, choose PTX or SASS instead of machine code.',
        '“compare with” shows the function next to the same function from an earlier build, or compiled with other flags or another compiler. During a comparison, you can also choose another version instead of “this build” in the “compare” list. “remarks” shows the optimizations that clang made at each line, and the reasons why other optimizations failed. llvm-mca estimates the cycles of a loop. The estimate assumes that the data is in the L1 cache.',
      ],
      keys: [
        ['Up, Down, Page Up, Page Down', 'Move through the instructions'],
        ['Enter', 'Open the source line of the instruction'],
        ['J', 'Follow a jump'],
        ['L', 'Estimate the loop around the instruction'],
        ['N, P', 'Go to the next or previous change of a comparison'],
      ],
    },
    area: 'right',
    order: 80,
  },
  commands: assemblyCommands,
  jobs: [compareJob, remarksJob, estimateJob],
  start: () => {
    followAssembly()
    followAssemblyLines()
    followShownFunction()
    followRemarks()
  },
  choice: assemblyChoice,
  forget: forgetAssembly,
})
