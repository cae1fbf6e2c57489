import { useState, type ReactElement } from 'react'

import { operatorCheckName } from '../../../electron/contract/operator-check'
import { Button } from '../../shell/primitives/Button'
import { CallFields } from '../../shell/primitives/CallFields'
import { CommitField } from '../../shell/primitives/CommitField'
import { DtypesField } from '../../shell/primitives/DtypesField'
import { parseWords } from '../../shell/primitives/input-text'
import { MainAction } from '../../shell/primitives/MainAction'
import { MoreOptions } from '../../shell/primitives/MoreOptions'
import { SizedInputs } from '../../shell/primitives/SizedInputs'
import { useJob } from '../../store/job'
import { operatorCheckJob, stopOperatorChecks } from './jobs'
import { useOperatorChecks } from './store'
import { firstRange, operatorCheckInputs, parseRanges, rangesText } from './case'
import { chooseCheckedOperator, editCheck, keepCheck, runOperator } from './run'

/** What is checked, and over which inputs; a change is checked by itself. */
export function OperatorCase(): ReactElement {
  return (
    <div className="case-form" role="group" aria-label="Operator to check">
      <CallBar />
      <Ranges />
      <Inputs />
    </div>
  )
}

function CallBar(): ReactElement {
  const draft = useOperatorChecks((state) => state.draft)
  const job = useJob(operatorCheckJob, (state) => state)
  const isKept = useOperatorChecks((state) => state.entry !== null)
  return (
    <div className="case-call">
      <CallFields
        id="operator-check"
        op={draft.op}
        argsText={draft.argsText}
        placeholder="made from the schema"
        onChoose={chooseCheckedOperator}
        onArguments={(argsText) => editCheck({ argsText })}
      />
      {!isKept && draft.op !== '' && (
        <Button
          icon="plus"
          onClick={() => void keepCheck()}
          title="Adds these checks to opsmith.json"
          testId="operator-check-keep-entry"
        >
          Keep
        </Button>
      )}
      <MainAction
        text="Check"
        title="Checks this operator"
        command="operatorChecks.run"
        disabled={draft.op === ''}
        job={job}
        onStart={() => void runOperator()}
        onStop={() => void stopOperatorChecks()}
        testId="operator-check-one"
        stopTestId="operator-check-one-stop"
      />
    </div>
  )
}

/** What other calls are drawn from. */
function Ranges(): ReactElement {
  const draft = useOperatorChecks((state) => state.draft)
  const [more, setMore] = useState(false)
  const field = (kind: 'sizes' | 'integers' | 'floats', title: string): ReactElement => (
    <span className="case-option case-range" title={title}>
      <CommitField
        id={`operator-check-${kind}`}
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
      <div className="case-options">
        {field(
          'sizes',
          'Ranges of named sizes. In one call, a name has the same value in every shape and argument.',
        )}
        {field('integers', 'Ranges of named integers. You can write such a name as an argument.')}
        {field('floats', 'Ranges of named numbers. You can write such a name as an argument.')}
      </div>
      <div className="case-options">
        <NumberOption
          name="shapes"
          title="Number of calls that Opsmith derives from this call, with other shapes and values"
          most={1000}
        />
        <NumberOption
          name="seed"
          title="Seed for the shapes and values of the derived calls"
          most={Number.MAX_SAFE_INTEGER}
        />
        {!isSet && (
          <MoreOptions open={more} onToggle={() => setMore(!more)} testId="operator-check-more" />
        )}
      </div>
      {(isSet || more) && (
        <div className="case-options">
          <DtypesField
            use="The call uses the first dtype in this list, and the calls with other shapes use the next ones in turn."
            id="operator-check-dtypes"
            dtypes={draft.dtypes}
            onCommit={(dtypes) => editCheck({ dtypes })}
          />
          <span className="case-option case-range" title={operatorCheckName.options.join(', ')}>
            <CommitField
              id="operator-check-checks"
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
  const value = useOperatorChecks((state) => state.draft[name])
  return (
    <span className="case-option" title={title}>
      <CommitField
        id={`operator-check-${name}`}
        label={name}
        text={String(value)}
        parse={(text) =>
          /^\d+$/.test(text.trim()) && Number(text) <= most
            ? { value: Number(text) }
            : {
                problem:
                  name === 'shapes'
                    ? 'must be an integer from 0 to 1000'
                    : 'must be a non-negative integer',
              }
        }
        onCommit={(next) => editCheck({ [name]: next })}
      />
    </span>
  )
}

const parseChecks = (
  text: string,
): ReturnType<typeof parseWords<(typeof operatorCheckName.options)[number]>> =>
  parseWords(text, operatorCheckName.options, 'check')

function Inputs(): ReactElement | null {
  const draft = useOperatorChecks((state) => state.draft)
  return (
    <SizedInputs
      inputsOf={(specs) => operatorCheckInputs(draft, specs)}
      own={draft}
      firstSize={firstRange}
      owner="check"
      example="[B, 8]"
      testId="operator-check"
      onEdit={editCheck}
    />
  )
}
