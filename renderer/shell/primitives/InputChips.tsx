import { useState, type ReactElement } from 'react'

import type { CheckInput, InputSpec } from '../../../electron/contract/manifest'
import { Icon } from './Icon'
import { inputMaking, inputSummary } from './input-text'

type Props<Spec extends CheckInput> = {
  /** The inputs of the call, the project's filled in. */
  inputs: readonly (readonly [string, Spec])[]
  /** The project's. */
  specs: Readonly<Record<string, InputSpec>>
  /** Those that stand instead of the project's. */
  own: Readonly<Record<string, Spec>>
  /** Whose they are: "case", "check", "benchmark". */
  owner: string
  testId: string
  form: (name: string, spec: Spec) => ReactElement
  /** Next to the form of an open input. */
  note: ReactElement
  onReset: (name: string) => void
}

/** Inputs as buttons that open their forms; an edit is the owner's own until it is kept. */
export function InputChips<Spec extends CheckInput>(props: Props<Spec>): ReactElement | null {
  const { inputs, specs, own, owner, testId, form, note, onReset } = props
  const [open, setOpen] = useState<string | null>(null)
  if (inputs.length === 0) return null
  const spec = inputs.find(([name]) => name === open)?.[1]
  const replaces = (name: string): boolean => Object.hasOwn(own, name) && Object.hasOwn(specs, name)
  return (
    <div className="case-inputs">
      <div className="input-chips">
        {inputs.map(([name, one]) => (
          <button
            key={name}
            type="button"
            className="input-chip"
            aria-expanded={open === name}
            title={`${inputSummary(one)} · ${inputMaking(one)}${replaces(name) ? `\nThis ${owner} uses its own input instead of the input of the project` : ''}`}
            data-testid={`${testId}-input-${name}`}
            onClick={() => setOpen(open === name ? null : name)}
          >
            <Icon name={open === name ? 'down' : 'right'} />
            <span className="mono">{name}</span>
            <span className="muted mono ellipsis">
              {inputSummary(one)} · {inputMaking(one)}
            </span>
            {replaces(name) && <span className="badge">own</span>}
          </button>
        ))}
      </div>
      {open !== null && spec && (
        <>
          {form(open, spec)}
          <span className="case-options">
            {note}
            {replaces(open) && (
              <button type="button" className="link" onClick={() => onReset(open)}>
                Use {open} of the project again
              </button>
            )}
          </span>
        </>
      )}
    </div>
  )
}
