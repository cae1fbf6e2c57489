import { timingsStore } from './store'
import { listedBenchmarks } from './draft'
import { chooseBenchmark, keepTiming, stopTimings } from './run'
import { isTiming } from './shown'
import { timingRuns } from './runs'
import { measure, measureAll } from './spread'
import type { Command } from '../../store/commands'
import { showPanel } from '../../store/layout'
import { currentManifest } from '../../store/project'
import { runCommands } from '../../store/run-commands'
import { changeSettings, settingsStore } from '../../store/settings'

const hasBenchmarks = (): boolean => listedBenchmarks(currentManifest()).length > 0
const hasChosen = (): boolean => timingsStore.getState().draft.op !== ''

const canRun = (): boolean => hasChosen() || hasBenchmarks()

/** The first benchmark, where none was chosen yet. */
async function runChosen(): Promise<void> {
  if (!hasChosen()) chooseBenchmark(0)
  await measure()
}

/** Everything that can be done with timings; the panel comes to the front. */
export function timingsCommands(): Command[] {
  return [
    command('run', 'Measure the chosen benchmark', runChosen, canRun, 'one', 'F10'),
    command('all', 'Measure all benchmarks', measureAll, hasBenchmarks, 'all', 'Ctrl+F10'),
    command('keep', 'Save this benchmark to opsmith.json', keepTiming, hasChosen, 'one'),
    command('stop', 'Stop measuring', stopTimings, isTiming),
    ...runCommands(timingRuns, 'timing', 'Timings'),
    command(
      'onBuild',
      'Turn “measure after each build” on or off',
      async () => {
        await changeSettings({ timeOnBuild: !settingsStore.getState().settings.timeOnBuild })
      },
      () => true,
    ),
  ]
}

function command(
  id: string,
  title: string,
  run: () => Promise<void>,
  enabled: () => boolean,
  view?: 'all' | 'one',
  shortcut?: string,
): Command {
  return {
    id: `timing.${id}`,
    title: `Timings: ${title}`,
    group: 'Timings',
    enabled,
    run: () => {
      if (view !== undefined) {
        timingsStore.setState({ view })
        showPanel('timings', false)
      }
      return run()
    },
    ...(shortcut === undefined ? {} : { shortcut }),
  }
}
