import { useEffect, useMemo, type ReactElement } from 'react'

import type { ProfileReport } from '../../../electron/contract/profile'
import { Button } from '../../shell/primitives/Button'
import { CommandMenu } from '../../shell/primitives/CommandMenu'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { EnlargeButton } from '../../shell/primitives/EnlargeButton'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { formatCount } from '../../shell/primitives/format'
import { Icon } from '../../shell/primitives/Icon'
import { NeedsBuild } from '../../shell/primitives/NeedsBuild'
import { SearchField } from '../../shell/primitives/SearchField'
import { Segmented } from '../../shell/primitives/Segmented'
import { StaleBar } from '../../shell/primitives/StaleBar'
import { runCommand, shortcutOf } from '../../store/commands'
import { useDeviceName } from '../../store/cuda'
import { useInputs, useInputSpecs } from '../../store/inputs'
import { useJob } from '../../store/job'
import { openFile, showPanel } from '../../store/layout'
import { profileKey, profileStore, useProfile } from './profile'
import { profileJob } from './profile-job'
import { chooseFirstProfiled, runProfile, showProfileView } from './profile-run'
import { useProgramFunctions } from '../../store/program-functions'
import { useSchemas } from '../../store/schemas'
import { useStaleness } from '../../store/staleness'
import { CallBar } from './CallBar'
import { ProfileDetails } from './Details'
import { MemoryView } from './MemoryView'
import { flameOf, kindWords, timelineOf } from './profile-spans'
import { SpanCanvas } from '../../shell/spans/SpanCanvas'
import { bytesText, exactTime, shareText, timeText } from '../../shell/spans/times'
import { TotalsView } from './TotalsView'

/** Where one call of a function or an operator spends its time, and who takes its memory. */
export function ProfilePanel(): ReactElement {
  const isLoaded = useSchemas((state) => state.load !== null)
  const hasReport = useJob(profileJob, (state) => state.value !== null)
  const functions = useProgramFunctions()
  useEffect(() => {
    if (isLoaded) chooseFirstProfiled()
  }, [isLoaded, functions])
  if (!isLoaded && !hasReport) {
    return (
      <NeedsBuild
        icon="pulse"
        text="Shows where a function of the program, or an operator, spends time and allocates memory. Build first."
      />
    )
  }
  return (
    <div className="panel-column profile-panel" data-testid="profile-panel">
      <div className="panel-bar split-bar">
        <span className="grow" />
        <PanelMenu />
        <EnlargeButton panel="profile" />
      </div>
      <CallBar />
      <Result />
    </div>
  )
}

function PanelMenu(): ReactElement {
  // What can be done depends on these.
  useProfile((state) => state.draft.op === '')
  useJob(profileJob, (state) => `${state.running === null} ${state.value === null}`)
  return (
    <CommandMenu
      name="Profile"
      testId="profile-menu"
      sections={[
        ['profile.run', 'profile.stop'],
        ['profile.save'],
        ['timeline', 'flame', 'table', 'memory'].map((name) => `profile.view.${name}`),
      ]}
    />
  )
}

const again = { label: 'Profile', command: 'profile.run' }

function Result(): ReactElement {
  const profiled = useJob(profileJob, (state) => state.value)
  const error = useJob(profileJob, (state) => state.error)
  const isWorking = useJob(profileJob, (state) => state.running !== null)
  const staleness = useStaleness(profiled?.stamp ?? null, 'run')
  const isOther = useIsOther()
  const isOld = staleness === 'older' || isOther
  if (profiled === null) return error ? <Failure /> : <Nothing />
  return (
    <>
      {!isWorking && <StaleBar staleness={staleness} stamp={profiled.stamp} again={again} />}
      {!isWorking && isOther && <OtherFields />}
      {error && <Failure />}
      <div
        className={`profile-result${isOld && !isWorking ? ' stale' : ''}${isWorking ? ' working' : ''}`}
      >
        <Summary report={profiled.report} />
        <Views report={profiled.report} />
      </div>
    </>
  )
}

