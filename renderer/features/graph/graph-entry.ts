import type { GraphForm } from '../../../electron/contract/graph'
import type { Argument } from '../../../electron/contract/manifest'
import { err, ok, type Result } from '../../../electron/contract/outcome'
import type { OperatorArgument } from '../../../electron/contract/operators'
import { argumentText, parseArguments } from '../../store/arguments'
import { defaultArguments, guessedArguments, signatureOf } from '../../store/default-arguments'
import { changeChoice, graphStore } from './graph'
import { effectiveInputs } from '../../store/inputs'
import { currentManifest } from '../../store/project'
import { programFunctions } from '../../store/program-functions'
import { parseSchema, splitTop } from '../../store/schema-text'
import { operatorKey, schemasStore } from '../../store/schemas'

/** Something whose graph can be captured. */
export type EntryOption = {
  /** Unique in the list: "call 3", "name compute". */
  value: string
  label: string
  entry: string
  callIndex: number | null
}

export type EntryOptions = { title: string; options: EntryOption[] }[]

export function entryOptions(): EntryOptions {
  const { file } = graphStore.getState().choice
  if (file) {
    const options = file.entries.map((item) => named(item.name))
    return [{ title: file.path.slice(file.path.lastIndexOf('/') + 1), options }]
  }
  const calls = currentManifest()?.calls ?? []
  const functions = programFunctions()
  const operators = schemasStore.getState().load?.operators ?? []
  return [
    { title: 'Functions of the program', options: functions.map((item) => named(item.name)) },
    {
      title: 'Calls of opsmith.json',
      options: calls.map((item, index) => ({
        value: `call ${index}`,
        label: `${item.op}(${item.args.map(argumentText).join(', ')})`,
        entry: item.op,
        callIndex: index,
      })),
    },
    { title: 'Operators', options: operators.map((item) => named(operatorKey(item))) },
  ].filter((group) => group.options.length > 0)
}

function named(entry: string): EntryOption {
  return { value: `name ${entry}`, label: entry, entry, callIndex: null }
}

/** An operator is not written in TorchScript: what it does is seen when it runs. */
export function isOperator(entry: string): boolean {
  return entry.includes('::')
}

export function formFor(entry: string, form: GraphForm): GraphForm {
  return isOperator(entry) && form === 'script' ? 'trace' : form
}

/** Chooses something to begin with where nothing is chosen; false when there is nothing yet. */
export function chooseFirstEntry(): boolean {
  const { choice } = graphStore.getState()
  if (choice.entry !== '') return true
  const calls = currentManifest()?.calls ?? []
  const functions = programFunctions().map((item) => item.name)
  const called = calls.find((item) => !item.op.includes('::'))?.op
  const entry = called ?? functions[0] ?? calls[0]?.op
  if (entry === undefined) return false
  changeChoice({ entry, form: formFor(entry, choice.form) })
  return true
}

/** The arguments that are taken while none are typed, as the field shows them. */
export function entryArguments(entry = graphStore.getState().choice.entry): string {
  const { choice } = graphStore.getState()
  const chosen = choice.callIndex === null ? undefined : currentManifest()?.calls[choice.callIndex]
  if (chosen?.op === entry) return chosen.args.map(argumentText).join(', ')
  const method = methodOf(entry)
  return method === null ? defaultArguments(entry) : guessedArguments(method)
}

/** The arguments of a method of the opened model; null: it has none of this name. */
function methodOf(entry: string): OperatorArgument[] | null {
  const { file } = graphStore.getState().choice
  const method = file?.entries.find((item) => item.name === entry)
  if (!method) return null
  return parseSchema(method.schema).arguments.filter((argument) => argument.name !== 'self')
}

/** Typed arguments, "x, y, 2", against the entry's signature where it is known. */
export function parseEntryArguments(entry: string, text: string): Result<Argument[]> {
  const parts = splitTop(text.trim())
  const signature =
    methodOf(entry) ??
    signatureOf(entry) ??
    parts.map((_, index): OperatorArgument => {
      return { name: String(index), type: 'Any', kwargOnly: false }
    })
  if (parts.length > signature.length) {
    return err(
      'input.invalid',
      `${entry} takes ${signature.length} arguments, not ${parts.length}.`,
    )
  }
  const named = signature.map((argument, index) => {
    return argument.name === '' ? { ...argument, name: String(index) } : argument
  })
  const texts = Object.fromEntries(named.map((argument, i) => [argument.name, parts[i] ?? '']))
  const parsed = parseArguments(named, texts, effectiveInputs())
  if (parsed.ok) return ok(parsed.args)
  const [name, problem] = Object.entries(parsed.problems)[0] ?? ['', '']
  return err('input.invalid', `${name}: ${problem}.`)
}
