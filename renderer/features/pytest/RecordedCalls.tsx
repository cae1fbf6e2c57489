import { useState, type ReactElement } from 'react'

import {
  argumentsText,
  keptText,
  recordedCallList,
  requiresGrad,
  type RecordedCall,
  type RecordedCallList,
} from '../../../electron/contract/recorded-calls'
import type { WorkbenchError } from '../../../electron/contract/outcome'
import { call } from '../../bridge/bridge'
import { Button } from '../../shell/primitives/Button'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { formatCount } from '../../shell/primitives/format'
import { currentFolder } from '../../store/project'
import { chooseTest, showView } from './store'

const listLabels: Record<RecordedCallList, string> = {
  calls: 'calls',
  gradchecks: 'gradchecks',
  checks: 'operator checks',
  benchmarks: 'benchmarks',
}

/** The calls that the tests made of the project's operators; chosen ones go to opsmith.json. */
export function RecordedCalls({ calls }: { calls: readonly RecordedCall[] }): ReactElement {
  const [left, setLeft] = useState<ReadonlySet<RecordedCall>>(new Set())
  const chosen = calls.filter((one) => one.why === '' && !left.has(one))
  if (calls.length === 0) {
    return <EmptyState icon="flask" text="The tests called no operator of this project." />
  }
  const choose = (one: RecordedCall, isChosen: boolean): void => {
    const next = new Set(left)
    if (isChosen) next.delete(one)
    else next.add(one)
    setLeft(next)
  }
  return (
    <div className="pytest-calls" data-testid="pytest-calls">
      <Keep chosen={chosen} />
      <ul className="scroll" aria-label="Recorded calls">
        {calls.map((one, index) => (
          <CallRow key={index} call={one} isChosen={chosen.includes(one)} onChoose={choose} />
        ))}
      </ul>
    </div>
  )
}

type RowProps = {
  call: RecordedCall
  isChosen: boolean
  onChoose: (call: RecordedCall, isChosen: boolean) => void
}

function CallRow({ call: one, isChosen, onChoose }: RowProps): ReactElement {
  const { op, why, test } = one
  const text = why === '' ? `${op}(${argumentsText(one)})` : op
  return (
    <li data-testid="pytest-call">
      <label>
        <input
          type="checkbox"
          checked={isChosen}
          disabled={why !== ''}
          onChange={(event) => onChoose(one, event.target.checked)}
        />
        <span className="mono selectable">{text}</span>
        {requiresGrad(one) && <span className="muted">requires grad</span>}
      </label>
      {why !== '' && (
        <p className="muted">This call cannot be added: opsmith.json cannot express {why}.</p>
      )}
      <button
        type="button"
        className="link mono ellipsis"
        title={`${test}: show this test`}
        onClick={() => {
          chooseTest(test)
          showView('tests')
        }}
      >
        {test}
      </button>
    </li>
  )
}

function Keep({ chosen }: { chosen: readonly RecordedCall[] }): ReactElement {
  const [lists, setLists] = useState<readonly RecordedCallList[]>(['calls'])
  const [isBusy, setIsBusy] = useState(false)
  const [said, setSaid] = useState<string | WorkbenchError>('')
  const keep = async (): Promise<void> => {
    const folder = currentFolder()
    if (folder === null) return
    setIsBusy(true)
    const request = { calls: [...chosen], lists: [...lists] }
    const kept = await call('pytest.keepCalls', { folder, request })
    setIsBusy(false)
    setSaid(kept.ok ? `${keptText(kept.value)}.` : kept.error)
  }
  return (
    <div className="pytest-keep">
      <fieldset aria-label="Lists of opsmith.json">
        <span>Add {formatCount(chosen.length, 'call')} to</span>
        {recordedCallList.options.map((list) => (
          <label key={list} className="check">
            <input
              type="checkbox"
              checked={lists.includes(list)}
              data-testid={`pytest-list-${list}`}
              onChange={(event) =>
                setLists(
                  recordedCallList.options.filter((one) =>
                    one === list ? event.target.checked : lists.includes(one),
                  ),
                )
              }
            />
            {listLabels[list]}
          </label>
        ))}
        <Button
          onClick={() => void keep()}
          disabled={isBusy || chosen.length === 0 || lists.length === 0}
          testId="pytest-keep"
        >
          Add to opsmith.json
        </Button>
      </fieldset>
      {lists.includes('gradchecks') && (
        <p className="muted">
          Opsmith adds gradchecks only for calls that have an input with requires_grad.
        </p>
      )}
      {typeof said === 'string' ? (
        <p role="status" data-testid="pytest-kept">
          {said}
        </p>
      ) : (
        <ErrorView error={said} testId="pytest-keep-error" />
      )}
    </div>
  )
}
