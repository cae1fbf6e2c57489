import { memo, useMemo, type KeyboardEvent, type ReactElement } from 'react'

import type { PytestOutcome } from '../../../electron/contract/pytest'
import { IconButton } from '../../shell/primitives/Button'
import { formatSeconds } from '../../shell/primitives/format'
import { Icon, type IconName } from '../../shell/primitives/Icon'
import { useJob } from '../../store/job'
import { openFile } from '../../store/layout'
import { useIsOlder } from '../../store/staleness'
import { pytestJob, runTests } from './job'
import { chooseTest, isBad, pytestStore, toggleFold, usePytest } from './store'
import { treeRows, type TreeRow } from './tree'

/** Files, classes and tests. Up and Down walk, Left and Right fold, Ctrl+Enter runs. */
export function TestTree(): ReactElement {
  const tests = usePytest((state) => state.tests)
  const folded = usePytest((state) => state.folded)
  const chosen = usePytest((state) => state.chosen)
  const running = useJob(pytestJob, (state) => state.progress?.running ?? '')
  const isRunning = useJob(pytestJob, (state) => state.running !== null)
  const isOlder = useIsOlder('run')
  const rows = useMemo(() => treeRows(tests, folded), [tests, folded])
  return (
    <div className="pytest-tree" role="tree" aria-label="Tests of the repository" onKeyDown={walk}>
      {rows.map((row) => (
        <Row
          key={row.id}
          {...row}
          isChosen={row.id === chosen}
          isRunning={isRunning && row.id === running}
          isOld={row.known !== null && isOlder(row.known.stamp)}
        />
      ))}
    </div>
  )
}

type RowProps = TreeRow & { isChosen: boolean; isRunning: boolean; isOld: boolean }

/** A run of thousands of tests changes some of them at a time. */
const Row = memo(function Row(props: RowProps): ReactElement {
  const { id, label, depth, known, isFolded, isChosen, isOld } = props
  return (
    <div
      className={`pytest-row${isChosen ? ' selected' : ''}${isOld ? ' stale' : ''}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isChosen}
      {...(known ? {} : { 'aria-expanded': !isFolded })}
      data-testid="pytest-row"
      data-outcome={known?.test.outcome ?? 'group'}
    >
      <button
        type="button"
        className="pytest-name"
        style={{ paddingLeft: `${0.5 + depth}rem` }}
        title={id}
        data-pytest-id={id}
        onClick={() => (known ? chooseTest(id) : toggleFold(id))}
        onDoubleClick={() => {
          if (known) openFile(known.test.file, known.test.line)
        }}
      >
        <RowMark {...props} />
        <span className="mono ellipsis">{label}</span>
      </button>
      <RowNote {...props} />
      <IconButton icon="play" label={`Run ${label}`} onClick={() => void runTests([id])} />
    </div>
  )
})

const marks: Record<PytestOutcome, { icon: IconName; tone: string; label: string }> = {
  none: { icon: 'dot', tone: 'muted', label: 'not run' },
  passed: { icon: 'check', tone: 'tone-ok', label: 'passed' },
  failed: { icon: 'error', tone: 'tone-error', label: 'failed' },
  error: { icon: 'error', tone: 'tone-error', label: 'error' },
  skipped: { icon: 'absent', tone: 'muted', label: 'skipped' },
  xfailed: { icon: 'check', tone: 'muted', label: 'failed as expected' },
  xpassed: {
    icon: 'warning',
    tone: 'tone-warning',
    label: 'passed, but was expected to fail',
  },
  crashed: { icon: 'crash', tone: 'tone-error', label: 'crashed' },
}

function RowMark({ known, isFolded, isRunning }: RowProps): ReactElement {
  if (isRunning) return <span className="spinner" role="img" aria-label="runs" />
  if (!known) return <Icon name={isFolded ? 'right' : 'down'} />
  const { icon, tone, label } = marks[known.test.outcome]
  return (
    <span className={tone}>
      <Icon name={icon} label={label} />
    </span>
  )
}

/** The time of a test; of a file or a class, how many failed. */
function RowNote({ known, count, failed }: RowProps): ReactElement {
  if (!known) {
    const note = failed > 0 ? `${failed} failed` : String(count)
    return <span className={`number ${failed > 0 ? 'tone-error' : 'muted'}`}>{note}</span>
  }
  const { outcome, seconds } = known.test
  const text = seconds === 0 || outcome === 'skipped' ? '' : formatSeconds(seconds)
  return <span className={`number muted ${isBad(known) ? 'tone-error' : ''}`}>{text}</span>
}

function walk(event: KeyboardEvent<HTMLElement>): void {
  const name = (event.target as HTMLElement).closest<HTMLElement>('[data-pytest-id]')
  const id = name?.dataset['pytestId']
  if (!name || id === undefined) return
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const isGroup = pytestStore.getState().tests[id] === undefined
  const isFolded = pytestStore.getState().folded.includes(id)
  const folds = event.key === 'ArrowLeft' ? !isFolded : event.key === 'ArrowRight' && isFolded
  if (step !== undefined) {
    const names = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-pytest-id]')]
    names[names.indexOf(name) + step]?.focus()
  } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void runTests([id])
  else if (isGroup && folds) toggleFold(id)
  else return
  event.preventDefault()
}
