import type { ReactElement } from 'react'

import type { InputSpec } from '../../../electron/contract/manifest'
import type { OperatorArgument } from '../../../electron/contract/operators'
import { inputSummary } from '../../shell/primitives/input-text'
import { emptyMeaning, isOptional, kindOf } from '../../store/arguments'
import { useInputSpecs } from '../../store/inputs'
import { setArgument, useRun } from './run'

/** One field an argument of the schema. */
export function ArgumentsEditor(): ReactElement | null {
  const signature = useRun((state) => state.signature)
  const inputs = useInputSpecs()
  if (signature === null) return null
  if (signature.length === 0) return <p className="panel-pad muted">The call has no arguments.</p>
  return (
    <div className="form run-arguments" role="group" aria-label="Arguments">
      {signature.map((argument) => (
        <ArgumentField key={argument.name} argument={argument} inputs={inputs} />
      ))}
    </div>
  )
}

type FieldProps = { argument: OperatorArgument; inputs: Record<string, InputSpec> }

function ArgumentField({ argument, inputs }: FieldProps): ReactElement {
  const text = useRun((state) => state.texts[argument.name] ?? '')
  const problem = useRun((state) => state.problems[argument.name])
  const id = `run-argument-${argument.name}`
  return (
    <>
      <label htmlFor={id} className="form-label">
        <span className="mono">{argument.name}</span>
        <span className="muted mono form-type">
          {argument.type}
          {argument.alias !== undefined && ` (${argument.alias})`}
        </span>
      </label>
      <div className="form-field">
        <Control argument={argument} inputs={inputs} text={text} id={id} bad={!!problem} />
        {problem !== undefined && (
          <span className="field-problem" role="alert">
            {problem}
          </span>
        )}
      </div>
    </>
  )
}

type ControlProps = FieldProps & { text: string; id: string; bad: boolean }

function Control({ argument, inputs, text, id, bad }: ControlProps): ReactElement {
  const kind = kindOf(argument.type)
  const common = {
    id,
    'data-testid': `run-arg-${argument.name}`,
    'aria-invalid': bad,
    value: text,
  }
  const change = (value: string): void => setArgument(argument.name, value)
  if (kind === 'tensor') {
    return (
      <select {...common} className="mono" onChange={(event) => change(event.target.value)}>
        <option value="">{isOptional(argument) ? 'None' : 'Choose an input'}</option>
        {Object.entries(inputs).map(([name, spec]) => (
          <option key={name} value={name}>
            {name} · {inputSummary(spec)}
          </option>
        ))}
        {text !== '' && !(text in inputs) && <option value={text}>{text}</option>}
      </select>
    )
  }
  if (kind === 'bool') {
    return (
      <select {...common} className="mono" onChange={(event) => change(event.target.value)}>
        <option value="">{emptyMeaning(argument) || 'Choose'}</option>
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    )
  }
  const hint =
    kind === 'tensors' ? Object.keys(inputs).slice(0, 3).join(', ') : `a ${argument.type}`
  return (
    <input
      {...common}
      className="mono"
      placeholder={emptyMeaning(argument) || hint}
      spellCheck={false}
      onChange={(event) => change(event.target.value)}
    />
  )
}
