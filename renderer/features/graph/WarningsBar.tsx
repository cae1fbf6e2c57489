import { useState, type ReactElement } from 'react'

import type { GraphWarning } from '../../../electron/contract/graph'
import { FileLink } from '../../shell/primitives/FileLink'
import { Icon } from '../../shell/primitives/Icon'
import { formatNumber } from '../../shell/primitives/format'
import { changeChoice, useGraph } from './graph'
import { useShown } from './jobs'
import { showAgain } from './capture'

const noWarnings: GraphWarning[] = []

/** What the tracer lost or baked in, and whether the trace gives what the function gives. */
export function WarningsBar(): ReactElement | null {
  const warnings = useShown((shown) => shown?.shot.report?.warnings ?? noWarnings)
  const report = useShown((shown) => shown?.shot.report ?? null)
  const compare = useGraph((state) => state.choice.compare)
  const [open, setOpen] = useState(false)
  const checks = report?.checks ?? []
  if (warnings.length === 0 && checks.length === 0) return null
  const lost = warnings.some((warning) => warning.kind === 'control-flow-lost')
  const first = warnings.find((warning) => warning.kind === 'control-flow-lost') ?? warnings[0]
  const failed = checks.filter((check) => !check.matches)
  const more = warnings.length + checks.length
  const besides = compare.kind === 'form' && compare.form === 'script'
  return (
    <div
      className={first || failed.length > 0 ? 'graph-warnings' : 'graph-warnings good'}
      role="status"
      data-testid="graph-warnings"
    >
      <div className="graph-warnings-line">
        <button
          type="button"
          className="twist"
          aria-expanded={open}
          aria-label={open ? 'Show less' : 'Show all'}
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? 'down' : 'right'} />
        </button>
        <Icon name={first || failed.length > 0 ? 'warning' : 'check'} />
        <span className={open ? 'grow' : 'grow ellipsis'} title={first?.message}>
          {first
            ? first.message
            : failed.length > 0
              ? `The trace and the function give different results for ${failed[0]?.inputs ?? 'other inputs'}.`
              : `The trace and the function give the same result ${checks.length === 1 ? `for ${checks[0]?.inputs ?? ''}` : `in ${checks.length} checks`}.`}
        </span>
        {first?.source && (
          <FileLink
            file={first.source.file}
            line={first.source.line}
            column={first.source.column}
            short
          />
        )}
        {more > 1 && !open && <span className="badge">{more}</span>}
        {lost && !besides && (
          <button
            type="button"
            className="link"
            data-testid="graph-script-beside"
            onClick={() => {
              changeChoice({ compare: { kind: 'form', form: 'script' }, beside: true })
              void showAgain()
            }}
          >
            Show the scripted graph next to the traced graph
          </button>
        )}
      </div>
      {open && (
        <ul className="graph-warnings-all">
          {warnings.map((warning, index) => (
            <li key={index}>
              <Icon name="warning" label="warning" />
              <span className="selectable grow">{warning.message}</span>
              {warning.source && (
                <FileLink
                  file={warning.source.file}
                  line={warning.source.line}
                  column={warning.source.column}
                  short
                />
              )}
            </li>
          ))}
          {checks.map((check, index) => (
            <li key={`check ${index}`} className={check.matches ? 'tone-ok' : 'tone-error'}>
              <Icon name={check.matches ? 'check' : 'error'} label={check.matches ? 'ok' : 'no'} />
              <span className="selectable grow">
                on {check.inputs}:{' '}
                {check.matches ? 'the trace and the function give the same result' : check.message}
                {check.maxAbsolute !== null &&
                  ` (largest difference ${formatNumber(check.maxAbsolute)})`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