/** Whether what is shown was profiled before the fields above said what they say. */
function useIsOther(): boolean {
  useInputSpecs()
  useInputs((state) => state.device)
  const asked = useJob(profileJob, (state) => state.value?.asked)
  return useProfile(({ draft }) => asked !== undefined && asked !== profileKey(draft))
}

function OtherFields(): ReactElement {
  return (
    <div className="stale-bar" role="status" data-testid="profile-other-fields">
      <Icon name="history" />
      <span className="grow">This profile is for different settings.</span>
      <button type="button" className="link" onClick={() => void runProfile()}>
        Profile
      </button>
    </div>
  )
}

function Failure(): ReactElement | null {
  const error = useJob(profileJob, (state) => state.error)
  if (!error) return null
  return (
    <div className="panel-pad">
      <ErrorView error={error} testId="profile-error">
        {error.exit && <Button onClick={() => showPanel('host-output')}>Show the crash</Button>}
        {(error.code === 'build.required' || error.code === 'library.load') && (
          <Button icon="play" onClick={() => runCommand('build.run')}>
            Build
          </Button>
        )}
        <Button icon="refresh" onClick={() => void runProfile()}>
          Profile again
        </Button>
      </ErrorView>
    </div>
  )
}

function Nothing(): ReactElement {
  const op = useProfile((state) => state.draft.op)
  const isWorking = useJob(profileJob, (state) => state.running !== null)
  if (isWorking) {
    return (
      <p className="panel-pad muted" role="status">
        <span className="spinner" /> warming up …
      </p>
    )
  }
  if (op === '') return <EmptyState text="Choose a function or an operator to profile." quiet />
  return (
    <EmptyState
      icon="pulse"
      text="Shows one run as a timeline and a flame graph: operators, GPU kernels and memory, each with its line of the program."
    >
      <Button primary icon="play" onClick={() => void runProfile()} testId="profile-start">
        Profile <kbd>{shortcutOf('profile.run')}</kbd>
      </Button>
    </EmptyState>
  )
}

/** Above this ratio of a profiled run's time to another's, short events look longer than they are. */
const slowedBelow = 1.3

function Summary({ report }: { report: ProfileReport }): ReactElement {
  const nameOf = useDeviceName()
  const { trace, total, memory } = report
  const slowed = trace.plainTime > 0 ? total / trace.plainTime : 1
  const runs = trace.runs.length === 1 ? 'one run' : `median of ${trace.runs.length} runs`
  return (
    <div className="profile-summary" data-testid="profile-summary">
      <span>
        <strong className="number">{timeText(total)}</strong>{' '}
        <span className="muted">
          {runs}, {formatCount(trace.threads, 'thread')}
        </span>
      </span>
      <span
        className="muted"
        title={
          slowed > slowedBelow
            ? 'Recording an event takes about a microsecond, so short events look longer than they are.'
            : ''
        }
      >
        without the profiler <span className="number">{timeText(trace.plainTime)}</span>
        {slowed > slowedBelow && ' (in the profile, short events look longer than they are)'}
      </span>
      {memory.map(({ device, peak }) => (
        <span key={device}>
          <span className="number">{bytesText(peak)}</span>{' '}
          <span className="muted">peak on {nameOf(device)}, without the arguments</span>
        </span>
      ))}
      {trace.cutEvents + trace.cutAllocations > 0 && (
        <span className="profile-cut">
          <Icon name="warning" /> The first {formatCount(trace.events.name.length, 'event')} are
          shown; {formatCount(trace.cutEvents, 'more event')} and{' '}
          {formatCount(trace.cutAllocations, 'allocation')} did not fit.
        </span>
      )}
    </div>
  )
}

