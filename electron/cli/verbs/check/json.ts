import type { OperatorCheckOutcome, PlacedFinding } from '../../../contract/operator-check'
import type { WorkbenchError } from '../../../contract/outcome'
import type { KeptFailure } from './text'

/** One row a check; of one that failed also what shows it, what to do and where to look. */
function findingJson(outcome: OperatorCheckOutcome, finding: PlacedFinding): object {
  const { check, status, reason, advice, input, output, index, shownBy } = finding
  const { shownCase, file, line, sanitizer, stack, kernels } = finding
  return {
    op: outcome.op,
    check,
    status,
    ...(reason === '' ? {} : { reason }),
    ...(advice === '' ? {} : { advice }),
    ...(input === '' ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    ...(index.length === 0 ? {} : { index }),
    ...(shownBy === '' ? {} : { shownBy }),
    ...(shownCase ? { shownCase } : {}),
    ...(file === undefined ? {} : { file, line }),
    ...(sanitizer === undefined ? {} : { sanitizer }),
    ...(stack === undefined ? {} : { stack }),
    ...(kernels === undefined ? {} : { kernels }),
    operator: outcome.entry,
  }
}

/** Where an operator ended its process, or said no. */
function placeOf(error: WorkbenchError | undefined): Pick<WorkbenchError, 'file' | 'line'> {
  const place = error?.file === undefined ? error?.exit?.stack.find((one) => one.isUser) : error
  return place?.file === undefined ? {} : { file: place.file, line: place.line }
}

/**
 * An operator that came to no verdict is one row, what would have been checked is not known, and what
 * the sanitizers found of it.
 */
function resultsOf(outcome: OperatorCheckOutcome): object[] {
  const { error, report } = outcome
  const found = report?.findings.map((one) => findingJson(outcome, one)) ?? []
  if (!error) return found
  return [
    ...found,
    {
      op: outcome.op,
      check: 'operator_check',
      status: outcome.verdict === 'skipped' ? 'skipped' : 'failed',
      reason: error.message,
      ...placeOf(error),
      error,
      operator: outcome.entry,
    },
  ]
}

/** The published form: `{ok, results, operators}`; with --keep also `kept`, by their places in opsmith.json's `checks`. */
export function checkJson(
  outcomes: readonly OperatorCheckOutcome[],
  kept: readonly KeptFailure[] = [],
): object {
  return {
    ok: outcomes.every((outcome) => outcome.asExpected),
    results: outcomes.flatMap(resultsOf),
    // What the rows of `results` belong to, by position.
    operators: outcomes.map(({ name, op, expect, verdict, asExpected, report }) => ({
      name,
      op,
      expect,
      verdict,
      asExpected,
      ...(report ? { seconds: report.seconds } : {}),
      ...(report?.generated ? { generated: report.generated } : {}),
    })),
    ...(kept.length > 0 ? { kept } : {}),
  }
}
