import { allOperatorChecksJob } from './jobs'
import { operatorChecksStore } from './store'

/**
 * Checks the operators of the project; what runs already is ended, since its library is an older one.
 * @param isBackground nobody has asked for it
 */
export async function checkOperators(isBackground = false): Promise<void> {
  operatorChecksStore.setState({ repeats: true })
  await runAll({ casesOnly: false, isBackground })
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
