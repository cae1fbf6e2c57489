import type { Command } from '../../store/commands'
import { helpOnPanel, showGuide, showHelp } from './store'

export const helpCommands: readonly Command[] = [
  {
    id: 'help.panel',
    title: 'Help on this panel',
    group: 'Help',
    shortcut: 'Shift+F1',
    otherKey: '?',
    run: (panel = '') => helpOnPanel(panel),
  },
  {
    id: 'help.guides',
    title: 'Guides and reference',
    group: 'Help',
    run: (place = '') => showGuide(place),
  },
  {
    id: 'help.keys',
    title: 'Keys',
    group: 'Help',
    shortcut: 'Ctrl+F1',
    run: () => showHelp('keys'),
  },
  { id: 'help.about', title: 'About Opsmith', group: 'Help', run: () => showHelp('about') },
]
