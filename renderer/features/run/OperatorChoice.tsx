import type { ReactElement } from 'react'

import type { Argument, Call } from '../../../electron/contract/manifest'
import { useProject } from '../../store/project'
import { chooseCall, chooseOperator, useRun } from './run'
import { useProgramFunctions } from '../../store/program-functions'
import { operatorKey, useSchemas } from '../../store/schemas'

const noCalls: Call[] = []

/** A call of opsmith.json, an operator of the project, a function of the program. */
export function OperatorChoice(): ReactElement {
  const op = useRun((state) => state.op)
  const callIndex = useRun((state) => state.callIndex)
  const functions = useProgramFunctions()
  const calls = useProject((state) => state.project?.manifest?.calls ?? noCalls)
  const load = useSchemas((state) => state.load)
  const operators = (load?.operators ?? []).map(operatorKey)
  const value = callIndex === null ? `op ${op}` : `call ${callIndex}`
  const known = callIndex !== null || operators.includes(op) || functions.some((f) => f.name === op)

  const choose = (chosen: string): void => {
    const [kind = '', rest = ''] = split(chosen)
    void (kind === 'call' ? chooseCall(Number(rest)) : chooseOperator(rest))
  }
  return (
    <select
      className="run-choice mono"
      aria-label="Call, operator or function"
      value={value}
      data-testid="run-op"
      onChange={(event) => choose(event.target.value)}
    >
      {op === '' && <option value="op ">Choose an operator or a function</option>}
      {!known && op !== '' && <option value={`op ${op}`}>{op}</option>}
      {calls.length > 0 && (
        <optgroup label="Calls of opsmith.json">
          {calls.map((call, index) => (
            <option key={index} value={`call ${index}`}>
              {call.op}({call.args.map(argumentName).join(', ')})
            </option>
          ))}
        </optgroup>
      )}
      {operators.length > 0 && (
        <optgroup label="Operators">
          {operators.map((name) => (
            <option key={name} value={`op ${name}`}>
              {name}
            </option>
          ))}
        </optgroup>
      )}
      {functions.length > 0 && (
        <optgroup label="Functions of the program">
          {functions.map((item) => (
            <option key={item.name} value={`op ${item.name}`}>
              {item.name}
            </option>
          ))}
        </optgroup>
      )}
    </select>
  )
}

function split(chosen: string): [string, string] {
  const space = chosen.indexOf(' ')
  return [chosen.slice(0, space), chosen.slice(space + 1)]
}

function argumentName(argument: Argument): string {
  return typeof argument === 'string' ? argument : JSON.stringify(argument)
}
