import { useEffect, useRef, type KeyboardEvent, type ReactElement } from 'react'

import { Button } from '../../shell/primitives/Button'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { Elapsed } from '../../shell/primitives/Elapsed'
import { StaleBar } from '../../shell/primitives/StaleBar'
import { useLasting } from '../../shell/primitives/lasting'
import { useBuild } from '../../store/build'
import { useIsRefreshDue } from '../../store/loop'
import { runCommand, shortcutOf } from '../../store/commands'
import { filesStore } from '../../store/files'
import { useGraph } from './graph'
import { captureGraph, openGraph, refreshOrder, stopGraph, watchGraph } from './capture'
import { showPanel } from '../../store/layout'
import { useJob } from '../../store/job'
import { useStaleness } from '../../store/staleness'
import { ChangesList } from './ChangesList'
import { EntryBar } from './EntryBar'
import './picture-actions'
import { GraphCanvas } from './GraphCanvas'
import { Inspector } from './Inspector'
import { graphJob, observeJob, useGraphError, useGraphWork, useShown } from './jobs'
import { Legend } from './Legend'
import { SearchBar } from './SearchBar'
import { StepsBar } from './StepsBar'
import { TextView } from './TextView'
import { markLine, showGraph, showOverlay, useView } from './view-store'
import { WarningsBar } from './WarningsBar'

export function GraphPanel(): ReactElement {
  const shown = useShown((shown) => shown)
  const error = useGraphError()
  const { job } = useGraphWork()
  const entry = useGraph((state) => state.choice.entry)
  useLive()
  if (entry === '' && !shown && !error) return <Nothing />
  return (
    <div className="panel-column graph-panel" data-testid="graph-panel">
      <EntryBar />
      <StepsBar />
      {error && (
        <div className="panel-pad">
          <ErrorView error={error} testId="graph-error">
            {error.exit && <Button onClick={() => showPanel('host-output')}>Show the crash</Button>}
            {(error.code === 'build.required' || error.code === 'library.load') && (
              <Button icon="play" onClick={() => runCommand('build.run')}>
                Build
              </Button>
            )}
            <Button icon="refresh" onClick={() => void captureGraph()}>
              Capture again
            </Button>
          </ErrorView>
          {shown && (
            <p className="muted">The graph below is an earlier capture of {shown.shot.title}.</p>
          )}
        </div>
      )}
      {shown ? <Shown /> : !error && <Waiting working={job !== null} />}
    </div>
  )
}

/** While the panel is open, each build refreshes the graph. The panel follows the choice and the editor's cursor. */
function useLive(): void {
  const shown = useShown((shown) => shown)
  const overlay = useGraph((state) => state.choice.overlay)
  const observation = useJob(observeJob, (state) => state.value)
  const showConstants = useGraph((state) => state.choice.showConstants)
  const beside = useGraph((state) => state.choice.beside)

  useEffect(() => {
    const stopWatching = watchGraph()
    void openGraph()
    return stopWatching
  }, [])
  useEffect(() => {
    if (shown) void showGraph()
  }, [shown, showConstants, beside])
  useEffect(() => {
    void showOverlay()
  }, [overlay, observation])
  useEffect(() => {
    let last = ''
    const follow = (): void => {
      const { active } = filesStore.getState()
      const place = active ? `${active.path}:${active.line}` : ''
      if (place === last) return
      last = place
      void markLine(active?.path ?? '', active?.line ?? 0)
    }
    follow()
    return filesStore.subscribe(follow)
  }, [])
}

