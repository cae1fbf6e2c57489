import type { Command } from '../../store/commands'
import { gradcheckStore } from './store'
import { checkAll } from './all'
import { keepCase } from './keep'
import { isAnyRunning, stopGradchecks } from './jobs'
import { editDraft, editOptions, runGradcheck, searchWorst, sweepEps } from './run'
import { gradcheckRuns } from './runs'
import { layoutStore, showPanel } from '../../store/layout'
import { projectStore } from '../../store/project'
import { runCommands } from '../../store/run-commands'
import { goToWrongGradient, wrongGradientPlace } from './wrong-gradient'

const hasChecks = (): boolean =>
  (projectStore.getState().project?.manifest?.gradchecks.length ?? 0) > 0
const hasProject = (): boolean => projectStore.getState().project !== null
const hasCase = (): boolean => gradcheckStore.getState().draft.op !== ''

/** Everything that can be done with gradchecks; the panel comes to the front. */
export function gradcheckCommands(): Command[] {
  return [
    // Where no case was chosen yet, the panel that opens chooses the first and checks it.
    command('run', 'Check the chosen case', runGradcheck, hasProject, 'F9'),
    command('all', 'Run all gradchecks of opsmith.json', checkAll, hasChecks, 'Shift+F9'),
    command('sweep', 'Sweep eps', sweepEps, hasCase),
    command(
      'search',
      'Search for the worst of 100 random points',
      () => searchWorst(100, 0),
      hasCase,
    ),
    command('keep', 'Save this case to opsmith.json', () => keepCase('passed'), hasCase),
    command(
      'keepFailing',
      'Save this case to opsmith.json as expected to fail',
      () => keepCase('failed'),
      hasCase,
    ),
    command('fast', 'Fast mode on or off', () => {
      editOptions({ fast_mode: !gradcheckStore.getState().draft.options.fast_mode })
    }),
    command('secondOrder', 'Second order on or off', () => {
      editDraft({ secondOrder: !gradcheckStore.getState().draft.secondOrder })
    }),
    command('stop', 'Stop', stopGradchecks, isAnyRunning),
    ...runCommands(gradcheckRuns, 'gradcheck', 'Gradcheck'),
    {
      id: 'gradcheck.source',
      title: 'Gradcheck: Go to the function that made the wrong gradient',
      group: 'Gradcheck',
      shortcut: 'F12',
      // In an editor the key goes to the definition.
      enabled: () =>
        layoutStore.getState().dock?.activeTool() === 'gradcheck' && wrongGradientPlace() !== null,
      run: goToWrongGradient,
    },
  ]
}

function command(
  id: string,
  title: string,
  run: () => void | Promise<void>,
  enabled: () => boolean = hasCase,
  shortcut?: string,
): Command {
  return {
    id: `gradcheck.${id}`,
    title: `Gradcheck: ${title}`,
    group: 'Gradcheck',
    enabled,
    run: () => {
      gradcheckRuns.hide()
      showPanel('gradcheck', false)
      return run()
    },
    ...(shortcut === undefined ? {} : { shortcut }),
  }
}
