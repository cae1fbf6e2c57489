import { defineFeature } from '../../store/feature'
import { helpCommands } from './commands'
import { HelpPage } from './HelpPage'
import { HelpPanel } from './HelpPanel'
import './styles.css'

export const feature = defineFeature({
  id: 'help',
  title: 'Help',
  panel: {
    Panel: HelpPanel,
    help: { about: ['What each panel is for, all keys, and the versions of this Opsmith.'] },
    Page: HelpPage,
    area: 'middle',
    order: 40,
    closedAtFirst: true,
    menu: 'tools',
  },
  commands: helpCommands,
})
