import type { GradcheckOutcome } from '../../../electron/contract/gradcheck'
import type { TestPlace, TestRow, TestSource } from '../../store/feature'
import { showPanel } from '../../store/layout'
import { currentManifest } from '../../store/project'
import { kernelPlace, placeOfExit } from '../../store/tests'
import { isOlder } from '../../store/staleness'
import { checkHere } from './all'
import { namesOf } from './case'
import { gradientPlace, gradientsStore } from './gradient-functions'
import { allGradchecksJob, gradcheckJob } from './jobs'
import { failsInTheCall, whyOf } from './problems'
import { chooseEntry, runEntry } from './run'
import { gradcheckStore } from './store'

function rows(): TestRow[] {
  const manifest = currentManifest()
  const { outcomes, entry: chosen } = gradcheckStore.getState()
  return (manifest?.gradchecks ?? []).map((entry, index): TestRow => {
    const { title, particular } = namesOf(entry, manifest?.inputs ?? {})
    const known = outcomes[index]
    const outcome = known?.outcome
    const isRunning = gradcheckJob.isRunning() && chosen === index
    return {
      title,
      particular,
      state: stateOf(outcome),
      isRunning,
      word: outcome?.asExpected === true && outcome.verdict === 'failed' ? 'fails' : '',
      isOld: known !== undefined && isOlder(known.stamp, 'run'),
      seconds: outcome?.report?.seconds ?? null,
      why: outcome?.asExpected === false ? whyOf(outcome) : '',
      place: placeOf(entry.op, outcome),
      run: () => runEntry(index),
      open: () => {
        showPanel('gradcheck')
        chooseEntry(index)
      },
    }
  })
}

function stateOf(outcome: GradcheckOutcome | undefined): TestRow['state'] {
  if (!outcome) return 'none'
  if (outcome.asExpected) return 'passed'
  return outcome.error?.exit ? 'crashed' : 'failed'
}

/** Of a wrong gradient, the function that made it: what registers the operator says nothing about it. */
function placeOf(op: string, outcome: GradcheckOutcome | undefined): TestPlace | null {
  const crashed = placeOfExit(outcome?.error?.exit)
  if (crashed) return crashed
  const isOfGradient = outcome?.verdict === 'failed' && !failsInTheCall(outcome)
  return (isOfGradient ? gradientPlace(op) : null) ?? kernelPlace(op)
}

/** The gradchecks of opsmith.json. */
export const gradcheckTests: TestSource = {
  title: 'Gradchecks',
  order: 20,
  stores: [gradcheckStore, gradcheckJob.store, allGradchecksJob.store, gradientsStore],
  current: rows,
  runAll: checkHere,
  isRunning: allGradchecksJob.isRunning,
}
