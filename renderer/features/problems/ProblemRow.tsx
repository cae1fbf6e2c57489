import { useState, type ReactElement } from 'react'

import type { Diagnostic } from '../../../electron/contract/diagnostics'
import { applyFix } from '../../editor/quick-fixes'
import { Button, IconButton } from '../../shell/primitives/Button'
import { CopyButton } from '../../shell/primitives/CopyButton'
import { Details } from '../../shell/primitives/ErrorView'
import { FileLink } from '../../shell/primitives/FileLink'
import { HelpLink } from '../../shell/primitives/HelpLink'
import { Icon, type IconName } from '../../shell/primitives/Icon'
import { Markdown } from '../../shell/primitives/Markdown'
import { openFile } from '../../store/layout'
import { pageOfProblem } from '../../store/problem-page'
import { actOnRow } from './walk'

const icons: Record<Diagnostic['severity'], IconName> = {
  error: 'error',
  warning: 'warning',
  note: 'note',
}

type Props = {
  item: Diagnostic
  /** Tab comes to this row; the arrow keys come to the others. */
  isCurrent: boolean
  onFocus: () => void
}

/** One problem: a line, and below it on demand why, what to do, the notes and the compiler's own text. */
export function ProblemRow({ item, isCurrent, onFocus }: Props): ReactElement {
  const [open, setOpen] = useState(false)
  const go = (): void => {
    if (item.file !== '') openFile(item.file, item.line, Math.max(item.column, 1))
    else setOpen(!open)
  }
  const [first = '', ...rest] = item.message.split('\n')
  const fixes = item.fixes ?? []
  const quick = fixes[0]
  const page = pageOfProblem(item)
  const more =
    item.notes.length > 0 ||
    rest.length > 0 ||
    fixes.length > 0 ||
    item.explanation !== undefined ||
    page !== undefined ||
    item.raw !== undefined
  return (
    <div
      className="problem"
      role="treeitem"
      aria-level={1}
      {...(more ? { 'aria-expanded': open } : {})}
      aria-selected={isCurrent}
      aria-label={spoken(item)}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={onFocus}
      onKeyDown={(event) =>
        actOnRow(event, {
          go,
          ...(more ? { unfold: setOpen } : {}),
          ...(quick ? { fix: () => void applyFix(quick, false) } : {}),
        })
      }
      data-testid="problem-row"
      data-severity={item.severity}
      data-code={item.code}
    >
      <div className="problem-line">
        <button
          type="button"
          className="twist"
          tabIndex={-1}
          aria-label={open ? 'Show less' : 'Show more'}
          data-testid="problem-more"
          onClick={() => setOpen(!open)}
          style={more ? {} : { visibility: 'hidden' }}
        >
          <Icon name={open ? 'down' : 'right'} />
        </button>
        <div className="problem-text" data-testid="problem-text" onClick={go} title={item.message}>
          <span className={`tone-${item.severity}`}>
            <Icon name={icons[item.severity]} label={item.severity} />
          </span>
          <span className="problem-message">{first}</span>
          <span className="muted problem-source">
            {item.source}
            {item.code !== '' && ` ${item.code}`}
          </span>
          {item.line > 0 && (
            <span className="muted number">
              {item.line}
              {item.column > 0 && `:${item.column}`}
            </span>
          )}
        </div>
        {quick && (
          <span className="problem-bulb">
            <IconButton
              icon="bulb"
              label={quick.title}
              testId="problem-quick-fix"
              onClick={() => void applyFix(quick, false)}
            />
          </span>
        )}
        <CopyButton text={() => asText(item)} label="Copy" />
      </div>
      {open && (
        <div className="problem-notes">
          {rest.length > 0 && <pre className="selectable">{rest.join('\n')}</pre>}
          {item.explanation !== undefined && <Markdown text={item.explanation} />}
          {page !== undefined && (
            <p>
              <HelpLink page={page} heading={item.code}>
                {`About ${item.code}`}
              </HelpLink>
            </p>
          )}
          {fixes.length > 0 && (
            <div className="actions problem-fixes">
              {fixes.map((fix) => (
                <Button
                  key={fix.title}
                  icon="bulb"
                  testId="problem-fix"
                  onClick={() => void applyFix(fix, false)}
                >
                  {fix.title}
                </Button>
              ))}
            </div>
          )}
          {item.raw === undefined ? (
            <Notes notes={item.notes} />
          ) : (
            <>
              <Details text={item.raw} label="Message of the compiler" />
              {item.notes.length > 0 && (
                <details className="details">
                  <summary>Notes of the compiler ({item.notes.length})</summary>
                  <Notes notes={item.notes} />
                </details>
              )}
            </>
          )}
        </div>
      )}
    </div>
  )
}

/** What a screen reader says of the row: not its buttons and notes. */
function spoken({ severity, message, source, line }: Diagnostic): string {
  const [first = ''] = message.split('\n')
  return `${severity}: ${first}, ${source}${line > 0 ? `, line ${line}` : ''}`
}

function Notes({ notes }: { notes: Diagnostic['notes'] }): ReactElement[] {
  return notes.map((note, index) => (
    <div key={index} className="problem-note">
      <Icon name={icons[note.severity]} label={note.severity} />
      <span className="selectable">{note.message}</span>
      {note.file !== '' && (
        <FileLink file={note.file} line={note.line} column={Math.max(note.column, 1)} />
      )}
    </div>
  ))
}

function asText(item: Diagnostic): string {
  const line = (
    place: Pick<Diagnostic, 'file' | 'line' | 'column' | 'severity' | 'message'>,
  ): string =>
    `${place.file === '' ? '' : `${place.file}:${place.line}:${place.column}: `}${place.severity}: ${place.message}`
  return [line(item), ...item.notes.map(line)].join('\n')
}
