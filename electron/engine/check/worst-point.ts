import type { InputSpec } from '../../contract/manifest'
import { err } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { inputsNamed } from '../project/call-text'
import { isDrawn } from '../project/gradcheck-case'
import type { GradcheckCase } from '../project/gradcheck-case'

/** Inputs of a case that other seeds change. */
export function drawnInputs(given: GradcheckCase): string[] {
  return inputsNamed(given.args, given.inputs).filter((name) => {
    const spec = given.inputs[name]
    return spec !== undefined && isDrawn(spec)
  })
}

/** The answer to a search of a case in which no input is drawn. */
export function nothingDrawn(): Result<never> {
  return err(
    'request.invalid',
    'A search needs random inputs, but no input of this call has random values.',
    { hint: 'Set the distribution of at least one input to randn, rand or randint.' },
  )
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

/** What a point is ranked by: how far it is outside its tolerance, and inside it by its error. */
export interface PointError {
  excess: number
  maxAbsolute: number | null
}

export function isWorse(a: PointError, b: PointError): boolean {
  if (a.excess > 0 || b.excess > 0) return a.excess > b.excess
  return (a.maxAbsolute ?? -1) > (b.maxAbsolute ?? -1)
}
