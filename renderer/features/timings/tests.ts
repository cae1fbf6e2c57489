import type { TimingRow } from '../../../electron/contract/timing-report'
import type { TestRow, TestSource } from '../../store/feature'
import { showPanel } from '../../store/layout'
import { currentManifest } from '../../store/project'
import { kernelPlace, placeOfExit } from '../../store/tests'
import { isOlder } from '../../store/staleness'
import { timingNames } from './draft'
import { allTimingsJob, timingJob, type Timed } from './jobs'
import { chooseBenchmark, runAllTimings, runTiming } from './run'
import { ownRow } from './shown'
import { timingsStore } from './store'
import { timeText } from './time-units'

/** What is known of a benchmark: as it was measured last, alone or with the others. */
function known(index: number): { timed: Timed; rows: TimingRow[] } | null {
  const all = allTimingsJob.store.getState().value
  const one = timingsStore.getState().entry === index ? timingJob.store.getState().value : null
  const timed = one ?? all
  if (timed === null) return null
  return { timed, rows: timed === one ? one.rows : timed.rows.filter((row) => row.entry === index) }
}

function rows(): TestRow[] {
  const manifest = currentManifest()
  const { entry: chosen } = timingsStore.getState()
  return (manifest?.benchmarks ?? []).map((entry, index): TestRow => {
    const { title, particular } = timingNames(entry, manifest?.inputs ?? {})
    const result = known(index)
    const refused = result?.rows.find((row) => row.refused !== '')
    const own = ownRow(result?.rows ?? [])
    const isRunning = timingJob.isRunning() && chosen === index
    const state = !own ? 'none' : refused?.error?.exit ? 'crashed' : refused ? 'failed' : 'passed'
    return {
      title,
      particular,
      state,
      isRunning,
      word: own?.summary ? timeText(own.summary.median) : '',
      isOld: own !== undefined && isOlder(result?.timed.stamp ?? '', 'run'),
      seconds: null,
      why: refused?.refused ?? '',
      place: placeOfExit(refused?.error?.exit) ?? kernelPlace(entry.op),
      run: () => {
        chooseBenchmark(index)
        return runTiming()
      },
      open: () => {
        showPanel('timings')
        chooseBenchmark(index)
      },
    }
  })
}

/** The benchmarks of opsmith.json. */
export const timingTests: TestSource = {
  title: 'Benchmarks',
  order: 40,
  stores: [timingsStore, timingJob.store, allTimingsJob.store],
  current: rows,
  runAll: () => {
    timingsStore.setState({ view: 'all' })
    return runAllTimings()
  },
  isRunning: allTimingsJob.isRunning,
  isOnlyAlone: true,
}
