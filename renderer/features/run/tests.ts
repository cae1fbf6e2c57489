import type { TestRow, TestSource } from '../../store/feature'
import { argumentText } from '../../store/arguments'
import { showPanel } from '../../store/layout'
import { currentManifest } from '../../store/project'
import { kernelPlace, placeOfExit } from '../../store/tests'
import { isOlder } from '../../store/staleness'
import { callsJob, callsStore, runAllCalls } from './calls'
import { runJob } from './job'
import { chooseCall } from './run'

function rows(): TestRow[] {
  const calls = currentManifest()?.calls ?? []
  const outcomes = callsStore.getState()
  const { progress } = callsJob.store.getState()
  return calls.map(({ op, args, reference }, index): TestRow => {
    const known = outcomes[index]?.op === op ? outcomes[index] : undefined
    const isRunning = callsJob.isRunning() && progress?.running === index
    return {
      title: `${op}(${args.map(argumentText).join(', ')})`,
      particular: reference === undefined ? 'no reference' : '',
      state: known?.state ?? 'none',
      isRunning,
      word: '',
      isOld: known !== undefined && isOlder(known.stamp, 'run'),
      seconds: known?.seconds ?? null,
      why: known?.why ?? '',
      place: placeOfExit(known?.error?.exit) ?? kernelPlace(op),
      run: async () => {
        await callsJob.run([index])
      },
      open: () => {
        showPanel('run')
        void chooseCall(index)
      },
    }
  })
}

/** The calls of opsmith.json, compared with their references. */
export const callTests: TestSource = {
  title: 'Calls',
  order: 10,
  stores: [callsStore, callsJob.store, runJob.store],
  current: rows,
  runAll: runAllCalls,
  isRunning: callsJob.isRunning,
}
