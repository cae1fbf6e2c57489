import { defineFeature } from '../../store/feature'
import { SettingsPage } from './SettingsPage'
import { SettingsPanel } from './SettingsPanel'

export const feature = defineFeature({
  id: 'settings',
  title: 'Settings',
  panel: {
    Panel: SettingsPanel,
    help: {
      about: ['What holds for all projects: theme, text size, when to build, limits of calls.'],
    },
    Page: SettingsPage,
    area: 'middle',
    order: 20,
    shortcut: 'Ctrl+,',
    closedAtFirst: true,
    menu: 'tools',
  },
})
