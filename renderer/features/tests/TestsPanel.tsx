import type { KeyboardEvent, ReactElement } from 'react'

import { Button, IconButton } from '../../shell/primitives/Button'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { FileLink } from '../../shell/primitives/FileLink'
import { formatCount, formatSeconds } from '../../shell/primitives/format'
import { Icon, type IconName } from '../../shell/primitives/Icon'
import { useLasting } from '../../shell/primitives/lasting'
import { MainAction } from '../../shell/primitives/MainAction'
import { Section } from '../../shell/primitives/Section'
import { runCommand } from '../../store/commands'
import { useProject } from '../../store/project'
import type { TestRow } from '../../store/feature'
import { runAllTests, useTestGroups, type TestGroup } from '../../store/tests'
import { isFailure } from './commands'
import { testsViewStore, useTestsView } from './store'

/** What opsmith.json and the repository test, in groups, with verdicts; each can be run alone. */
export function TestsPanel(): ReactElement {
  const groups = useTestGroups().filter(({ rows }) => rows.length > 0)
  const onlyFailed = useTestsView((state) => state.onlyFailed)
  if (groups.length === 0) {
    return (
      <EmptyState
        icon="flask"
        text="opsmith.json has no tests yet. Run an operator, then choose “Keep as a call”. Python tests are in the Pytest panel."
      />
    )
  }
  const isRunning = groups.some((group) => group.isRunning)
  const failed = groups.flatMap(({ rows }) => rows.filter(({ state }) => isFailure(state))).length
  return (
    <div className="panel-column tests-panel" data-testid="tests-panel">
      <div className="panel-bar tests-bar">
        <span className="grow" />
        {(failed > 0 || onlyFailed) && (
          <Button
            pressed={onlyFailed}
            onClick={() => testsViewStore.setState({ onlyFailed: !onlyFailed })}
            title="Shows only failed tests"
            testId="tests-only-failed"
          >
            {failed} failed
          </Button>
        )}
        <MainAction
          text="Run all"
          title="Runs all tests except benchmarks"
          command="tests.all"
          job={{ running: isRunning ? 'tests' : null, startedAt: null }}
          onStart={() => void runAllTests()}
          onStop={() => runCommand('work.stop')}
          testId="tests-all"
          stopTestId="tests-stop"
        />
      </div>
      <div className="scroll" role="list" aria-label="Tests" onKeyDown={moveFocus}>
        {groups.map((group) => (
          <Group key={group.source.title} group={group} onlyFailed={onlyFailed} />
        ))}
        {onlyFailed && failed === 0 && <p className="panel-pad muted">No test failed.</p>}
      </div>
    </div>
  )
}

function Group({
  group,
  onlyFailed,
}: {
  group: TestGroup
  onlyFailed: boolean
}): ReactElement | null {
  const { source, rows } = group
  const lasts = useLasting(group.isRunning)
  const all = rows.flatMap((row, index) =>
    onlyFailed && !isFailure(row.state) ? [] : [{ row, index }],
  )
  if (all.length === 0) return null
  const shown = all.slice(0, mostShown)
  return (
    <div role="listitem">
      <Section
        title={source.title}
        note={countOf(rows)}
        noteTestId={`tests-count-${source.title}`}
        actions={
          <IconButton
            icon="play"
            label={`Run all ${source.title.toLowerCase()}`}
            disabled={lasts}
            onClick={() => {
              if (!group.isRunning) void source.runAll()
            }}
            testId={`tests-run-${source.title}`}
          />
        }
      >
        <div role="list" aria-label={source.title}>
          {shown.map(({ row, index }) => (
            <Row key={index} row={row} />
          ))}
        </div>
        {all.length > shown.length && (
          <p className="muted side-pad">
            {formatCount(all.length - shown.length, 'more test')}: open the panel of these tests to
            see all of them.
          </p>
        )}
      </Section>
    </div>
  )
}

/** A repository may have thousands of tests; this list is drawn again whenever one ends. */
const mostShown = 200

/** "2 failed", "3 of 5 passed", "5 passed", "5" where none was run. */
function countOf(rows: readonly TestRow[]): string {
  const count = (state: TestRow['state']): number =>
    rows.filter((row) => row.state === state && !row.isOld).length
  const failed = count('failed') + count('crashed')
  if (failed > 0) return `${failed} failed`
  const passed = count('passed')
  if (passed === rows.length) return `${passed} passed`
  return passed === 0 ? String(rows.length) : `${passed} of ${rows.length} passed`
}

type Mark = { icon: IconName; tone: string; label: string }

const marks: Record<TestRow['state'], Mark> = {
  none: { icon: 'dot', tone: 'tests-none', label: 'not run' },
  passed: { icon: 'check', tone: 'tone-ok', label: 'passed' },
  failed: { icon: 'error', tone: 'tone-error', label: 'failed' },
  crashed: { icon: 'crash', tone: 'tone-error', label: 'crashed' },
  skipped: { icon: 'absent', tone: 'muted', label: 'skipped' },
}

const runningMark: Mark = { icon: 'clock', tone: 'muted', label: 'runs' }

function Row({ row }: { row: TestRow }): ReactElement {
  const { title, particular, state, isRunning, word, isOld, seconds, why, place } = row
  const lasts = useLasting(isRunning)
  const namespace = useProject(({ project }) => project?.manifest?.name ?? '')
  const { icon, tone, label } = lasts ? runningMark : marks[state]
  const isBad = isFailure(state)
  const measured = word === '' && seconds !== null ? formatSeconds(seconds) : word
  const run = (): void => {
    if (!isRunning) void row.run()
  }
  return (
    <div
      className={isOld ? 'tests-row stale' : 'tests-row'}
      role="listitem"
      data-testid="tests-row"
      data-state={isRunning ? 'running' : isOld ? 'old' : state}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        run()
      }}
    >
      <div className="tests-line">
        <button
          type="button"
          className="tree-row tests-name"
          title={[title, particular, why].filter((text) => text !== '').join('\n')}
          onClick={row.open}
        >
          <span className={tone}>
            <Icon name={icon} label={label} />
          </span>
          <span className="mono ellipsis">{shortened(title, namespace)}</span>
          {particular !== '' && <span className="muted ellipsis">{particular}</span>}
        </button>
        <span className="number muted tests-time">{measured}</span>
        <IconButton icon="play" label={`Run ${title}`} disabled={lasts} onClick={run} />
      </div>
      {isBad && (
        <div className="tests-why">
          {place && (
            <p>
              <span className="mono">{place.name}</span>{' '}
              <FileLink file={place.file} line={place.line} short />
            </p>
          )}
          <p className="muted selectable">{why}</p>
        </div>
      )}
    </div>
  )
}

/** Operators of the project without its name, which would be all that a narrow column shows. */
function shortened(title: string, namespace: string): string {
  return title.startsWith(`${namespace}::`) ? title.slice(namespace.length + 2) : title
}

/** Up and down walk from name to name. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  const names = [...event.currentTarget.querySelectorAll<HTMLElement>('.tests-name')]
  const row = document.activeElement?.closest('.tests-row')?.querySelector('.tests-name')
  const next = names[names.indexOf(row as HTMLElement) + step]
  if (!next) return
  event.preventDefault()
  next.focus()
}
