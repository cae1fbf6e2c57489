import type { OperatorCheckOutcome } from '../../../electron/contract/operator-check'
import { formatCount } from '../../shell/primitives/format'
import type { TestPlace, TestRow, TestSource } from '../../store/feature'
import { showPanel } from '../../store/layout'
import { currentManifest } from '../../store/project'
import { kernelPlace, placeOfExit } from '../../store/tests'
import { isOlder } from '../../store/staleness'
import { checkOperators } from './all'
import { calledText, operatorCheckDraftOf } from './case'
import { allOperatorChecksJob, operatorCheckJob } from './jobs'
import { chooseCheck, runEntry } from './run'
import { operatorChecksStore } from './store'

function rows(): TestRow[] {
  const inputs = currentManifest()?.inputs ?? {}
  const { entries, outcomes, entry: chosen } = operatorChecksStore.getState()
  return entries.map((entry, index): TestRow => {
    const known = outcomes[index]
    const outcome = known?.outcome
    const isRunning = operatorCheckJob.isRunning() && chosen === index
    const call = calledText(entry.op, operatorCheckDraftOf(entry, inputs).argsText)
    return {
      title: entry.name ?? call,
      particular: entry.checks?.join(', ').replaceAll('_', ' ') ?? '',
      state: stateOf(outcome),
      isRunning,
      word: outcome?.asExpected === true && outcome.verdict === 'failed' ? 'fails' : '',
      isOld: known !== undefined && isOlder(known.stamp, 'run'),
      seconds: outcome?.report?.seconds ?? null,
      why: whyOf(outcome),
      place: placeOf(entry.op, outcome),
      run: () => runEntry(index),
      open: () => {
        showPanel('operator-checks')
        chooseCheck(index)
      },
    }
  })
}

function stateOf(outcome: OperatorCheckOutcome | undefined): TestRow['state'] {
  if (!outcome) return 'none'
  if (outcome.verdict === 'skipped') return 'skipped'
  if (outcome.asExpected) return 'passed'
  return outcome.error?.exit ? 'crashed' : 'failed'
}

/** The first failure; how many more there are. */
function whyOf(outcome: OperatorCheckOutcome | undefined): string {
  if (!outcome || (outcome.asExpected && outcome.verdict !== 'skipped')) return ''
  if (outcome.error) return outcome.error.message
  const failed = outcome.report?.findings.filter(({ status }) => status === 'failed') ?? []
  const [first, ...others] = failed
  if (!first) return 'The operator check passes, but opsmith.json expects a failure.'
  const more = others.length === 0 ? '' : ` ${formatCount(others.length, 'more check')} failed.`
  return `${first.check.replaceAll('_', ' ')}: ${first.reason}${more}`
}

function placeOf(op: string, outcome: OperatorCheckOutcome | undefined): TestPlace | null {
  const crashed = placeOfExit(outcome?.error?.exit)
  if (crashed) return crashed
  const failed = outcome?.report?.findings.find(({ status }) => status === 'failed')
  if (failed?.file === undefined) return kernelPlace(op)
  return { name: op, file: failed.file, line: failed.line ?? 0 }
}

/** What is checked of the project's operators. */
export const operatorCheckTests: TestSource = {
  title: 'Operator checks',
  order: 30,
  stores: [operatorChecksStore, operatorCheckJob.store, allOperatorChecksJob.store],
  current: rows,
  runAll: () => checkOperators(),
  isRunning: allOperatorChecksJob.isRunning,
}
