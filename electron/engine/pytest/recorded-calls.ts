import { inputName, inputSpec } from '../../contract/manifest-values'
import type { Argument, InputSpec } from '../../contract/manifest-values'
import type { Manifest } from '../../contract/manifest'
import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { requiresGrad } from '../../contract/recorded-calls'
import type {
  KeepCallsRequest,
  KeptCalls,
  RecordedCall,
  RecordedCallList,
  RecordedTensor,
  RecordedValue,
} from '../../contract/recorded-calls'
import { addToManifest } from '../project/edit-manifest'

/** Analytical Jacobians of more elements take minutes: gradcheck's fast mode compares a projection of them. */
const mostForSlowGradcheck = 2000

type WrittenList = Exclude<RecordedCallList, 'checks'>
interface WrittenCall {
  call: RecordedCall
  args: Argument[]
}

/** A text that is equal for inputs that mean the same. */
function keyOf(spec: RecordedTensor | InputSpec): string {
  const all = Object.entries(inputSpec.parse(spec))
  return JSON.stringify(all.sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** Names for the inputs of calls: equal ones share a name, and none is one that opsmith.json has for another. */
class InputNames {
  readonly added: Record<string, RecordedTensor> = {}
  private readonly keys = new Map<string, string>()

  /** @param texts arguments of calls: an input of that name would take their place */
  constructor(
    known: Readonly<Record<string, InputSpec>>,
    private readonly texts: ReadonlySet<string>,
  ) {
    for (const [name, spec] of Object.entries(known)) this.keys.set(name, keyOf(spec))
  }

  nameOf(argument: string, spec: RecordedTensor): string {
    const stem = inputName.safeParse(argument).success ? argument : 'x'
    const key = keyOf(spec)
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? stem : `${stem}_${number}`
      const taken = this.keys.get(name)
      if (taken === key) return name
      if (taken !== undefined || this.texts.has(name)) continue
      this.keys.set(name, key)
      this.added[name] = spec
      return name
    }
  }
}

/** An argument as opsmith.json writes it: a tensor is the name of an input. */
function argumentOf(name: string, given: RecordedValue, names: InputNames): Argument {
  if ('list' in given) return given.list.map((item) => argumentOf(name, item, names))
  return 'tensor' in given ? names.nameOf(name, given.tensor) : given.value
}

const textsOf = (given: RecordedValue): string[] =>
  'list' in given
    ? given.list.flatMap(textsOf)
    : 'value' in given && typeof given.value === 'string'
      ? [given.value]
      : []

const textsOfCall = (call: RecordedCall): string[] =>
  call.arguments.flatMap(({ given }) => textsOf(given))

const tensorsOf = (given: RecordedValue): RecordedTensor[] =>
  'list' in given ? given.list.flatMap(tensorsOf) : 'tensor' in given ? [given.tensor] : []

/** gradcheck needs double precision, whatever the test used. */
function gradcheckOf({ call, args }: WrittenCall): object {
  const tensors = call.arguments.flatMap(({ given }) => tensorsOf(given))
  const isLow = tensors.some(({ dtype }) => /^(float32|float16|bfloat16|complex64)$/.test(dtype))
  const elements = tensors
    .filter((tensor) => tensor.requires_grad === true)
    .reduce((sum, { shape }) => sum + shape.reduce((product, size) => product * size, 1), 0)
  return {
    op: call.op,
    args,
    ...(isLow && { dtype: 'float64' }),
    ...(elements > mostForSlowGradcheck && { fast_mode: true }),
  }
}

const plainEntry = ({ call, args }: WrittenCall): object => ({ op: call.op, args })
const entryOf: Record<WrittenList, (written: WrittenCall) => object> = {
  calls: plainEntry,
  gradchecks: gradcheckOf,
  benchmarks: plainEntry,
}

const meaning = ({ op, args }: { op: string; args: readonly Argument[] }): string =>
  JSON.stringify([op, args])

/** What of the calls one list gets: those that it has already come back as a number. */
function newEntries(
  manifest: Manifest,
  list: WrittenList,
  written: readonly WrittenCall[],
): { entries: object[]; there: number } {
  const has = new Set(manifest[list].map(meaning))
  // A gradcheck of a call whose test asked for no gradient would fail for that alone.
  const fitting = list === 'gradchecks' ? written.filter(({ call }) => requiresGrad(call)) : written
  const added = fitting.filter(({ call, args }) => {
    const isNew = !has.has(meaning({ op: call.op, args }))
    has.add(meaning({ op: call.op, args }))
    return isNew
  })
  return { entries: added.map(entryOf[list]), there: fitting.length - added.length }
}

/** Adds an entry to the list of operator checks, which has rules of its own. */
type KeepCheck = (
  folder: string,
  entry: { op: string; args: Argument[] },
) => Promise<Result<{ added: boolean }>>

/** Calls that tests made, as entries of opsmith.json. */
export class RecordedCalls {
  constructor(private readonly keepCheck: KeepCheck) {}

  /**
   * Adds calls to lists of opsmith.json, with the inputs that they name; what is there stays. A list of gradchecks
   * gets those with an input that requires a gradient.
   * Errors: opsmith.json is not valid (project.invalid), changed meanwhile (file.conflict), or cannot be written.
   */
  async keep(folder: string, { calls, lists }: KeepCallsRequest): Promise<Result<KeptCalls>> {
    const isOf = (list: RecordedCallList): boolean => lists.includes(list)
    const first = await addToManifest(folder, (manifest) => {
      const names = new InputNames(manifest.inputs, new Set(calls.flatMap(textsOfCall)))
      // A text that names an input of opsmith.json would become that input.
      const fitting = calls.filter(
        (call) =>
          call.why === '' &&
          !textsOfCall(call).some((text) => Object.hasOwn(manifest.inputs, text)),
      )
      const isAsked = (call: RecordedCall): boolean =>
        lists.some((list) => list !== 'gradchecks' || requiresGrad(call))
      const written = fitting.filter(isAsked).map((call) => ({
        call,
        args: call.arguments.map(({ name, given }) => argumentOf(name, given, names)),
      }))
      const kept: KeptCalls = { added: {}, there: 0, leftOut: calls.length - fitting.length }
      const entries: Partial<Record<WrittenList, object[]>> = {}
      for (const list of ['calls', 'gradchecks', 'benchmarks'] as const) {
        if (!isOf(list)) continue
        const found = newEntries(manifest, list, written)
        kept.added[list] = found.entries.length
        kept.there += found.there
        if (found.entries.length > 0) entries[list] = found.entries
      }
      const answer = { kept, written }
      return { added: { inputs: names.added, entries }, answer }
    })
    if (!first.ok) return first
    const { kept, written } = first.value
    if (!isOf('checks')) return ok(kept)
    kept.added.checks = 0
    for (const { call, args } of written) {
      const one = await this.keepCheck(folder, { op: call.op, args })
      if (!one.ok) return one
      if (one.value.added) kept.added.checks += 1
      else kept.there += 1
    }
    return ok(kept)
  }
}
