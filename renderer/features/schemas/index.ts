import { defineFeature } from '../../store/feature'
import { forgetSelectedOperator } from '../../store/registry'
import { SchemasPanel } from './SchemasPanel'
import './styles.css'

export const feature = defineFeature({
  id: 'schemas',
  title: 'Schemas',
  panel: {
    Panel: SchemasPanel,
    help: {
      about: [
        'The operators that the last build registered, with dispatch keys, the lines of their kernels and what changed. “All of libtorch” searches every operator there is.',
      ],
    },
    area: 'right',
    order: 10,
    shortcut: 'Ctrl+2',
  },
  forget: forgetSelectedOperator,
})
