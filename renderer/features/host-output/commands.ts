import type { Command } from '../../store/commands'
import { clearHostLog, restartHost } from '../../store/host'

export const hostCommands: readonly Command[] = [
  { id: 'host.restart', title: 'Restart the op host', group: 'Run', run: restartHost },
  { id: 'host.clear', title: 'Clear the host output', group: 'Run', run: clearHostLog },
]
