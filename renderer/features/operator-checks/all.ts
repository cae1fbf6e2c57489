import { allOperatorChecksJob } from './jobs'
import { operatorChecksStore } from './store'

/** Checks the operators of the project; what runs already is ended, since its library is an older one. */
export async function checkOperators(): Promise<void> {
  operatorChecksStore.setState({ repeats: true })
  await runAll(false)
}

/** Only what was kept of failures. */
export async function checkCases(): Promise<void> {
  const { entries } = operatorChecksStore.getState()
  if (entries.some((entry) => entry.checks !== undefined && entry.shapes === 0)) await runAll(true)
}

async function runAll(casesOnly: boolean): Promise<void> {
  if (!(await allOperatorChecksJob.turn())) return
  allOperatorChecksJob.set({ error: null })
  await allOperatorChecksJob.run({ casesOnly })
}
