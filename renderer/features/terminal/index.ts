import { defineFeature } from '../../store/feature'
import { terminalCommands } from './commands'
import { followTerminals, forgetTerminals } from './store'
import { TerminalPanel } from './TerminalPanel'
import { views } from './load-views'
import './styles.css'

export const feature = defineFeature({
  id: 'terminal',
  title: 'Terminal',
  panel: {
    Panel: TerminalPanel,
    icon: 'M1.8 3h12.4v10H1.8zM4.2 5.8 6.4 8l-2.2 2.2M8 10.4h3.6',
    help: {
      about: [
        'Runs your shell in the folder of the project, with opsmith on PATH. If you close a terminal, all processes that you started in it end.',
        'A file and line in the output, such as op.cpp:12, is a link that opens this line in the editor.',
      ],
      keys: [
        ['Ctrl+Shift+C, Ctrl+Shift+V', 'Copy the selection, paste'],
        [
          'Ctrl+letter',
          'The shell receives these keys. Opsmith receives Ctrl+Shift keys and function keys.',
        ],
      ],
    },
    area: 'bottom',
    order: 40,
  },
  commands: terminalCommands,
  start: followTerminals,
  forget: forgetTerminals,
  testHook: () => ({ text: (name: string) => views()?.terminalText(name) ?? '' }),
})
