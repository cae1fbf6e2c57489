import type { StepMode } from '../../../electron/contract/gpu-stepping'
import type { Command } from '../../store/commands'
import { canGo, cursorPlace, go, runToLine, runToNamed } from './actions'
import { stepJob } from './step-job'

const group = 'Stepping'

function goOn(id: string, title: string, mode: StepMode, shortcut: string): Command {
  return {
    id: `stepping.${id}`,
    title: `Stepping: ${title}`,
    group,
    shortcut,
    enabled: canGo,
    run: () => go(mode),
  }
}

export const steppingCommands: readonly Command[] = [
  {
    id: 'stepping.toCursor',
    title: 'Stepping: Run to this line',
    group,
    shortcut: 'Ctrl+F8',
    enabled: () => cursorPlace() !== null,
    run: async () => {
      const place = cursorPlace()
      if (place) await runToLine(place)
    },
  },
  {
    id: 'stepping.to',
    title: 'Stepping: Run to a line',
    group,
    isInternal: true,
    run: (named = '') => runToNamed(named),
  },
  goOn('step', 'Step', 'step', 'Ctrl+F11'),
  goOn('barrier', 'Next barrier', 'barrier', 'Ctrl+Shift+F11'),
  goOn('continue', 'Continue', 'line', 'Ctrl+F5'),
  {
    id: 'stepping.stop',
    title: 'Stepping: Stop',
    group,
    enabled: stepJob.isRunning,
    run: stepJob.stop,
  },
]
