import { defineFeature } from '../../store/feature'
import { AssemblyPanel } from './AssemblyPanel'
import { followAssembly, forgetAssembly } from './run'
import { followAssemblyLines } from './editor-lines'
import './styles.css'

export const feature = defineFeature({
  id: 'assembly',
  title: 'Assembly',
  panel: { Panel: AssemblyPanel, area: 'right', order: 80 },
  start: () => {
    followAssembly()
    followAssemblyLines()
  },
  forget: forgetAssembly,
})