function Shown(): ReactElement {
  const shown = useShown((shown) => shown)
  const view = useGraph((state) => state.choice.view)
  const failed = useGraphError() !== null
  const compareError = useJob(graphJob, (state) => state.value?.compareError ?? null)
  const observeError = useJob(observeJob, (state) => state.error)
  const lasts = useLasting(useGraphWork().job !== null)
  const viewError = useView((state) => state.error)
  const older = useView((state) => state.shown.before)
  const stamp = shown?.shot.report ? shown.shot.stamp : null
  const staleness = useStaleness(stamp, 'run')
  const searchField = useRef<HTMLInputElement>(null)
  const details = useRef<HTMLElement>(null)
  const readDetails = (): void => {
    const links = details.current?.querySelector<HTMLElement>('[data-testid=graph-links] button')
    const first = links ?? details.current
    first?.focus()
  }
  const isStale = staleness === 'older' || failed
  const problem = viewError ?? compareError ?? observeError
  return (
    <>
      {!lasts && <StaleBar staleness={staleness} />}
      <WarningsBar />
      <SearchBar field={searchField} />
      {problem && (
        <div className="panel-pad">
          <ErrorView error={problem} />
        </div>
      )}
      <div className={isStale ? 'graph-body stale' : 'graph-body'} data-view={view}>
        <div className="graph-main">
          {view !== 'text' && (
            <div className="graph-pictures">
              {older && (
                <figure className="graph-side" aria-label={shown?.compare?.title}>
                  <figcaption>{shown?.compare?.title}</figcaption>
                  <GraphCanvas
                    view="before"
                    label={shown?.compare?.title ?? ''}
                    onSearch={() => searchField.current?.focus()}
                    onDetails={readDetails}
                  />
                </figure>
              )}
              <figure className="graph-side">
                {older && <figcaption>{shown?.shot.title}</figcaption>}
                <GraphCanvas
                  view="main"
                  label={`Graph: ${shown?.shot.title ?? ''}`}
                  onSearch={() => searchField.current?.focus()}
                  onDetails={readDetails}
                />
                <Laying />
              </figure>
            </div>
          )}
          {view !== 'text' && <Legend />}
          {view !== 'graph' && <TextView />}
        </div>
        <aside
          className="graph-inspector"
          aria-label="Selected node"
          tabIndex={-1}
          ref={details}
          onKeyDown={leaveDetails}
        >
          <Inspector />
          <ChangesList />
        </aside>
      </div>
    </>
  )
}

/** Escape goes from the details back to the picture; the node stays selected. */
function leaveDetails(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'Escape') return
  event.stopPropagation()
  const body = event.currentTarget.parentElement
  body?.querySelector<HTMLElement>('[data-takes-focus]')?.focus()
}

function Laying(): ReactElement | null {
  const lasts = useLasting(useView((state) => state.laying))
  const since = useView((state) => state.layingSince)
  if (!lasts) return null
  return (
    <p className="graph-laying" role="status">
      <span className="spinner" /> laying out the graph <Elapsed since={since} />
    </p>
  )
}

/** Says what the graph waits for; null if nothing will make one. */
function useWaitText(): string | null {
  const isBuilding = useBuild((state) => state.running !== null)
  const isDue = useIsRefreshDue(refreshOrder)
  if (isBuilding) return 'Building … The graph appears after the build.'
  return isDue ? 'Waiting for the run … The graph appears after it.' : null
}

function Waiting({ working }: { working: boolean }): ReactElement {
  const { what, startedAt } = useGraphWork()
  const entry = useGraph((state) => state.choice.entry)
  const waitText = useWaitText()
  if (waitText !== null && !working) return <EmptyState text={waitText} quiet />
  if (!working) {
    return (
      <EmptyState icon="pulse" text={`Shows the graph of ${entry}, node by node.`}>
        <Button primary icon="play" onClick={() => void captureGraph()}>
          Capture
        </Button>
      </EmptyState>
    )
  }
  return (
    <div className="empty-state quiet" role="status">
      <span className="spinner" />
      <p>
        {what} … <Elapsed since={startedAt} />
      </p>
      <Button icon="stop" onClick={() => void stopGraph()}>
        Stop
      </Button>
    </div>
  )
}

function Nothing(): ReactElement {
  const waitText = useWaitText()
  if (waitText !== null) return <EmptyState text={waitText} quiet />
  return (
    <EmptyState
      icon="pulse"
      text="Shows the graph of a function or an operator: scripted, traced, before and after each pass. Build the project first, or open a saved model."
    >
      <Button primary icon="play" onClick={() => runCommand('build.run')}>
        Build <kbd>{shortcutOf('build.run')}</kbd>
      </Button>
      <button type="button" className="link" onClick={() => runCommand('graph.openFile')}>
        Open a model (.pt, .pt2) or a saved graph …
      </button>
    </EmptyState>
  )
}
