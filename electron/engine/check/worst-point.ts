import type { GradcheckReport, WorstElement } from '../../contract/gradcheck'
import type { InputSpec } from '../../contract/manifest'
import { inputsNamed, isDrawn } from './gradcheck-case'
import type { GradcheckCase } from './gradcheck-case'

/** Inputs of a case that other seeds change. */
export function drawnInputs(given: GradcheckCase): string[] {
  return inputsNamed(given.args, given.inputs).filter((name) => {
    const spec = given.inputs[name]
    return spec !== undefined && isDrawn(spec)
  })
}

/** The seeds of the `index`-th point: none is used twice, so that equal inputs are not drawn. */
export function seedsOf(
  names: readonly string[],
  index: number,
  firstSeed: number,
): Record<string, number> {
  return Object.fromEntries(
    names.map((name, place) => [name, firstSeed + index * names.length + place]),
  )
}

export function withSeedsOf(
  inputs: Readonly<Record<string, InputSpec>>,
  seeds: Readonly<Record<string, number>>,
): Record<string, InputSpec> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, spec]) => {
      const seed = seeds[name]
      return [name, seed === undefined ? spec : { ...spec, seed }]
    }),
  )
}

/** How far an element is outside its tolerance, negative inside; NaN is further out than anything. */
function excessOfElement(worst: WorstElement, options: GradcheckCase['options']): number {
  const excess = worst.absolute - (options.atol + options.rtol * Math.abs(worst.numerical))
  return Number.isNaN(excess) ? Infinity : excess
}

/** Of the report's worst element; Infinity when a check without an element failed. */
export function excessOf(report: GradcheckReport, options: GradcheckCase['options']): number {
  const excesses = report.findings.map((finding) => {
    if (finding.worst) return excessOfElement(finding.worst, options)
    return finding.status === 'failed' ? Infinity : -Infinity
  })
  return Math.max(-Infinity, ...excesses)
}

/** Absolute error of the worst element of all Jacobians; null where none was compared. */
export function largestError(report: GradcheckReport): number | null {
  const errors = report.findings.flatMap((finding) =>
    finding.worst ? [finding.worst.absolute] : [],
  )
  return errors.length === 0 ? null : Math.max(...errors)
}
