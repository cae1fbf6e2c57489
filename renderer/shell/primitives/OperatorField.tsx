import { useState, type ReactElement } from 'react'

import { useProject } from '../../store/project'
import { useProgramFunctions } from '../../store/program-functions'
import { operatorKey, useSchemas } from '../../store/schemas'

type Props = { id: string; op: string; onChoose: (op: string) => void }

/** Any operator, libtorch's included, or a function of the program. */
export function OperatorField({ id, op, onChoose }: Props): ReactElement {
  const [text, setText] = useState(op)
  const load = useSchemas((state) => state.load)
  const functions = useProgramFunctions()
  const calls = useProject((state) => state.project?.manifest?.calls) ?? []
  const names = [
    ...(load?.operators ?? []).map(operatorKey),
    ...functions.map((item) => item.name),
    ...calls.map((item) => item.op),
  ]
  const known = [...new Set(names)]
  const take = (value: string): void => {
    const wanted = value.trim()
    if (wanted !== '' && wanted !== op) onChoose(wanted)
  }
  return (
    <>
      <input
        className="mono case-operator"
        list={`${id}-names`}
        aria-label="Operator or function"
        title={`${op}\nWrite any operator, such as aten::sigmoid, or a function of the program`}
        placeholder="operator or function"
        value={text}
        spellCheck={false}
        data-testid={id}
        onChange={(event) => {
          setText(event.target.value)
          if (known.includes(event.target.value)) take(event.target.value)
        }}
        onBlur={() => take(text)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') take(text)
          if (event.key === 'Escape') setText(op)
        }}
      />
      <datalist id={`${id}-names`}>
        {known.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  )
}
