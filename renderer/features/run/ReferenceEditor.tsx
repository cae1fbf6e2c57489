import type { ReactElement } from 'react'

import { Section } from '../../shell/primitives/Section'
import { runCommand } from '../../store/commands'
import { callOfReference, runStore, useRun } from './run'

/** What the outputs are compared with: a TorchScript expression over the inputs' names. */
export function ReferenceEditor(): ReactElement {
  const reference = useRun((state) => state.reference)
  const rtol = useRun((state) => state.rtol)
  const atol = useRun((state) => state.atol)
  const otherCall = useRun(callOfReference)
  return (
    <Section
      title="Reference"
      note={reference === '' ? 'none' : otherCall === null ? '' : `for ${otherCall}: not used`}
      actions={
        <button
          type="button"
          className="link"
          onClick={() => runCommand('run.keepCall')}
          title="Writes the operator, arguments, reference and tolerances to opsmith.json. If you chose a call of opsmith.json, Opsmith overwrites that call."
          data-testid="run-keep-call"
        >
          Keep as a call
        </button>
      }
    >
      <div className="form">
        <label htmlFor="run-reference">Expression</label>
        <input
          id="run-reference"
          className="mono"
          value={reference}
          placeholder="3 * x - y"
          spellCheck={false}
          data-testid="run-reference"
          title="A TorchScript expression that uses the names of the inputs. For several outputs, write a tuple."
          onChange={(event) => runStore.setState({ reference: event.target.value })}
        />
        <label htmlFor="run-rtol">Tolerance</label>
        <div className="form-row">
          <input
            id="run-rtol"
            className="mono"
            value={rtol}
            placeholder="default rtol"
            aria-label="Relative tolerance"
            data-testid="run-rtol"
            onChange={(event) => runStore.setState({ rtol: event.target.value })}
          />
          <input
            className="mono"
            value={atol}
            placeholder="default atol"
            aria-label="Absolute tolerance"
            data-testid="run-atol"
            onChange={(event) => runStore.setState({ atol: event.target.value })}
          />
        </div>
      </div>
    </Section>
  )
}
