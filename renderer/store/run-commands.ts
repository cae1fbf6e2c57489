import type { Command } from './commands'
import { showPanel } from './layout'
import type { Runs } from './runs'

/**
 * What can be done with the run that a panel shows, else with the newest.
 * @param prefix of their ids
 * @param title of the feature
 */
export function runCommands({ acts, panel }: Runs, prefix: string, title: string): Command[] {
  const command = (id: string, words: string, act: (typeof acts)['attach']): Command => ({
    id: `${prefix}.${id}`,
    title: `${title}: ${words}`,
    group: title,
    enabled: act.isPossible,
    run: act.run,
  })
  const attach = async (): Promise<void> => {
    showPanel(panel, false)
    await acts.attach.run()
  }
  return [
    command('attachRun', 'Attach to the run', { ...acts.attach, run: attach }),
    command('stopRun', 'Stop the run', acts.stop),
    command('removeRun', 'Remove the run', acts.remove),
  ]
}
