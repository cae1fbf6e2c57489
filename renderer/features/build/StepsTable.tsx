import { Fragment, useState, type ReactElement } from 'react'

import type { BuildStep } from '../../../electron/contract/build'
import { CopyButton } from '../../shell/primitives/CopyButton'
import { formatCount, formatSeconds } from '../../shell/primitives/format'
import { Icon } from '../../shell/primitives/Icon'
import { showPanel } from '../../store/layout'

type Props = { steps: BuildStep[]; running: boolean }

/** What was compiled and linked, how long each took, and with which command. */
export function StepsTable({ steps, running }: Props): ReactElement {
  const [open, setOpen] = useState<number | null>(null)
  if (steps.length === 0) {
    const text = running
      ? 'Building … The steps and their times appear after the build.'
      : 'No compiler ran.'
    return <p className="panel-pad muted">{text}</p>
  }
  const longest = Math.max(...steps.map((step) => step.seconds), 1e-6)
  return (
    <div className="scroll">
      <table className="table steps">
        <thead>
          <tr>
            <th scope="col">Result</th>
            <th scope="col">Step</th>
            <th scope="col">Makes</th>
            <th scope="col" className="right">
              Time
            </th>
            <th scope="col" aria-label="Time relative to the longest step" />
          </tr>
        </thead>
        <tbody>
          {steps.map((step, index) => (
            <Fragment key={index}>
              <tr>
                <td className={step.ok ? 'tone-ok' : 'tone-error'}>
                  <Icon name={step.ok ? 'check' : 'error'} /> {step.ok ? 'good' : 'failed'}
                </td>
                <td>{step.kind}</td>
                <td>
                  <button
                    type="button"
                    className="link"
                    aria-expanded={open === index}
                    onClick={() => setOpen(open === index ? null : index)}
                  >
                    {step.label}
                  </button>
                  {step.kernels && step.kernels.length > 0 && (
                    <>
                      {', '}
                      <button
                        type="button"
                        className="link"
                        title="Opens the Kernels panel, which shows registers, shared memory and spills of each kernel"
                        onClick={() => showPanel('kernels')}
                      >
                        {formatCount(step.kernels.length, 'kernel')}
                      </button>
                    </>
                  )}
                </td>
                <td className="right number">
                  {step.cached ? (
                    <span className="badge">cached</span>
                  ) : (
                    formatSeconds(step.seconds)
                  )}
                </td>
                <td className="bar-cell">
                  {!step.cached && <div style={{ width: `${(100 * step.seconds) / longest}%` }} />}
                </td>
              </tr>
              {open === index && (
                <tr>
                  <td colSpan={5}>
                    <div className="details-body">
                      <CopyButton text={() => commandText(step)} label="Copy the command" />
                      <pre className="selectable">{commandText(step)}</pre>
                    </div>
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function commandText(step: BuildStep): string {
  return step.command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word))).join(' ')
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
