import { defineFeature } from '../../store/feature'
import { forgetSelectedOperator } from '../../store/registry'
import { SchemasPanel } from './SchemasPanel'
import './styles.css'

export const feature = defineFeature({
  id: 'schemas',
  title: 'Schemas',
  panel: { Panel: SchemasPanel, area: 'right', order: 10, shortcut: 'Ctrl+2' },
  forget: forgetSelectedOperator,
})
