import { defineFeature } from '../../store/feature'
import { SettingsPanel } from './SettingsPanel'

export const feature = defineFeature({
  id: 'settings',
  title: 'Settings',
  panel: {
    Panel: SettingsPanel,
    area: 'middle',
    order: 20,
    shortcut: 'Ctrl+,',
    closedAtFirst: true,
    menu: 'tools',
  },
})
