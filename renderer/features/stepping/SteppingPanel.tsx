import { useEffect, type ReactElement } from 'react'

import type { StepView } from '../../../electron/contract/gpu-stepping'
import { groupText, laneGroups } from '../../../electron/contract/step-texts'
import { Button } from '../../shell/primitives/Button'
import { CallFields } from '../../shell/primitives/CallFields'
import { CommitField } from '../../shell/primitives/CommitField'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { FileLink } from '../../shell/primitives/FileLink'
import { MainAction } from '../../shell/primitives/MainAction'
import { runCommand, shortcutOf } from '../../store/commands'
import { useJob } from '../../store/job'
import { useProject } from '../../store/project'
import { useSchemas } from '../../store/schemas'
import { chooseFirstStepped, chooseStepped, go, runToLine, showWarp, cursorPlace } from './actions'
import { LaneTable } from './LaneTable'
import { Races, SharedMemory } from './SharedMemory'
import { stepJob } from './step-job'
import { steppingStore, useStepping } from './store'

/** One block of a kernel, line by line. */
export function SteppingPanel(): ReactElement {
  const isLoaded = useSchemas((state) => state.load !== null)
  const hasCuda = useProject(
    ({ project }) => project?.files.some(({ path }) => /\.cuh?$/.test(path)) === true,
  )
  useEffect(() => {
    if (isLoaded) chooseFirstStepped()
  }, [isLoaded])
  if (!hasCuda)
    return (
      <div className="panel-column" data-testid="stepping-panel">
        <EmptyState icon="chip" text="This project has no CUDA sources." quiet />
      </div>
    )
  return (
    <div className="panel-column" data-testid="stepping-panel">
      <Wanted />
      <Buttons />
      <div className="scroll">
        <Shown />
      </div>
    </div>
  )
}

function parseBlock(text: string): { value: [number, number, number] } | { problem: string } {
  if (!/^\d+( *, *\d+){0,2}$/.test(text.trim()))
    return { problem: 'must be x, y, z, such as 0, 0, 0' }
  const [x = 0, y = 0, z = 0] = text.split(',').map(Number)
  return { value: [x, y, z] }
}

/** The call, the block and the line. */
function Wanted(): ReactElement {
  const { op, argsText, block, place } = useStepping((state) => state)
  const job = useJob(stepJob, (state) => state)
  return (
    <div className="case-form" role="group" aria-label="Call to step">
      <div className="case-call">
        <CallFields
          id="stepping"
          op={op}
          argsText={argsText}
          placeholder="no arguments"
          onChoose={chooseStepped}
          onArguments={(text) => steppingStore.setState({ argsText: text })}
        />
        <MainAction
          text="Run to line"
          title="Runs this call, and stops when threads of the chosen block reach the line with the cursor"
          command="stepping.toCursor"
          disabled={op === ''}
          job={job}
          onStart={() => runToCursor()}
          onStop={() => void stepJob.stop()}
          testId="stepping-run"
          stopTestId="stepping-stop"
        />
      </div>
      <div className="case-options">
        <span className="stepping-block" title="blockIdx of the thread block to step through">
          <CommitField
            id="stepping-block"
            label="block"
            text={block.join(', ')}
            parse={parseBlock}
            onCommit={(value) => steppingStore.setState({ block: value })}
          />
        </span>
        {place && (
          <span>
            <span className="muted">line</span> <FileLink file={place.file} line={place.line} />
          </span>
        )}
      </div>
    </div>
  )
}

/** The line of the cursor, else the one before. */
function runToCursor(): void {
  const place = cursorPlace() ?? steppingStore.getState().place
  if (place) void runToLine(place)
  else runCommand('stepping.toCursor')
}

