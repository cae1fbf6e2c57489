import { defineFeature } from '../../store/feature'
import { SchemasPanel } from './SchemasPanel'
import './styles.css'

export const feature = defineFeature({
  id: 'schemas',
  title: 'Schemas',
  panel: { Panel: SchemasPanel, area: 'right', order: 10, shortcut: 'Ctrl+2' },
})
