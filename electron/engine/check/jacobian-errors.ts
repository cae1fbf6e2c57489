import type {
  GradcheckFinding,
  GradcheckOptions,
  GradcheckReport,
  SweepPoint,
  WorstElement,
} from '../../contract/gradcheck'
import type { TensorStats } from '../../contract/tensor'

/** Largest absolute value; NaN when an element is not a number, Infinity when one is infinite. */
function magnitude(stats: TensorStats): number {
  if (stats.nan > 0) return NaN
  if (stats.posInf + stats.negInf > 0) return Infinity
  return Math.max(Math.abs(stats.min ?? 0), Math.abs(stats.max ?? 0))
}

/** The errors of a report whose Jacobians were kept; undefined when none was compared. */
export function errorsOf(
  report: GradcheckReport,
): Pick<SweepPoint, 'maxAbsolute' | 'maxRelative'> | undefined {
  let found: Pick<SweepPoint, 'maxAbsolute' | 'maxRelative'> | undefined
  for (const { error, analytical, numerical } of report.findings) {
    if (!error || !analytical || !numerical) continue
    const absolute = magnitude(error.stats)
    const scale = Math.max(magnitude(analytical.stats), magnitude(numerical.stats))
    const relative = absolute === 0 ? 0 : absolute / scale
    // Math.max carries NaN on: one element that is no number spoils the point.
    found = {
      maxAbsolute: Math.max(found?.maxAbsolute ?? 0, absolute),
      maxRelative: Math.max(found?.maxRelative ?? 0, relative),
    }
  }
  return found
}

/** Of one Jacobian: what the op host says, else of the tensor that it kept. */
export function errorOf(finding: GradcheckFinding): number | undefined {
  if (finding.maxAbsolute !== undefined) return finding.maxAbsolute
  return finding.error ? magnitude(finding.error.stats) : finding.worst?.absolute
}

/** Largest absolute error of all Jacobians; null where none was compared, as in fast mode. */
export function largestError(report: GradcheckReport): number | null {
  const errors = report.findings.flatMap((finding) => errorOf(finding) ?? [])
  return errors.length === 0 ? null : Math.max(...errors)
}

/** How far an element is outside its tolerance, negative inside; NaN is further out than anything. */
function excessOfElement(worst: WorstElement, options: GradcheckOptions): number {
  const excess = worst.absolute - (options.atol + options.rtol * Math.abs(worst.numerical))
  return Number.isNaN(excess) ? Infinity : excess
}

/** Of the report's worst element; Infinity when a check without an element failed. */
export function excessOf(report: GradcheckReport, options: GradcheckOptions): number {
  const excesses = report.findings.map((finding) => {
    if (finding.worst) return excessOfElement(finding.worst, options)
    return finding.status === 'failed' ? Infinity : -Infinity
  })
  return Math.max(-Infinity, ...excesses)
}

/** Tensors of a report that the op host keeps. */
export function handlesOf(report: GradcheckReport): number[] {
  return report.findings.flatMap((finding) =>
    [finding.analytical, finding.numerical, finding.error].flatMap((tensor) =>
      tensor ? [tensor.handle] : [],
    ),
  )
}
