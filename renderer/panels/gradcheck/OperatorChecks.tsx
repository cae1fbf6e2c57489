import { useState, type ReactElement } from 'react'

import type {
  OpcheckCheck,
  OpcheckOutcome,
  PlacedFinding,
} from '../../../electron/contract/opcheck'
import { Button, IconButton } from '../../shell/primitives/Button'
import { Elapsed, Progress } from '../../shell/primitives/Elapsed'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { FileLink } from '../../shell/primitives/FileLink'
import { formatSeconds } from '../../shell/primitives/format'
import { Icon } from '../../shell/primitives/Icon'
import { Section } from '../../shell/primitives/Section'
import { StaleBar } from '../../shell/primitives/StaleBar'
import { useStaleness } from '../../store/files'
import { useGradcheck } from '../../store/gradcheck'
import { checkOperator, checkOperators, stopOpchecks, useOpcheck } from '../../store/opcheck'
import { statusIcons } from './finding-names'

/** What each check looks at. */
const about: Record<OpcheckCheck, string> = {
  mutation: 'No input is written that the schema does not declare, byte for byte',
  aliasing: 'Outputs share no memory that the schema does not declare',
  registration: 'Which dispatch keys have no kernel, and what a user feels of it',
  autograd_registration: 'Autograd is registered where autograd needs it',
  gradient_lost: 'What depends on an input that requires grad, requires grad',
  meta: 'The Meta kernel gives the sizes, strides and dtypes of the real one',
  determinism: 'The same input gives the same bits',
  layouts: 'Transposed, stepped, offset, expanded, channels-last inputs',
  small_sizes: 'No elements, one element',
  dtypes: 'Which dtypes are accepted, and whether the answer agrees with float64',
  precision: 'float64 is not computed in float32',
  broadcasting: "A size of 1 in place of an input's own",
  nan: 'NaN reaches the outputs that depend on it',
  grad_modes: 'no_grad, inference_mode, any mix of requires_grad',
  threads: 'Called from several threads at once',
  unwritten: 'Every element of the outputs is written',
  writes_outside: 'Nothing is written beside a tensor',
  reads_outside: "Nothing is read past an input's ends",
  leaks: 'Memory after many calls',
  large_sizes: 'Past 2^31 elements; only when asked for by name',
}

/** What an operator does to memory, layouts, dtypes and the dispatcher, beside its gradients. */
export function OperatorChecks(): ReactElement {
  const { job, startedAt, done, total, outcomes, single, error, stamp } = useOpcheck(
    (state) => state,
  )
  const staleness = useStaleness(stamp, 'run')
  const [all, setAll] = useState(false)
  if (stamp === null && job === null && error === null) {
    return (
      <EmptyState
        icon="flask"
        text="Calls each operator of opsmith.json with other shapes, layouts, dtypes and threads, and looks at what it writes, reads, aliases and loses."
      >
        <Button primary icon="play" onClick={() => void checkOperators()} testId="opcheck-run">
          Check the operators
        </Button>
        <CheckOne />
      </EmptyState>
    )
  }
  const wrong = outcomes.filter((outcome) => !outcome.asExpected).length
  return (
    <div className="panel-column" data-testid="opcheck-panel">
      <div className="panel-bar">
        {job === null && outcomes.length === 0 ? (
          <span className="muted">opsmith.json’s were not checked</span>
        ) : job === null ? (
          <span className={wrong > 0 ? 'tone-error' : 'tone-ok'} data-testid="opcheck-verdict">
            <Icon name={wrong > 0 ? 'error' : 'check'} />{' '}
            {wrong > 0
              ? `${wrong} of ${outcomes.length} not as expected`
              : `${outcomes.length} as expected`}
          </span>
        ) : (
          <>
            <Progress done={done} steps={total} label="Operator checks" />
            {total > 0 && (
              <span className="number">
                {done} of {total}
              </span>
            )}
            <Elapsed since={startedAt} />
          </>
        )}
        <span className="grow" />
        <label className="check">
          <input type="checkbox" checked={all} onChange={(event) => setAll(event.target.checked)} />
          show passed
        </label>
        {job === null ? (
          <IconButton
            icon="refresh"
            label="Check all of opsmith.json’s"
            onClick={() => void checkOperators()}
            testId="opcheck-again"
          />
        ) : (
          <Button icon="stop" onClick={() => void stopOpchecks()}>
            Stop
          </Button>
        )}
      </div>
      {job === null && <StaleBar staleness={staleness} />}
      <div className={staleness === 'older' ? 'scroll stale' : 'scroll'}>
        {error && (
          <div className="panel-pad">
            <ErrorView error={error} />
          </div>
        )}
        <div className="gc-one">
          <CheckOne />
        </div>
        {single && <Outcome outcome={single} all={all} />}
        {outcomes
          .filter((outcome) => outcome.name !== single?.name)
          .map((outcome) => (
            <Outcome key={outcome.entry} outcome={outcome} all={all} />
          ))}
      </div>
    </div>
  )
}

