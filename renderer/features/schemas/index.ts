import { defineFeature } from '../../store/feature'
import { forgetSelectedOperator } from '../../store/registry'
import { SchemasPanel } from './SchemasPanel'
import { forgetSchemasView, schemasChoice } from './store'
import './styles.css'

export const feature = defineFeature({
  id: 'schemas',
  title: 'Schemas',
  panel: {
    Panel: SchemasPanel,
    icon: 'M5.6 2.2c-1.6 0-2 .8-2 2v1.6c0 1.2-.6 1.8-1.6 2.2 1 .4 1.6 1 1.6 2.2v1.6c0 1.2.4 2 2 2M10.4 2.2c1.6 0 2 .8 2 2v1.6c0 1.2.6 1.8 1.6 2.2-1 .4-1.6 1-1.6 2.2v1.6c0 1.2-.4 2-2 2',
    tasks: { write: 'above' },
    help: {
      about: [
        'Lists the operators that the last build registered, with their dispatch keys, the lines that register their kernels, and the changes since the previous build. “All of libtorch” searches all registered operators.',
      ],
    },
    area: 'right',
    order: 10,
    shortcut: 'Ctrl+2',
  },
  choice: schemasChoice,
  forget: () => {
    forgetSelectedOperator()
    forgetSchemasView()
  },
})
