import { defineFeature } from '../../store/feature'
import { hostCommands } from './commands'
import { CrashBadge } from './CrashBadge'
import { HostOutputPanel } from './HostOutputPanel'

export const feature = defineFeature({
  id: 'host-output',
  title: 'Host output',
  panel: {
    Panel: HostOutputPanel,
    icon: 'M1.8 3h12.4v10H1.8zM4.2 5.8h5.6M4.2 8h7.6M4.2 10.2h3.6',
    help: {
      about: [
        'Shows the output of operators. Operators run in a separate process, the op host. If an operator crashes, this panel shows the line in your sources.',
      ],
    },
    area: 'bottom',
    order: 30,
    shortcut: 'Ctrl+6',
  },
  Badge: CrashBadge,
  commands: hostCommands,
})
