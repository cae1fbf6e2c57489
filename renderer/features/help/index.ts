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
    icon: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6.2 6.4a1.8 1.8 0 1 1 2.6 1.6c-.6.3-.8.6-.8 1.2M8 11.2v.6',
    help: {
      about: [
        'Shows guides, the purpose of each panel, all keys, and the versions of Opsmith and its tools.',
      ],
    },
    Page: HelpPage,
    area: 'middle',
    order: 40,
    menu: 'tools',
  },
  commands: helpCommands,
})
