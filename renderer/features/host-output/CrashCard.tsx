import type { ReactElement } from 'react'

import type { HostExit, StackFrame } from '../../../electron/contract/outcome'
import { Button, IconButton } from '../../shell/primitives/Button'
import { Details } from '../../shell/primitives/ErrorView'
import { FileLink } from '../../shell/primitives/FileLink'
import { Icon } from '../../shell/primitives/Icon'
import { runCommand } from '../../store/commands'
import { dismissCrash } from '../../store/host'

const reasons: Record<HostExit['reason'], string> = {
  stopped: 'Stopped',
  segfault: 'Segmentation fault',
  'stack-overflow': 'Stack overflow',
  arithmetic: 'Arithmetic error',
  'illegal-instruction': 'Illegal instruction',
  abort: 'Aborted',
  'heap-corruption': 'Heap corruption',
  terminate: 'Uncaught exception',
  exit: 'The operator called exit()',
  'out-of-memory': 'Out of memory',
  timeout: 'Exceeded the time limit',
  output: 'Printed too much',
  processes: 'Too many processes',
  'temporary-files': 'Temporary files too large',
  descriptors: 'File descriptors misused',
  device: 'The device was lost',
  killed: 'Killed from outside',
  unknown: 'The op host ended for an unknown reason',
}

/** How an op host ended: in words first, the user's own frames as links, the raw text one click away. */
export function CrashCard({ exit }: { exit: HostExit }): ReactElement {
  const own = exit.stack.filter((frame) => frame.isUser)
  return (
    <div className="crash-card" role="alert" data-testid="crash-card" data-reason={exit.reason}>
      <div className="crash-head">
        <Icon name="crash" />
        <strong>{reasons[exit.reason]}</strong>
        <span className="muted">
          op host {exit.generation}
          {exit.signal !== undefined && ` · ${exit.signal}`}
          {exit.signal === undefined &&
            exit.exitCode !== undefined &&
            ` · exit code ${exit.exitCode}`}
        </span>
        <span className="grow" />
        <Button primary icon="play" onClick={() => runCommand('build.run')} testId="crash-go-on">
          Build and continue
        </Button>
        <IconButton icon="close" label="Dismiss" onClick={dismissCrash} />
      </div>
      <p className="selectable">{exit.message}</p>
      {exit.phase !== '' && !exit.message.includes(exit.phase) && (
        <p className="muted">
          Last activity: <code>{exit.phase}</code>
        </p>
      )}
      {own.length > 0 && (
        <ol className="frames" aria-label="Frames in your sources">
          {own.map((frame, index) => (
            <Frame key={index} frame={frame} />
          ))}
        </ol>
      )}
      {exit.stack.length > 0 && (
        <Details label={`Whole stack, ${exit.stack.length} frames`} text={stackText(exit.stack)} />
      )}
      {exit.lastOutput !== '' && <Details label="Last output" text={exit.lastOutput} />}
    </div>
  )
}

function Frame({ frame }: { frame: StackFrame }): ReactElement {
  return (
    <li>
      <code>{frame.symbol === '' ? frame.address : frame.symbol}</code>{' '}
      {frame.file !== undefined && <FileLink file={frame.file} line={frame.line ?? 0} />}
    </li>
  )
}

function stackText(stack: StackFrame[]): string {
  return stack
    .map((frame, index) => {
      const place = frame.file === undefined ? '' : ` at ${frame.file}:${frame.line ?? 0}`
      const mark = frame.isUser ? '*' : ' '
      return `${mark}#${index} ${frame.address} ${frame.symbol || '??'}${place} (${frame.module})`
    })
    .join('\n')
}
