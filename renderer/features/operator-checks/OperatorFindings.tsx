import { useState, type ReactElement } from 'react'

import type { CheckEntry } from '../../../electron/contract/manifest'
import type { OperatorCheckOutcome, PlacedFinding } from '../../../electron/contract/operator-check'
import { operatorChecks } from '../../../electron/contract/operator-checks.generated'
import { Button } from '../../shell/primitives/Button'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { FileLink } from '../../shell/primitives/FileLink'
import { formatSeconds } from '../../shell/primitives/format'
import { HelpLink } from '../../shell/primitives/HelpLink'
import { Icon } from '../../shell/primitives/Icon'
import { inputSummary } from '../../shell/primitives/input-text'
import { useOperatorChecks } from './store'
import { keepCheck } from './run'
import { statusIcons } from '../../shell/primitives/status-icons'
import { FindingKernels } from './FindingKernels'
import { FindingStacks } from './FindingStacks'

type Props = {
  outcome: OperatorCheckOutcome
  /** What was checked, if the fields do not say it. */
  checked?: CheckEntry
}

/** The verdict on one operator and what led to it; what passed is shown when asked for. */
export function OperatorFindings({ outcome, checked }: Props): ReactElement {
  const [all, setAll] = useState(false)
  const findings = outcome.report?.findings ?? []
  const count = (status: PlacedFinding['status']): number =>
    findings.filter((finding) => finding.status === status).length
  const counts = (['failed', 'passed', 'skipped'] as const).flatMap((status) =>
    count(status) === 0 ? [] : [`${count(status)} ${status}`],
  )
  const shown = findings.filter((finding) => all || finding.status === 'failed')
  const generated = Object.entries(outcome.report?.generated?.inputs ?? {})
  return (
    <>
      <div
        className={outcome.asExpected ? 'verdict-bar good' : 'verdict-bar bad'}
        role="status"
        data-testid="operator-check-one-verdict"
        data-verdict={outcome.verdict}
      >
        <span className={outcome.asExpected ? 'tone-ok verdict-word' : 'tone-error verdict-word'}>
          <Icon name={outcome.asExpected ? 'check' : 'error'} />
          <strong>{outcome.verdict}</strong>
        </span>
        {outcome.expect === 'failed' && (
          <span>{outcome.asExpected ? 'as expected' : 'but expected to fail'}</span>
        )}
        <span>{counts.join(', ')}</span>
        {outcome.report && <span className="muted">{formatSeconds(outcome.report.seconds)}</span>}
        <span className="grow" />
        <label className="check">
          <input type="checkbox" checked={all} onChange={(event) => setAll(event.target.checked)} />
          show all checks
        </label>
      </div>
      {outcome.report?.generated && (
        <p className="panel-pad muted selectable" data-testid="operator-check-generated">
          Inputs made from the schema:{' '}
          {generated.length === 0
            ? 'no tensors'
            : generated.map(([name, spec]) => `${name} ${inputSummary(spec)}`).join(', ')}
        </p>
      )}
      {outcome.error && (
        <div className="panel-pad">
          <ErrorView error={outcome.error} />
        </div>
      )}
      <ul className="gradcheck-findings side-pad">
        {shown.map((finding, index) => (
          <FindingRow key={index} finding={finding} checked={checked} />
        ))}
      </ul>
    </>
  )
}

type FindingProps = { finding: PlacedFinding; checked: CheckEntry | undefined }

function FindingRow({ finding, checked }: FindingProps): ReactElement {
  const { icon, tone } = statusIcons[finding.status]
  const { title, meaning } = operatorChecks[finding.check]
  const failed = finding.status === 'failed'
  return (
    <li
      className={failed ? 'finding bad' : 'finding'}
      data-testid="operator-check-finding"
      data-check={finding.check}
      data-status={finding.status}
    >
      <div className="finding-line">
        <span className={`finding-status ${tone}`}>
          <Icon name={icon} /> {finding.status}
        </span>
        <span className="finding-check" title={meaning}>
          {title}
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
        <div className="finding-failure selectable">
          <p className="finding-cause">{finding.reason}</p>
          {finding.advice !== '' && <p>{finding.advice}</p>}
          <p>
            <HelpLink page="reference/operator-checks" heading={finding.check}>
              About this check
            </HelpLink>
          </p>
          <Evidence finding={finding} />
          <FindingStacks finding={finding} />
          <FindingKernels finding={finding} />
          {finding.shownCase && <KeepFailure finding={finding} checked={checked} />}
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
    ['reproduced by', finding.shownBy],
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

/** A failure that is in opsmith.json already needs no keeping. */
function KeepFailure({ finding, checked }: FindingProps): ReactElement | null {
  const isKept = useOperatorChecks(({ entry, entries }) => {
    const chosen = checked ?? (entry === null ? undefined : entries[entry])
    return chosen?.checks !== undefined && chosen.shapes === 0
  })
  if (isKept) return null
  return (
    <span>
      <Button
        icon="plus"
        onClick={() => void keepCheck(finding, checked)}
        title="Adds the simplest failing call to opsmith.json. Every build then checks this call."
        testId="operator-check-keep"
      >
        Keep this failure
      </Button>
    </span>
  )
}
