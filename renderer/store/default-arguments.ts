import type { OperatorArgument } from '../../electron/contract/operators'
import { argumentText, kindOf } from './arguments'
import { effectiveInputs } from './inputs'
import { programFunctions } from './program-functions'
import { currentManifest } from './project'
import { parseSchema } from './schema-text'
import { operatorKey, schemasStore } from './schemas'

/** The arguments of an operator that was built, or of a function of the program; null: it is neither. */
export function signatureOf(name: string): OperatorArgument[] | null {
  const program = programFunctions().find((item) => item.name === name)
  if (program) return parseSchema(program.schema).arguments
  const operators = schemasStore.getState().load?.operators ?? []
  const known =
    operators.find((item) => operatorKey(item) === name) ??
    operators.find((item) => item.name === name)
  return known?.arguments ?? null
}

/** The arguments of the first call of opsmith.json with this name, else inputs of the arguments' names. */
export function defaultArguments(name: string): string {
  const called = currentManifest()?.calls.find((item) => item.op === name)
  if (called) return called.args.map(argumentText).join(', ')
  return guessedArguments(signatureOf(name))
}

/** An input of the argument's name, else the argument's default. */
export function guessedArguments(signature: readonly OperatorArgument[] | null): string {
  const names = Object.keys(effectiveInputs())
  const texts = (signature ?? []).map((argument) => {
    if (names.includes(argument.name)) return argument.name
    return argument.default ?? (kindOf(argument.type) === 'tensor' ? argument.name : '')
  })
  return texts.join(', ')
}
