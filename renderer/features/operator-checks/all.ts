import { allOperatorChecksJob } from './jobs'
import { operatorCheckRuns } from './runs'
import { operatorChecksStore } from './store'

/**
 * Checks the operators of the project; what runs already is ended, since its library is an older one.
 * @param isBackground nobody has asked for it
 */
export async function checkOperators(isBackground = false): Promise<void> {
  operatorChecksStore.setState({ repeats: true })
  await runAll({ casesOnly: false, isBackground })
}

/** The same when the user asks for it: in this window, or in a run elsewhere. */
export async function checkAll(): Promise<void> {
  if (operatorCheckRuns.store.getState().where === '') {
    await checkOperators()
    return
  }
  const { sanitize, thorough } = operatorChecksStore.getState()
  const error = await operatorCheckRuns.start({ verb: 'check', sanitize, thorough })
  allOperatorChecksJob.set({ error })
}

/** Only what was kept of failures. */
export async function checkCases(isBackground = false): Promise<void> {
  const { entries } = operatorChecksStore.getState()
  if (entries.some((entry) => entry.checks !== undefined && entry.shapes === 0))
    await runAll({ casesOnly: true, isBackground })
}

async function runAll(wish: { casesOnly: boolean; isBackground: boolean }): Promise<void> {
  if (!(await allOperatorChecksJob.turn())) return
  allOperatorChecksJob.set({ error: null })
  await allOperatorChecksJob.run(wish)
}
