import type { KeyboardEvent, MouseEvent, ReactElement } from 'react'

import type { FileState } from '../../../electron/contract/git'
import { Drawing, Icon } from '../../shell/primitives/Icon'
import { useFiles } from '../../store/files'
import { dragRow } from './drops'
import { kindOf } from './file-kinds'
import { parentOf, useTree, type TreeRow } from './tree'

export type Problems = { errors: number; all: number }

type Props = {
  row: TreeRow
  /** It is the one row that Tab leads to. */
  isTabStop: boolean
  state: FileState | null
  /** A folder that something changed in. */
  hasChanges: boolean
  problems: Problems | undefined
  onOpen: () => void
  onKey: (event: KeyboardEvent<HTMLElement>) => void
  onMenu: (event: MouseEvent<HTMLElement>) => void
}

/** What stands behind a name: VS Code's letters, and the word for who hears it. */
const marks: Readonly<Record<FileState, { letter: string; word: string }>> = {
  modified: { letter: 'M', word: 'modified' },
  added: { letter: 'A', word: 'added' },
  untracked: { letter: 'U', word: 'untracked' },
  deleted: { letter: 'D', word: 'deleted' },
  renamed: { letter: 'R', word: 'renamed' },
  conflict: { letter: '!', word: 'merge conflict' },
  ignored: { letter: '', word: 'ignored by git' },
}

export function TreeRowView(props: Props): ReactElement {
  const { row, isTabStop, state, hasChanges, problems, onOpen, onKey, onMenu } = props
  const { path, name, kind, depth, isOpen } = row
  const isFile = kind === 'file'
  const dirty = useFiles((files) => files.files[path]?.dirty === true)
  const active = useFiles((files) => files.active?.path === path)
  const isTarget = useTree((tree) => kind === 'folder' && tree.dropInto === path)
  const mark = state && marks[state]
  const classes = ['tree-row explorer-row', active && 'active', isTarget && 'explorer-target']
  return (
    <div
      role="treeitem"
      className={classes.filter(Boolean).join(' ')}
      tabIndex={isTabStop ? 0 : -1}
      aria-level={depth + 1}
      aria-selected={isTabStop}
      aria-current={active}
      {...(kind === 'folder' && { 'aria-expanded': isOpen })}
      title={mark ? `${path} (${mark.word})` : path}
      style={{ paddingLeft: `${0.4 + depth * 0.8}rem` }}
      data-git={state ?? ''}
      data-tree-path={path}
      data-drop-folder={kind === 'folder' ? path : parentOf(path)}
      data-testid={`explorer-${isFile ? 'file' : 'folder'}-${path}`}
      draggable
      onDragStart={(event) => {
        // Some drop targets take nothing but text: a terminal gets the path.
        event.dataTransfer.setData('text/plain', path)
        event.dataTransfer.effectAllowed = 'copyMove'
        dragRow(path)
      }}
      onDragEnd={() => dragRow(null)}
      onClick={onOpen}
      onKeyDown={onKey}
      onContextMenu={onMenu}
    >
      <span className="explorer-twist">
        {kind === 'folder' && <Icon name={isOpen ? 'down' : 'right'} />}
      </span>
      <span className={isFile ? `explorer-kind ${kindOf(path).tone}` : 'explorer-kind'}>
        {isFile ? <Drawing path={kindOf(path).drawing} /> : <Icon name="folder" />}
      </span>
      <span className="ellipsis">{name}</span>
      {kind === 'linkedFolder' && <span className="muted">link</span>}
      {problems !== undefined && (
        <span
          className={`file-problems number ${problems.errors > 0 ? 'tone-error' : 'tone-warning'}`}
        >
          <Icon
            name={problems.errors > 0 ? 'error' : 'warning'}
            label={problems.errors > 0 ? 'errors' : 'warnings'}
          />
          {problems.errors > 0 ? problems.errors : problems.all}
        </span>
      )}
      {dirty && <Icon name="dot" label="unsaved" />}
      {mark && mark.letter !== '' && isFile && (
        <span className="explorer-mark">
          <span aria-hidden="true">{mark.letter}</span>
          <span className="unseen">{mark.word}</span>
        </span>
      )}
      {!isFile && (hasChanges || (state !== null && state !== 'ignored')) && (
        <span className="explorer-mark">
          <Icon name="dot" label="has changes" />
        </span>
      )}
    </div>
  )
}
