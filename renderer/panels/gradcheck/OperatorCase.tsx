import { useState, type ReactElement } from 'react'

import type { CheckInput } from '../../../electron/contract/manifest'
import { opcheckCheck } from '../../../electron/contract/opcheck'
import { dtype, type Dtype } from '../../../electron/contract/tensor'
import { Button, IconButton } from '../../shell/primitives/Button'
import { CommitField } from '../../shell/primitives/CommitField'
import { Elapsed } from '../../shell/primitives/Elapsed'
import { InputChips } from '../../shell/primitives/InputChips'
import { CheckInputForm } from '../../shell/primitives/InputForm'
import { parseWords } from '../../shell/primitives/input-text'
import { OperatorField } from '../../shell/primitives/OperatorField'
import { useInputSpecs } from '../../store/inputs'
import { stopOpchecks, useOpcheck } from '../../store/opcheck'
import { firstRange, opcheckInputs, parseRanges, rangesText } from '../../store/opcheck-case'
import { chooseOperator, editCheck, keepCheck, runOperator } from '../../store/opcheck-run'

/** What is checked, and over which inputs; a change is checked by itself. */
export function OperatorCase(): ReactElement {
  return (
    <div className="gc-case" role="group" aria-label="What is checked">
      <CallBar />
      <Ranges />
      <Inputs />
    </div>
  )
}

function CallBar(): ReactElement {
  const draft = useOpcheck((state) => state.draft)
  const job = useOpcheck((state) => state.oneJob)
  const startedAt = useOpcheck((state) => state.oneStartedAt)
  const isKept = useOpcheck((state) => state.entry !== null)
  return (
    <div className="gc-call">
      <OperatorField id="opcheck-op" key={draft.op} op={draft.op} onChoose={chooseOperator} />
      <span className="gc-args">
        <CommitField
          id="opcheck-args"
          label="on"
          text={draft.argsText}
          placeholder="what its schema suggests"
          parse={(text) => ({ value: text.trim() })}
          onCommit={(argsText) => editCheck({ argsText })}
        />
      </span>
      {job === null ? (
        <IconButton
          icon="refresh"
          label="Check again"
          disabled={draft.op === ''}
          onClick={() => void runOperator()}
          testId="opcheck-one"
        />
      ) : (
        <span className="graph-job" role="status">
          <Elapsed since={startedAt} />
          <IconButton
            icon="stop"
            label="Stop"
            onClick={() => void stopOpchecks()}
            testId="opcheck-one-stop"
          />
        </span>
      )}
      {!isKept && draft.op !== '' && (
        <Button
          icon="plus"
          onClick={() => void keepCheck()}
          title="Adds these checks to opsmith.json"
          testId="opcheck-keep-entry"
        >
          Keep
        </Button>
      )}
    </div>
  )
}

/** What other calls are drawn from. */
function Ranges(): ReactElement {
  const draft = useOpcheck((state) => state.draft)
  const [more, setMore] = useState(false)
  const field = (kind: 'sizes' | 'integers' | 'floats', title: string): ReactElement => (
    <span className="gc-option gc-range" title={title}>
      <CommitField
        id={`opcheck-${kind}`}
        label={kind}
        text={rangesText(draft[kind])}
        placeholder={kind === 'sizes' ? 'B 1..8' : kind === 'integers' ? 'k 0..3' : 'eps 0..1'}
        parse={(text) => parseRanges(text, kind)}
        onCommit={(ranges) => editCheck({ [kind]: ranges })}
      />
    </span>
  )
  const isSet = draft.checks !== null || draft.dtypes.length > 0
  return (
    <>
      <div className="gc-options">
        {field(
          'sizes',
          'Sizes that shapes and arguments name: one number wherever the name stands',
        )}
        {field('integers', 'Whole numbers that arguments name')}
        {field('floats', 'Numbers that arguments name')}
      </div>
      <div className="gc-options">
        <NumberOption name="shapes" title="How many other calls are tried" most={1000} />
        <NumberOption name="seed" title="Of the other calls" most={Number.MAX_SAFE_INTEGER} />
        {!isSet && (
          <button
            type="button"
            className="link"
            aria-expanded={more}
            data-testid="opcheck-more"
            onClick={() => setMore(!more)}
          >
            {more ? 'fewer' : 'more …'}
          </button>
        )}
      </div>
      {(isSet || more) && (
        <div className="gc-options">
          <span className="gc-option gc-range" title="Of every floating or complex input, in turn">
            <CommitField
              id="opcheck-dtypes"
              label="dtypes"
              text={draft.dtypes.join(', ')}
              placeholder="the inputs’ own"
              parse={parseDtypes}
              onCommit={(dtypes) => editCheck({ dtypes })}
            />
          </span>
          <span className="gc-option gc-range" title={opcheckCheck.options.join(', ')}>
            <CommitField
              id="opcheck-checks"
              label="checks"
              text={(draft.checks ?? []).join(', ')}
              placeholder="all"
              parse={parseChecks}
              onCommit={(checks) => editCheck({ checks: checks.length === 0 ? null : checks })}
            />
          </span>
        </div>
      )}
    </>
  )
}

type NumberProps = { name: 'shapes' | 'seed'; title: string; most: number }

function NumberOption({ name, title, most }: NumberProps): ReactElement {
  const value = useOpcheck((state) => state.draft[name])
  return (
    <span className="gc-option" title={title}>
      <CommitField
        id={`opcheck-${name}`}
        label={name}
        text={String(value)}
        parse={(text) =>
          /^\d+$/.test(text.trim()) && Number(text) <= most
            ? { value: Number(text) }
            : { problem: name === 'shapes' ? 'a whole number up to 1000' : 'a whole number' }
        }
        onCommit={(next) => editCheck({ [name]: next })}
      />
    </span>
  )
}

const parseDtypes = (text: string): ReturnType<typeof parseWords<Dtype>> =>
  parseWords(text, dtype.options, 'dtype')

const parseChecks = (
  text: string,
): ReturnType<typeof parseWords<(typeof opcheckCheck.options)[number]>> =>
  parseWords(text, opcheckCheck.options, 'check')

/** The inputs of the call; an edit is this check's own until it is kept. */
function Inputs(): ReactElement | null {
  const draft = useOpcheck((state) => state.draft)
  const specs = useInputSpecs()
  const change = (name: string, next: CheckInput): void => {
    const named = (next.shape ?? []).filter((one) => typeof one === 'string')
    const added = named.filter((one) => draft.sizes[one] === undefined)
    editCheck({
      inputs: { ...draft.inputs, [name]: next },
      // A size that a shape names for the first time gets a range.
      sizes: { ...draft.sizes, ...Object.fromEntries(added.map((one) => [one, firstRange])) },
    })
  }
  return (
    <InputChips
      inputs={opcheckInputs(draft, specs)}
      specs={specs}
      own={draft.inputs}
      owner="check"
      testId="opcheck"
      form={(name, spec) => (
        <CheckInputForm name={name} spec={spec} onChange={(next) => change(name, next)} />
      )}
      note={
        <span className="muted">
          Edits are this check’s own. A shape may name sizes, as in [B, 8].
        </span>
      }
      onReset={(name) => {
        const { [name]: _taken, ...others } = draft.inputs
        editCheck({ inputs: others })
      }}
    />
  )
}
