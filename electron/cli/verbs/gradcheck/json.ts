import type { GradcheckFinding, GradcheckOutcome } from '../../../contract/gradcheck'
import type { GradcheckRun } from './run'

/**
 * One row a finding. `index` is the element of the input, `outputIndex` that of the output: together
 * they are the element of the Jacobian.
 */
function findingJson(outcome: GradcheckOutcome, finding: GradcheckFinding): object {
  const input = finding.input === undefined ? undefined : outcome.report?.inputs[finding.input]
  const { worst } = finding
  return {
    op: outcome.op,
    check: finding.check,
    status: finding.status,
    ...(finding.reason === '' ? {} : { reason: finding.reason }),
    ...(finding.cause === '' ? {} : { cause: finding.cause }),
    ...(worst
      ? {
          worst: {
            input: input?.name,
            output: finding.output,
            index: worst.inputIndex,
            outputIndex: worst.outputIndex,
            analytical: worst.analytical,
            numerical: worst.numerical,
            absolute: worst.absolute,
            relative: worst.relative,
            ...(finding.part === '' ? {} : { part: finding.part }),
          },
          mismatched: finding.mismatched,
          total: finding.total,
        }
      : {}),
    gradcheck: outcome.entry,
  }
}

/** A check that came to no verdict is one row: what would have been checked is not known. */
function resultsOf(outcome: GradcheckOutcome): object[] {
  if (outcome.report) return outcome.report.findings.map((one) => findingJson(outcome, one))
  return [
    {
      op: outcome.op,
      check: 'gradcheck',
      status: 'failed',
      reason: outcome.error?.message ?? '',
      error: outcome.error,
      gradcheck: outcome.entry,
    },
  ]
}

/** The published form: `{ok, results, gradchecks, sweeps?, searches?}`. */
export function gradcheckJson(run: GradcheckRun): object {
  return {
    ok: run.ok,
    results: run.outcomes.flatMap(resultsOf),
    // What the rows of `results` belong to, by position.
    gradchecks: run.outcomes.map((outcome) => ({
      name: outcome.name,
      op: outcome.op,
      expect: outcome.expect,
      verdict: outcome.verdict,
      asExpected: outcome.asExpected,
      ...(outcome.report
        ? {
            seconds: outcome.report.seconds,
            calls: outcome.report.calls,
            error: outcome.report.error,
            before: outcome.report.before,
          }
        : {}),
    })),
    ...(run.sweeps.length > 0
      ? {
          sweeps: run.sweeps.map(({ name, report }) => ({
            name,
            op: report.op,
            seconds: report.seconds,
            curves: report.curves.map((curve) => ({
              ...curve,
              recommended:
                curve.recommended === undefined ? null : curve.points[curve.recommended]?.eps,
            })),
          })),
        }
      : {}),
    ...(run.searches.length > 0
      ? {
          searches: run.searches.map(({ name, report, bad, kept }) => ({
            name,
            op: report.op,
            ok: !bad,
            tried: report.tried,
            failed: report.failed,
            seconds: report.seconds,
            seeds: report.seeds,
            excess: report.excess,
            maxAbsolute: report.maxAbsolute,
            inputs: report.inputs,
            ...(report.error ? { error: report.error } : {}),
            ...(kept === undefined ? {} : { kept }),
          })),
        }
      : {}),
  }
}