/** The case that the gradients' fields name: any operator, whether opsmith.json calls it or not. */
function CheckOne(): ReactElement | null {
  const op = useGradcheck((state) => state.draft.op)
  const args = useGradcheck((state) => state.draft.argsText)
  const working = useOpcheck((state) => state.job !== null)
  if (op === '') return null
  return (
    <button
      type="button"
      className="link ellipsis"
      disabled={working}
      title="The operator and the inputs that Gradients shows"
      data-testid="opcheck-one"
      onClick={() => void checkOperator()}
    >
      Check only {op}({args})
    </button>
  )
}

function Outcome({ outcome, all }: { outcome: OpcheckOutcome; all: boolean }): ReactElement {
  const findings = outcome.report?.findings ?? []
  const count = (status: PlacedFinding['status']): number =>
    findings.filter((finding) => finding.status === status).length
  const counts = (['failed', 'passed', 'skipped'] as const).flatMap((status) =>
    count(status) === 0 ? [] : [`${count(status)} ${status}`],
  )
  const time = outcome.report ? `, ${formatSeconds(outcome.report.seconds)}` : ''
  const expected = outcome.expect === 'failed' ? ' (expected to fail)' : ''
  const shown = findings.filter((finding) => all || finding.status === 'failed')
  return (
    <Section
      title={outcome.name}
      note={`${counts.join(', ')}${time}${expected}`}
      actions={
        <span className={outcome.asExpected ? 'gc-mark tone-ok' : 'gc-mark tone-error'}>
          <Icon name={outcome.asExpected ? 'check' : 'error'} /> {outcome.verdict}
        </span>
      }
    >
      {outcome.error && <ErrorView error={outcome.error} />}
      <ul className="gc-findings">
        {shown.map((finding, index) => (
          <FindingRow key={index} finding={finding} />
        ))}
      </ul>
    </Section>
  )
}

function FindingRow({ finding }: { finding: PlacedFinding }): ReactElement {
  const { icon, tone } = statusIcons[finding.status]
  const failed = finding.status === 'failed'
  return (
    <li
      className={failed ? 'gc-finding bad' : 'gc-finding'}
      data-testid="opcheck-finding"
      data-check={finding.check}
      data-status={finding.status}
    >
      <div className="gc-finding-line">
        <span className={`gc-status ${tone}`}>
          <Icon name={icon} /> {finding.status}
        </span>
        <span className="gc-check" title={about[finding.check]}>
          {finding.check.replaceAll('_', ' ')}
        </span>
        {failed ? (
          <span className="grow" />
        ) : (
          <span className="muted grow ellipsis" title={finding.reason}>
            {finding.reason}
          </span>
        )}
        {finding.file !== undefined && (
          <FileLink file={finding.file} line={finding.line ?? 0} short />
        )}
      </div>
      {failed && (
        <div className="gc-failure selectable">
          <p className="gc-cause">{finding.reason}</p>
          {finding.advice !== '' && <p>{finding.advice}</p>}
          <Evidence finding={finding} />
        </div>
      )}
    </li>
  )
}

/** The tensor, the element and the smallest inputs that show it. */
function Evidence({ finding }: { finding: PlacedFinding }): ReactElement | null {
  const index = finding.index.length === 0 ? '' : `[${finding.index.join(', ')}]`
  const facts = [
    [
      'input',
      finding.input === '' ? '' : `${finding.input}${finding.output === undefined ? index : ''}`,
    ],
    ['output', finding.output === undefined ? '' : `${finding.output}${index}`],
    ['shown by', finding.shownBy],
  ].filter(([, value]) => value !== '')
  if (facts.length === 0) return null
  return (
    <dl className="stats">
      {facts.map(([name, value]) => (
        <div key={name} className="stat">
          <dt>{name}</dt>
          <dd className="number">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