function Buttons(): ReactElement | null {
  const canGo = useStepping(({ view, isMoving }) => view !== null && !isMoving)
  const isRunning = useJob(stepJob, (state) => state.running !== null)
  if (!isRunning) return null
  const titleOf = (id: string, text: string): string => `${text} (${shortcutOf(id)})`
  return (
    <div className="panel-bar wraps">
      <Button
        icon="down"
        disabled={!canGo}
        onClick={() => void go('step')}
        title={titleOf('stepping.step', 'The lanes at the current line go to their next line')}
        testId="stepping-step"
      >
        Step
      </Button>
      <Button
        icon="minus"
        disabled={!canGo}
        onClick={() => void go('barrier')}
        title={titleOf('stepping.barrier', 'All threads go past the next barrier')}
        testId="stepping-barrier"
      >
        Next barrier
      </Button>
      <Button
        icon="play"
        disabled={!canGo}
        onClick={() => void go('line')}
        title={titleOf('stepping.continue', 'Runs until threads reach the line again')}
        testId="stepping-continue"
      >
        Continue
      </Button>
    </div>
  )
}

function Shown(): ReactElement {
  const { view, isMoving } = useStepping((state) => state)
  const { running, value, error } = useJob(stepJob, (state) => state)
  if (view)
    return (
      <div className={isMoving ? 'stale' : ''}>
        <Stopped view={view} />
      </div>
    )
  if (running !== null)
    return (
      <p className="panel-pad muted" role="status">
        <span className="spinner" /> Waiting until the project is built for stepping, and threads
        reach the line …
      </p>
    )
  if (error) return <ErrorView error={error} testId="stepping-error" />
  if (value?.hasStopped === false)
    return (
      <EmptyState
        icon="target"
        text="The call ended, but no thread of the block reached the line. Choose another line, block or call."
      />
    )
  return (
    <EmptyState
      icon="target"
      text={
        value
          ? 'The call ended.'
          : 'Put the cursor on a line of a kernel, then choose “Run to line”. You see the variables of all lanes, what threads wait for, and shared memory.'
      }
    />
  )
}

function Stopped({ view }: { view: StepView }): ReactElement {
  const { kernel, block, grid, threads, launch, barriersPassed, reason, why, lanes } = view
  const size = (index: readonly number[]): string => index.join(' × ')
  const warps = Math.ceil(lanes.length / 32)
  return (
    <>
      <div
        className={reason === 'line' ? 'side-pad stepping-where' : 'verdict-bar bad'}
        role="status"
        data-testid="stepping-where"
      >
        <span>
          <strong className="mono">{kernel}</strong>, block ({block.join(', ')}) of {size(grid)},
          launch {launch}, {size(threads)} threads, after{' '}
          {barriersPassed === 1 ? '1 barrier' : `${barriersPassed} barriers`}
          {reason === 'stuck' && '. Deadlock: no thread can continue.'}
          {reason === 'fault' && `. Fault: ${why}. The launch ends here.`}
        </span>
      </div>
      <ul className="side-pad stepping-groups" aria-label="Threads" data-testid="stepping-groups">
        {laneGroups(lanes).map((group) => (
          <li key={JSON.stringify(group)} className={`stepping-${group.state}`}>
            {groupText(group)}
            {group.state !== 'finished' && group.place && (
              <>
                {' at '}
                <FileLink file={group.place.file} line={group.place.line} />
              </>
            )}
          </li>
        ))}
      </ul>
      <Races view={view} />
      {warps > 1 && (
        <label className="side-pad stepping-warp">
          Warp
          <select
            value={view.warp}
            onChange={(event) => void showWarp(Number(event.target.value))}
            data-testid="stepping-warp"
          >
            {Array.from({ length: warps }, (_, warp) => (
              <option key={warp} value={warp}>
                {warp}: threads {32 * warp} to {Math.min(32 * warp + 31, lanes.length - 1)}
              </option>
            ))}
          </select>
        </label>
      )}
      <LaneTable view={view} />
      <SharedMemory view={view} />
    </>
  )
}
