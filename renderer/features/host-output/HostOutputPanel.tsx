import type { ReactElement } from 'react'

import { describeBounds, type SandboxState } from '../../../electron/contract/sandbox'
import { Button, IconButton } from '../../shell/primitives/Button'
import { CopyButton } from '../../shell/primitives/CopyButton'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { LogView } from '../../shell/primitives/LogView'
import { clearHostLog, hostLog, restartHost, useHost } from '../../store/host'
import type { LogLine } from '../../store/line-log'
import { CrashCard } from './CrashCard'

export function HostOutputPanel(): ReactElement {
  const version = useHost((state) => state.logVersion)
  const crash = useHost((state) => state.crash)
  const host = useHost((state) => state.host)
  const empty = hostLog.length === 0
  return (
    <div className="panel-column" data-testid="host-output-panel">
      <div className="panel-bar">
        <span className="muted">
          {host ? `Op host ${host.generation}, ${host.state}` : 'No op host yet'}
          {hostLog.dropped > 0 &&
            ` · ${hostLog.dropped.toLocaleString('en')} older lines were dropped`}
        </span>
        {host?.sandbox && <SandboxBadge sandbox={host.sandbox} />}
        <span className="grow" />
        <Button
          icon="refresh"
          onClick={() => void restartHost()}
          title="Stops the op host and starts a new one"
        >
          Restart
        </Button>
        <CopyButton text={() => hostLog.text()} label="Copy the output" />
        <IconButton icon="clear" label="Clear the output" onClick={clearHostLog} disabled={empty} />
      </div>
      {crash && <CrashCard exit={crash} />}
      {empty && !crash && <EmptyState text="The output of operators appears here." quiet />}
      {!empty && (
        <div className="grow-area">
          <LogView
            log={hostLog}
            version={version}
            label="Host output"
            classOf={classOfLine}
            headOf={headOfLine}
          />
        </div>
      )}
    </div>
  )
}

/** Whether operators are kept in their bounds, or why not. */
function SandboxBadge({ sandbox: { bounds, why } }: { sandbox: SandboxState }): ReactElement {
  const title = [describeBounds(bounds), why].filter((text) => text !== '').join('. ')
  return (
    <span className="muted" title={title} data-testid="host-sandbox">
      {bounds.length === 0 ? 'no sandbox' : why === '' ? 'in a sandbox' : 'in a partial sandbox'}
    </span>
  )
}

function generationOf(line: LogLine): string {
  return line.tag.slice(0, line.tag.indexOf(':'))
}

function classOfLine(line: LogLine): string {
  if (generationOf(line) === '0') return 'log-notice'
  return line.tag.endsWith(':stderr') ? 'log-stderr' : ''
}

/** Which op host printed it, where that changes. */
function headOfLine(line: LogLine, above: LogLine | undefined): string {
  const generation = generationOf(line)
  if (generation === '0' || (above && generationOf(above) === generation)) return ''
  return `host ${generation}`
}
