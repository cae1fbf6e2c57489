import { useState, type ReactElement } from 'react'

import type { Diagnostic } from '../../../electron/contract/diagnostics'
import { CopyButton } from '../../shell/primitives/CopyButton'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { FileLink } from '../../shell/primitives/FileLink'
import { Icon, type IconName } from '../../shell/primitives/Icon'
import { StaleBar } from '../../shell/primitives/StaleBar'
import { useBuild, useProblems } from '../../store/build'
import { projectPath, useStaleness } from '../../store/files'
import { openFile } from '../../store/layout'

const icons: Record<Diagnostic['severity'], IconName> = {
  error: 'error',
  warning: 'warning',
  note: 'note',
}

export function ProblemsPanel(): ReactElement {
  const problems = useProblems()
  const stamp = useBuild((state) => state.stamp)
  const building = useBuild((state) => state.job !== null)
  const staleness = useStaleness(stamp, 'build')
  if (problems.length === 0) {
    const text = stamp === null ? 'Nothing was built yet.' : 'No problems in the last build.'
    return <EmptyState icon={stamp === null ? 'note' : 'check'} text={text} quiet />
  }
  return (
    <div className="panel-column" data-testid="problems-panel">
      {!building && <StaleBar staleness={staleness} />}
      <div className={staleness === 'older' || building ? 'scroll stale' : 'scroll'}>
        {groupByFile(problems).map(([file, items]) => (
          <div key={file} role="group" aria-label={file === '' ? 'No file' : file}>
            <div className="group-row">
              <Icon name={file === '' ? 'chip' : 'file'} />
              <span>{file === '' ? 'The project' : projectPath(file).path}</span>
              <span className="badge">{items.length}</span>
            </div>
            {items.map((item, index) => (
              <ProblemRow key={index} item={item} />
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}

function ProblemRow({ item }: { item: Diagnostic }): ReactElement {
  const [open, setOpen] = useState(false)
  const go = (): void => {
    if (item.file !== '') openFile(item.file, item.line, Math.max(item.column, 1))
    else setOpen(!open)
  }
  const [first = '', ...rest] = item.message.split('\n')
  const more = item.notes.length + (rest.length > 0 ? 1 : 0)
  return (
    <div className="problem" data-testid="problem-row" data-severity={item.severity}>
      <div className="problem-line">
        <button
          type="button"
          className="twist"
          aria-expanded={open}
          aria-label={open ? 'Hide notes' : `Show ${more} more`}
          onClick={() => setOpen(!open)}
          style={more === 0 ? { visibility: 'hidden' } : {}}
        >
          <Icon name={open ? 'down' : 'right'} />
        </button>
        <button type="button" className="problem-text" onClick={go} title={item.message}>
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
        </button>
        <CopyButton text={() => asText(item)} label="Copy" />
      </div>
      {open && (
        <div className="problem-notes">
          {rest.length > 0 && <pre className="selectable">{rest.join('\n')}</pre>}
          {item.notes.map((note, index) => (
            <div key={index} className="problem-note">
              <Icon name={icons[note.severity]} label={note.severity} />
              <span className="selectable">{note.message}</span>
              {note.file !== '' && (
                <FileLink file={note.file} line={note.line} column={Math.max(note.column, 1)} />
              )}
            </div>
          ))}
        </div>
      )}
    </div>
  )
}

/** The order of the build is kept: the first error is the one to mend. */
function groupByFile(problems: Diagnostic[]): [string, Diagnostic[]][] {
  const groups = new Map<string, Diagnostic[]>()
  for (const item of problems) {
    const group = groups.get(item.file)
    if (group) group.push(item)
    else groups.set(item.file, [item])
  }
  return [...groups]
}

function asText(item: Diagnostic): string {
  const line = (
    place: Pick<Diagnostic, 'file' | 'line' | 'column' | 'severity' | 'message'>,
  ): string =>
    `${place.file === '' ? '' : `${place.file}:${place.line}:${place.column}: `}${place.severity}: ${place.message}`
  return [line(item), ...item.notes.map(line)].join('\n')
}
