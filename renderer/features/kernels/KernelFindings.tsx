import type { ReactElement } from 'react'

import type { GpuFinding, GpuReport, SourcePlace } from '../../../electron/contract/gpu-findings'
import { FileLink } from '../../shell/primitives/FileLink'
import { HelpLink } from '../../shell/primitives/HelpLink'
import { Icon } from '../../shell/primitives/Icon'
import { runCommand } from '../../store/commands'
import { accessText, summaryText, threadText } from './texts'

/** How much was checked, and each mistake with all that is known of it. */
export function KernelFindings({ report }: { report: GpuReport }): ReactElement {
  const isGood = report.findings.length === 0
  return (
    <>
      <div
        className={isGood ? 'verdict-bar good' : 'verdict-bar bad'}
        role="status"
        data-testid="kernels-verdict"
      >
        <span className={isGood ? 'tone-ok' : 'tone-error'}>
          <Icon name={isGood ? 'check' : 'error'} />
        </span>
        <span className="number">{summaryText(report)}</span>
      </div>
      <ul className="side-pad kernels-findings" aria-label="Findings">
        {report.findings.map((finding) => (
          <FindingRow key={JSON.stringify(finding)} finding={finding} />
        ))}
      </ul>
    </>
  )
}

function FindingRow({ finding }: { finding: GpuFinding }): ReactElement {
  const { check, message, remedy, count, place, thread, other, allocated, launched } = finding
  return (
    <li className="finding bad" data-testid="kernels-finding" data-check={check}>
      <div className="finding-line">
        <strong className="mono">{check}</strong>
        {count > 1 && <span className="muted number">{count.toLocaleString('en')} times</span>}
        <span className="grow" />
        <StepHere finding={finding} />
        <HelpLink page="explanation/virtual-gpu" heading="Checks">
          About the checks
        </HelpLink>
      </div>
      <div className="finding-failure selectable">
        <p className="finding-cause">{message}</p>
        <dl className="kernels-facts">
          <Fact name="at" place={place} text={thread ? threadText(finding, thread) : ''} />
          {other && <Fact name="other" place={other} text={accessText(other)} />}
          {allocated && <Fact name="allocated" place={allocated} text="" />}
          {launched && <Fact name="launched" place={launched} text="" />}
        </dl>
        <p>{remedy}</p>
      </div>
    </li>
  )
}

/** Stops the finding's block at its line. */
function StepHere({ finding: { place, thread } }: { finding: GpuFinding }): ReactElement | null {
  if (!thread || place.file === '') return null
  return (
    <button
      type="button"
      className="link"
      title="Runs the call that the Stepping panel shows, and stops when threads of this block reach this line"
      onClick={() => runCommand('stepping.to', JSON.stringify({ ...place, block: thread.block }))}
      data-testid="kernels-step"
    >
      Step to here
    </button>
  )
}

type FactProps = { name: string; place: SourcePlace; text: string }

/** A line of the sources, and who was there. */
function Fact({ name, place, text }: FactProps): ReactElement {
  return (
    <>
      <dt>{name}</dt>
      <dd data-testid={`kernels-${name}`}>
        {place.file === '' ? (
          <span className="muted">the line is not known</span>
        ) : (
          <FileLink file={place.file} line={place.line} />
        )}
        {text !== '' && <span className="number">{text}</span>}
      </dd>
    </>
  )
}
