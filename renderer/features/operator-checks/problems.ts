import type { Diagnostic } from '../../../electron/contract/diagnostics'
import type { OperatorCheckOutcome, PlacedFinding } from '../../../electron/contract/operator-check'
import { isOlder, stampsShown } from '../../store/staleness'
import { operatorCheckJob } from './jobs'
import { operatorChecksStore, type OperatorChecksState } from './store'

/**
 * Verdicts on the sources as they are, against expectation.
 * @param one what the fields were found to do, of the sources of `oneStamp`
 */
export function unexpectedOperators(
  outcomes: OperatorChecksState['outcomes'],
  one: OperatorCheckOutcome | null,
  oneStamp: string | null,
): OperatorCheckOutcome[] {
  const all = Object.values(outcomes).flatMap(({ outcome, stamp }) =>
    outcome.asExpected || isOlder(stamp, 'run') || outcome.entry === one?.entry ? [] : [outcome],
  )
  return one && !one.asExpected && oneStamp !== null && !isOlder(oneStamp, 'run')
    ? [...all, one]
    : all
}

const none: Diagnostic[] = []
let cachedFor: unknown[] = []
let cached: Diagnostic[] = none

/** What failed against expectation, at the line to look at. */
export function operatorCheckDiagnostics(): Diagnostic[] {
  const { outcomes } = operatorChecksStore.getState()
  const { value, stamp } = operatorCheckJob.store.getState()
  const key = [outcomes, value, stampsShown('run')]
  if (key.every((part, index) => part === cachedFor[index])) return cached
  cachedFor = key
  const all = unexpectedOperators(outcomes, value, stamp).flatMap((outcome) =>
    (outcome.report?.findings ?? [])
      .filter((finding) => finding.status === 'failed')
      .map((finding) => asDiagnostic(outcome.op, finding)),
  )
  // A case that was kept says again what the operator's own checks say.
  const seen = new Set<string>()
  cached = all.filter(({ code, file, line, message }) => {
    const place = JSON.stringify([code, file, line, message])
    return !seen.has(place) && seen.add(place).has(place)
  })
  if (cached.length === 0) cached = none
  return cached
}

function asDiagnostic(op: string, finding: PlacedFinding): Diagnostic {
  const place = { file: '', line: 0, column: 0 }
  const note = { severity: 'note' as const, ...place, message: finding.advice }
  return {
    severity: 'warning',
    ...place,
    ...(finding.file === undefined ? {} : { file: finding.file, line: finding.line ?? 0 }),
    message: `${op}: ${finding.reason}`,
    source: 'operator check',
    code: finding.check,
    notes: finding.advice === '' ? [] : [note],
  }
}
