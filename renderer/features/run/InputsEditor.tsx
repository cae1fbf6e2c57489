import { useState, type ReactElement } from 'react'

import type { InputSpec } from '../../../electron/contract/manifest'
import { Button } from '../../shell/primitives/Button'
import { InputForm } from '../../shell/primitives/InputForm'
import { inputMaking, inputSummary } from '../../shell/primitives/input-text'
import { Section } from '../../shell/primitives/Section'
import { setInputs, useInputSpecs } from '../../store/inputs'
import { openFile } from '../../store/layout'
import { makeInputsAndRun } from './make-inputs'
import { useRun } from './run'

/** The named inputs of opsmith.json; the ones this call uses come first. */
export function InputsEditor(): ReactElement {
  const inputs = useInputSpecs()
  const texts = useRun((state) => state.texts)
  // A call of opsmith.json has what it needs.
  const takesTensors = useRun(
    ({ signature, callIndex }) =>
      callIndex === null && (signature ?? []).some(({ type }) => type.includes('Tensor')),
  )
  const [open, setOpen] = useState<string | null>(null)
  const [adding, setAdding] = useState(false)
  const used = new Set(
    Object.values(texts).flatMap((text) =>
      text.split(/[\s,[\]]+/).filter((word) => word in inputs),
    ),
  )
  const names = Object.keys(inputs).sort((a, b) => Number(used.has(b)) - Number(used.has(a)))
  return (
    <Section
      title="Inputs"
      note={names.length === 0 ? '' : String(names.length)}
      actions={
        <>
          {takesTensors && (
            <button
              type="button"
              className="link"
              onClick={() => void makeInputsAndRun()}
              title="Makes inputs that fit the operator's schema, writes them to opsmith.json, and runs the operator"
              data-testid="run-make-inputs"
            >
              Make inputs
            </button>
          )}
          <button type="button" className="link" onClick={() => openFile('opsmith.json')}>
            opsmith.json
          </button>
        </>
      }
    >
      {names.map((name) => {
        const spec = inputs[name]
        if (!spec) return null
        const shown = open === name
        return (
          <div key={name} className="run-input" data-testid={`run-input-${name}`}>
            <button
              type="button"
              className="run-input-head"
              aria-expanded={shown}
              onClick={() => setOpen(shown ? null : name)}
            >
              <span className="mono">{name}</span>
              <span className="muted mono">
                {inputSummary(spec)} · {inputMaking(spec)}
              </span>
              {!used.has(name) && <span className="badge">not used in this call</span>}
            </button>
            {shown && (
              <InputForm
                name={name}
                spec={spec}
                onChange={(next) => void setInputs({ [name]: next })}
              />
            )}
          </div>
        )
      })}
      {names.length === 0 && <p className="muted">No inputs yet. An input describes a tensor.</p>}
      {adding ? (
        <NewInput
          taken={names}
          onDone={(name) => {
            setAdding(false)
            if (name !== null) setOpen(name)
          }}
        />
      ) : (
        <Button icon="plus" onClick={() => setAdding(true)} testId="run-input-add">
          Add input
        </Button>
      )}
    </Section>
  )
}

const fresh: InputSpec = {
  shape: [4, 8],
  dtype: 'float32',
  device: 'cpu',
  distribution: 'randn',
  seed: 0,
  requires_grad: false,
}

type NewInputProps = { taken: string[]; onDone: (name: string | null) => void }

function NewInput({ taken, onDone }: NewInputProps): ReactElement {
  const [name, setName] = useState('')
  const valid = /^[A-Za-z_]\w*$/.test(name) && !taken.includes(name)
  const add = (): void => {
    if (!valid) return
    void setInputs({ [name]: fresh })
    onDone(name)
  }
  return (
    <form
      className="inline-form"
      onSubmit={(event) => {
        event.preventDefault()
        add()
      }}
    >
      <input
        autoFocus
        className="mono"
        value={name}
        placeholder="name"
        aria-label="Name of the new input"
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onDone(null)}
      />
      <Button onClick={add} disabled={!valid}>
        Add
      </Button>
      <Button onClick={() => onDone(null)}>Cancel</Button>
      {taken.includes(name) && (
        <span className="field-problem">an input with this name exists already</span>
      )}
    </form>
  )
}
