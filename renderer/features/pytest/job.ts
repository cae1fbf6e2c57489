import type { PytestProgress, PytestReport } from '../../../electron/contract/pytest'
import { ok } from '../../../electron/contract/outcome'
import { call } from '../../bridge/bridge'
import { createJob } from '../../store/job'
import { schemasStore } from '../../store/schemas'
import { failedIds, keepTests, noteCalls, noteTests, pytestStore } from './store'

type Asked = {
  /** Node ids; [] for all tests. */
  ids: readonly string[]
  onlyList: boolean
  recordsCalls: boolean
}

/** How far a run is, and the sources that it is of. */
type RunProgress = PytestProgress & { stamp: string }

/** A run that has ended; its tests are in the store. */
export type EndedRun = Omit<PytestReport, 'tests' | 'calls'> & { onlyList: boolean }

/** Runs the project's own tests. The newest wish wins: after a build, the library of an older run is an older one. */
export const pytestJob = createJob<Asked, EndedRun, RunProgress>({
  kind: 'pytest',
  latest: 'wins',
  run: async ({ ids, onlyList, recordsCalls }, { folder, job, stamp, report }) => {
    report({ done: 0, total: 0, running: '', tests: [], stamp })
    const request = { ids: [...ids], onlyList, recordsCalls }
    const result = await call('pytest.run', { folder, job, request })
    if (!result.ok) return result
    const { tests, calls, ...rest } = result.value
    // An answer may overtake the event of its last tests: the answer has them all.
    noteTests(tests, stamp)
    if (ids.length === 0 && rest.ended === '') keepTests(tests)
    if (calls !== null) noteCalls(calls)
    return ok({ ...rest, onlyList })
  },
  progress: {
    event: 'pytest.progressed',
    read: ({ progress }, before) => ({ ...progress, stamp: before?.stamp ?? '' }),
  },
  keepsValue: true,
})

pytestJob.store.subscribe(({ progress }, { progress: before }) => {
  if (progress !== null && progress !== before) noteTests(progress.tests, progress.stamp)
})

export function runTests(ids: readonly string[] = []): Promise<unknown> {
  const { recordsCalls } = pytestStore.getState()
  return pytestJob.run({ ids, onlyList: false, recordsCalls })
}

export function listTests(): Promise<unknown> {
  return pytestJob.run({ ids: [], onlyList: true, recordsCalls: false })
}

export async function runFailedTests(): Promise<void> {
  const ids = failedIds()
  if (ids.length > 0) await runTests(ids)
}

/** After each good build: all tests, where that is switched on. Edits of the program alone change no library. */
export async function refreshTests(cause: 'build' | 'program'): Promise<void> {
  if (cause !== 'build' || !pytestStore.getState().afterBuild) return
  // A list of calls that is being read stays.
  await pytestJob.run({ ids: [], onlyList: false, recordsCalls: false })
}

/** There is a library, so that tests can run. */
export function canRunTests(): boolean {
  return schemasStore.getState().load !== null
}

/** What is folded stays for this session; what is known of tests goes with their project. */
export function forgetTests(): void {
  pytestStore.setState(pytestStore.getInitialState(), true)
}
