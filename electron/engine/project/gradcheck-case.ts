import { gradcheckOptions } from '../../contract/gradcheck'
import type { GradcheckOptions, GradcheckRequest } from '../../contract/gradcheck'
import type { GradcheckEntry, InputSpec, Manifest } from '../../contract/manifest'
import { callText, inputsNamed } from './call-text'

/** What a gradcheck is made of, without what the engine adds to it. */
export type GradcheckCase = Omit<GradcheckRequest, 'program' | 'keepJacobians'>

const optionNames = Object.keys(gradcheckOptions.shape) as (keyof GradcheckOptions)[]

/** An entry of opsmith.json with torch's defaults and the project's inputs filled in. */
export function caseOf(entry: GradcheckEntry, manifest: Pick<Manifest, 'inputs'>): GradcheckCase {
  const given = optionNames.flatMap((name) =>
    entry[name] === undefined ? [] : [[name, entry[name]]],
  )
  return {
    op: entry.op,
    args: entry.args,
    inputs: { ...manifest.inputs, ...entry.inputs },
    secondOrder: entry.second_order ?? false,
    ...(entry.dtype === undefined ? {} : { dtype: entry.dtype }),
    options: gradcheckOptions.parse(Object.fromEntries(given)),
  }
}

/** Distributions whose values depend on the seed; so do the elements that `density` chooses. */
const drawn = new Set(['randn', 'rand', 'randint'])

export function isDrawn(spec: InputSpec): boolean {
  return spec.density !== undefined || (spec.values === undefined && drawn.has(spec.distribution))
}

/** The same inputs with the seeds written out: without one, an input's place among all is its seed. */
export function withSeeds(inputs: Readonly<Record<string, InputSpec>>): Record<string, InputSpec> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, spec], place) => [
      name,
      isDrawn(spec) ? { ...spec, seed: spec.seed ?? place } : spec,
    ]),
  )
}

function pick(
  inputs: Readonly<Record<string, InputSpec>>,
  names: readonly string[],
): Record<string, InputSpec> {
  return Object.fromEntries(names.flatMap((name) => (inputs[name] ? [[name, inputs[name]]] : [])))
}

/**
 * The entry of opsmith.json that stands for a case: options that are not torch's defaults, and the
 * inputs that are not the project's, whole.
 */
export function entryOf(
  given: GradcheckCase,
  manifest: Pick<Manifest, 'inputs'>,
  more: { name: string; expect: 'passed' | 'failed' },
): GradcheckEntry {
  const defaults = gradcheckOptions.parse({})
  const own = optionNames.flatMap((name) =>
    given.options[name] === defaults[name] ? [] : [[name, given.options[name]]],
  )
  const seeded = withSeeds({ ...manifest.inputs, ...given.inputs })
  const inputs = inputsNamed(given.args, seeded).filter(
    // An input of the project without a seed changes with the inputs before it: that one is written too.
    (name) => JSON.stringify(seeded[name]) !== JSON.stringify(manifest.inputs[name]),
  )
  return {
    ...(more.name === '' ? {} : { name: more.name }),
    op: given.op,
    args: given.args,
    ...(given.secondOrder ? { second_order: true } : {}),
    ...(given.dtype === undefined ? {} : { dtype: given.dtype }),
    ...(inputs.length === 0 ? {} : { inputs: pick(seeded, inputs) }),
    ...(more.expect === 'failed' ? { expect: 'failed' } : {}),
    ...(Object.fromEntries(own) as Partial<GradcheckOptions>),
  }
}

/** A step or tolerance as people write it: 1e-6, not 0.000001. */
export function powerText(value: number): string {
  return value === 0 ? '0' : value.toExponential()
}

/** The name that opsmith.json gives, else the call and what differs from torch's defaults. */
export function nameOf(entry: GradcheckEntry): string {
  if (entry.name !== undefined) return entry.name
  const defaults = gradcheckOptions.parse({})
  const parts = [callText(entry.op, entry.args)]
  if (entry.second_order === true) parts.push('second order')
  if (entry.dtype !== undefined) parts.push(entry.dtype)
  for (const name of optionNames) {
    const value = entry[name]
    if (value === undefined || value === defaults[name]) continue
    parts.push(
      typeof value === 'number' ? `${name} ${powerText(value)}` : `${value ? '' : 'no '}${name}`,
    )
  }
  return parts.join(', ')
}