function Views({ report }: { report: ProfileReport }): ReactElement {
  const view = useProfile((state) => state.view)
  const search = useProfile((state) => state.search)
  return (
    <>
      <div className="profile-views">
        <Segmented
          label="View of the profile"
          value={view}
          onChange={showProfileView}
          options={[
            { value: 'timeline', label: 'Timeline', testId: 'profile-view-timeline' },
            { value: 'flame', label: 'Flame graph', testId: 'profile-view-flame' },
            { value: 'table', label: 'Table', testId: 'profile-view-table' },
            { value: 'memory', label: 'Memory', testId: 'profile-view-memory' },
          ]}
        />
        {view !== 'memory' && (
          <SearchField
            value={search}
            label={view === 'table' ? 'Find names' : 'Mark names'}
            testId="profile-search"
            onChange={(next) => profileStore.setState({ search: next })}
          />
        )}
      </div>
      {view === 'timeline' && <Timeline report={report} />}
      {view === 'flame' && <Flame report={report} />}
      {view === 'table' && <TotalsView report={report} search={search} />}
      {view === 'memory' && <MemoryView report={report} />}
      {(view === 'timeline' || view === 'flame') && (
        <>
          <Legend report={report} />
          <ProfileDetails report={report} />
        </>
      )}
    </>
  )
}

function Timeline({ report }: { report: ProfileReport }): ReactElement {
  const named = useMemo(() => timelineOf(report), [report])
  const search = useProfile((state) => state.search)
  const selected = useProfile(({ selection }) =>
    selection?.kind === 'event' ? selection.index : null,
  )
  const { trace, self, places } = report
  return (
    <SpanCanvas
      named={named}
      memory={report.memory}
      label="Timeline of the run"
      testId="profile-timeline"
      selected={selected}
      search={search}
      onSelect={(index) => {
        profileStore.setState({ selection: index === null ? null : { kind: 'event', index } })
      }}
      onOpen={(index) => openPlace(trace.frames[places[index] ?? -1])}
      describe={(id) => [
        named.name(id),
        `${exactTime(trace.events.duration[id] ?? 0)}, self ${exactTime(self[id] ?? 0)}`,
        ...(trace.inputs[trace.events.inputs[id] ?? -1] !== undefined
          ? [trace.inputs[trace.events.inputs[id] ?? -1] ?? '']
          : []),
      ]}
    />
  )
}

function Flame({ report }: { report: ProfileReport }): ReactElement {
  const named = useMemo(() => flameOf(report), [report])
  const search = useProfile((state) => state.search)
  const selected = useProfile(({ selection }) =>
    selection?.kind === 'flame' ? selection.index : null,
  )
  return (
    <SpanCanvas
      named={named}
      memory={noMemory}
      label="Flame graph: time per call stack"
      testId="profile-flame"
      selected={selected}
      search={search}
      onSelect={(index) => {
        profileStore.setState({ selection: index === null ? null : { kind: 'flame', index } })
      }}
      onOpen={(index) => openPlace(report.flame[index])}
      describe={(id) => {
        const node = report.flame[id]
        if (!node) return []
        return [
          node.name,
          `${exactTime(node.total)} (${shareText(node.total / Math.max(1, report.total))}), own ${exactTime(node.self)}`,
          formatCount(node.calls, 'call'),
        ]
      }}
    />
  )
}

const noMemory: ProfileReport['memory'] = []

function openPlace(place: { file: string; line: number } | undefined): void {
  if (place && place.file !== '') openFile(place.file, place.line)
}

function Legend({ report }: { report: ProfileReport }): ReactElement {
  const kinds = useMemo(() => {
    const present = new Set(report.flame.map(({ kind }) => kind))
    return (Object.keys(kindWords) as (keyof typeof kindWords)[]).filter((kind) =>
      present.has(kind),
    )
  }, [report])
  return (
    <ul className="profile-legend" aria-label="Colours">
      {kinds.map((kind) => (
        <li key={kind}>
          <span className={`profile-key ${kind}`} /> {kindWords[kind]}
        </li>
      ))}
    </ul>
  )
}
