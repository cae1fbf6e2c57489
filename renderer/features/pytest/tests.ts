import type { PytestOutcome, PytestTest } from '../../../electron/contract/pytest'
import type { TestPlace, TestRow, TestSource } from '../../store/feature'
import { showPanel } from '../../store/layout'
import { currentManifest } from '../../store/project'
import { isOlder } from '../../store/staleness'
import { pytestJob, runTests } from './job'
import { chooseTest, pytestStore } from './store'
import { partsOf } from './tree'

function rows(): TestRow[] {
  const known = Object.values(pytestStore.getState().tests)
  // Which tests there are is known once pytest ran. Where the repository has a Python package, it probably has some.
  if (known.length === 0) return currentManifest()?.pythonModules ? [notFound] : []
  const running = pytestJob.store.getState().progress?.running
  return known.map(({ test, stamp }): TestRow => {
    const { id, outcome, seconds, message } = test
    const [file = '', ...names] = partsOf(id)
    return {
      title: names.join('::'),
      particular: file,
      state: states[outcome],
      isRunning: pytestJob.isRunning() && running === id,
      word: outcome === 'xfailed' ? 'fails' : '',
      isOld: outcome !== 'none' && isOlder(stamp, 'run'),
      seconds: outcome === 'none' ? null : seconds,
      why: message,
      place: placeOf(test),
      run: async () => {
        await runTests([id])
      },
      open: () => {
        showPanel('pytest')
        chooseTest(id)
      },
    }
  })
}

/** Stands for all tests until they are found. */
const notFound: TestRow = {
  title: 'pytest',
  particular: 'the tests are listed after the first run',
  state: 'none',
  isRunning: false,
  word: '',
  isOld: false,
  seconds: null,
  why: '',
  place: null,
  run: runAll,
  open: () => showPanel('pytest'),
}

const states: Record<PytestOutcome, TestRow['state']> = {
  none: 'none',
  passed: 'passed',
  failed: 'failed',
  error: 'failed',
  skipped: 'skipped',
  xfailed: 'passed',
  xpassed: 'passed',
  crashed: 'crashed',
}

/** Of a failure, the line that raised; else the test. */
function placeOf({ id, file, line, places }: PytestTest): TestPlace | null {
  const raised = places.at(-1)
  if (raised) return raised
  return line > 0 ? { name: partsOf(id).at(-1) ?? id, file, line } : null
}

async function runAll(): Promise<void> {
  await runTests()
}

/** The repository's own tests in Python. */
export const pytestTests: TestSource = {
  title: 'Pytest',
  order: 35,
  stores: [pytestStore, pytestJob.store],
  current: rows,
  runAll,
  isRunning: pytestJob.isRunning,
}
