import type { ReactElement } from 'react'
import { useStore } from 'zustand'

import type {
  CheckedReport,
  GradcheckFinding,
  WorstElement,
} from '../../../electron/contract/gradcheck'
import { exactNumber, formatNumber } from '../../shell/primitives/format'
import { FileLink } from '../../shell/primitives/FileLink'
import { statusIcons } from '../../shell/primitives/status-icons'
import { Icon } from '../../shell/primitives/Icon'
import { Section } from '../../shell/primitives/Section'
import { shortcutOf, useCommands } from '../../store/commands'
import { gradientsStore } from './gradient-functions'
import { gradcheckStore } from './store'
import { wrongGradientPlace } from './wrong-gradient'
import { checkTitles, tensorName, tensorsText } from './finding-names'

/** Each check on its own line, in the order in which gradcheck makes them; none hides behind another. */
export function Findings({ report }: { report: CheckedReport }): ReactElement {
  const count = (status: GradcheckFinding['status']): number =>
    report.findings.filter((finding) => finding.status === status).length
  const notes = (['failed', 'passed', 'skipped', 'not reached'] as const).flatMap((status) =>
    count(status) === 0 ? [] : [`${count(status)} ${status}`],
  )
  return (
    <Section title="Checks" note={notes.join(', ')}>
      <MadeBy />
      <ul className="gradcheck-findings" data-testid="gradcheck-findings">
        {report.findings.map((finding, index) => (
          <FindingRow key={index} finding={finding} index={index} report={report} />
        ))}
      </ul>
    </Section>
  )
}

/** A wrong gradient is repaired in the function that made it. */
function MadeBy(): ReactElement | null {
  useStore(gradientsStore)
  useCommands()
  const place = wrongGradientPlace()
  if (!place) return null
  return (
    <p className="gradcheck-made-by" data-testid="gradcheck-made-by">
      Gradient function: <span className="mono">{place.name}</span>{' '}
      <FileLink file={place.file} line={place.line} short />
      <kbd>{shortcutOf('gradcheck.source')}</kbd>
    </p>
  )
}

type RowProps = { finding: GradcheckFinding; index: number; report: CheckedReport }

function FindingRow({ finding, index, report }: RowProps): ReactElement {
  const { icon, tone } = statusIcons[finding.status]
  const { name, about } = checkTitles[finding.check]
  const failed = finding.status === 'failed'
  const where = tensorsText(finding, report)
  return (
    <li
      className={failed ? 'finding bad' : 'finding'}
      data-testid="gradcheck-finding"
      data-check={finding.check}
      data-status={finding.status}
    >
      <div className="finding-line">
        <span className={`finding-status ${tone}`}>
          <Icon name={icon} /> {finding.status}
        </span>
        <span className="finding-check" title={`Passes if: ${about}`}>
          {name}
          {where !== '' && <span className="mono"> {where}</span>}
          {finding.part !== '' && <span className="muted"> {finding.part}</span>}
        </span>
        {!failed && (
          <span className="muted grow ellipsis" title={finding.reason}>
            {finding.reason}
            {finding.reason === '' &&
              finding.maxAbsolute !== undefined &&
              `largest error ${formatNumber(finding.maxAbsolute, 3)}`}
          </span>
        )}
        {finding.error && (
          <>
            {failed && <span className="grow" />}
            <button
              type="button"
              className="link"
              onClick={() => gradcheckStore.setState({ finding: index })}
            >
              Show
            </button>
          </>
        )}
      </div>
      {failed && <Failure finding={finding} report={report} />}
    </li>
  )
}

function Failure({ finding, report }: Omit<RowProps, 'index'>): ReactElement {
  const { worst, cause, reason, mismatched, total } = finding
  return (
    <div className="finding-failure selectable">
      {cause !== '' && (
        <p className="finding-cause" data-testid="gradcheck-cause">
          {cause}
        </p>
      )}
      {reason !== '' && <p className={cause === '' ? '' : 'muted'}>{reason}</p>}
      {worst && <Worst worst={worst} finding={finding} report={report} />}
      {total > 0 && !finding.countsInReason && (
        <p className="muted">
          {mismatched.toLocaleString('en')} of {total.toLocaleString('en')} elements are outside the
          tolerance
        </p>
      )}
    </div>
  )
}

type WorstProps = { worst: WorstElement; finding: GradcheckFinding; report: CheckedReport }

function Worst({ worst, finding, report }: WorstProps): ReactElement {
  const input = tensorName(report, 'input', finding.input)
  const output = tensorName(report, 'output', finding.output)
  const at = (name: string, index: number[]): string =>
    index.length === 0 ? name : `${name}[${index.join(', ')}]`
  return (
    <dl className="stats" data-testid="gradcheck-worst-element">
      <Fact
        name="worst at"
        value={`d ${at(output, worst.outputIndex)} / d ${at(input, worst.inputIndex)}`}
      />
      <Fact name="analytical" value={worst.analyticalText} />
      <Fact name="numerical" value={worst.numericalText} />
      <Fact name="absolute error" value={formatNumber(worst.absolute)} exact={worst.absolute} />
      <Fact name="relative" value={formatNumber(worst.relative)} exact={worst.relative} />
    </dl>
  )
}

type FactProps = { name: string; value: string; exact?: number }

function Fact({ name, value, exact }: FactProps): ReactElement {
  return (
    <div className="stat" title={exact === undefined ? undefined : exactNumber(exact)}>
      <dt>{name}</dt>
      <dd className="number">{value}</dd>
    </div>
  )
}
