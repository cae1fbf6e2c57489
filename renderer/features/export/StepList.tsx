import { useMemo, useState, type ReactElement } from 'react'

import type { ExportForm, ExportStep } from '../../../electron/contract/export'
import { Elapsed } from '../../shell/primitives/Elapsed'
import { formatSeconds } from '../../shell/primitives/format'
import { FramedLog } from '../../shell/primitives/FramedLog'
import { Icon } from '../../shell/primitives/Icon'
import { useExport, type RunningStep } from './store'
import { LineLog, type LogLine } from '../../store/line-log'
import { stepMarks } from './form-texts'

type Props = { form: ExportForm; steps: readonly ExportStep[]; running: RunningStep | null }

/** The steps of one form, each with its log; that of the running one and of one that failed is open. */
export function StepList({ form, steps, running }: Props): ReactElement {
  return (
    <ol className="export-steps">
      {steps.map((step, index) => (
        <StepRow key={`${index} ${step.name}`} form={form} step={step} />
      ))}
      {running && <RunningRow key={`running ${running.name}`} form={form} running={running} />}
    </ol>
  )
}

function StepRow({ form, step }: { form: ExportForm; step: ExportStep }): ReactElement {
  const { name, status, reason, seconds, log } = step
  const failed = status === 'failed'
  const [open, setOpen] = useState(failed)
  const { icon, tone } = stepMarks[status]
  const hasLog = log !== ''
  const head = (
    <>
      {hasLog ? <Icon name={open ? 'down' : 'right'} /> : <span className="export-gap" />}
      <span className={tone}>
        <Icon name={icon} label={status} />
      </span>
      <span className="grow ellipsis" title={name}>
        {name}
        {status === 'skipped' && <span className="muted"> not tried</span>}
      </span>
      {status !== 'skipped' && <span className="number muted">{formatSeconds(seconds)}</span>}
    </>
  )
  return (
    <li
      className={failed ? 'export-step bad' : 'export-step'}
      data-testid="export-step"
      data-form={form}
      data-step={name}
      data-status={status}
    >
      {hasLog ? (
        <button
          type="button"
          className="export-step-head"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {head}
        </button>
      ) : (
        <div className="export-step-head">{head}</div>
      )}
      {reason !== '' && (
        <p
          className={
            failed ? 'export-reason selectable tone-error' : 'export-reason selectable muted'
          }
          data-testid="export-step-reason"
        >
          {reason}
        </p>
      )}
      {hasLog && open && <WholeLog name={name} text={log} />}
    </li>
  )
}

function RunningRow({ form, running }: { form: ExportForm; running: RunningStep }): ReactElement {
  const [open, setOpen] = useState(true)
  const version = useExport((state) => state.logVersion)
  return (
    <li
      className="export-step"
      data-testid="export-step"
      data-form={form}
      data-step={running.name}
      data-status="running"
    >
      <button
        type="button"
        className="export-step-head"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon name={open ? 'down' : 'right'} />
        <span className="spinner" role="img" aria-label="running" />
        <span className="grow ellipsis">{running.name}</span>
        <Elapsed since={running.startedAt} />
      </button>
      {open && running.log.length > 0 && (
        <StepLog name={running.name} log={running.log} version={version} />
      )}
    </li>
  )
}

function WholeLog({ name, text }: { name: string; text: string }): ReactElement {
  const log = useMemo(() => {
    const lines = new LineLog()
    lines.append(text)
    return lines
  }, [text])
  return <StepLog name={name} log={log} version={log.version} />
}

type StepLogProps = { name: string; log: LineLog; version: number }

function StepLog({ name, log, version }: StepLogProps): ReactElement {
  return (
    <div className="export-log">
      <FramedLog
        log={log}
        version={version}
        label={`Log of ${name}`}
        most={14}
        classOf={classOfLine}
        // Places are those of the copy that the proof was made with.
        linked={false}
      />
    </div>
  )
}

function classOfLine({ text }: LogLine): string {
  if (/\b(fatal )?error:|^\S*(Error|Exception)\b|\bFAILED\b|\*\*\*Failed/.test(text))
    return 'tone-error'
  if (/\bwarning:/i.test(text)) return 'tone-warning'
  return text.startsWith('$ ') ? 'log-command' : ''
}
