import { defineFeature } from '../../store/feature'
import { SettingsPage } from './SettingsPage'
import { SettingsPanel } from './SettingsPanel'

export const feature = defineFeature({
  id: 'settings',
  title: 'Settings',
  panel: {
    Panel: SettingsPanel,
    icon: 'M8 5.6a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8zM8 1.6v2M8 12.4v2M1.6 8h2M12.4 8h2M3.5 3.5l1.4 1.4M11.1 11.1l1.4 1.4M3.5 12.5l1.4-1.4M11.1 4.9l1.4-1.4',
    help: {
      about: ['Settings for all projects: theme, text size, when to build, limits of calls.'],
    },
    Page: SettingsPage,
    area: 'middle',
    order: 20,
    shortcut: 'Ctrl+,',
    menu: 'tools',
  },
})
