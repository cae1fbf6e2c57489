import type { ReactElement, ReactNode } from 'react'

import type { ProfileReport } from '../../../electron/contract/profile'
import { IconButton } from '../../shell/primitives/Button'
import { FileLink } from '../../shell/primitives/FileLink'
import { formatCount } from '../../shell/primitives/format'
import { profileStore, useProfile } from './profile'
import { spanKind, kindWords } from './profile-spans'
import { bytesText, exactTime, shareText } from '../../shell/spans/times'

/** What is known of the selected event, or of the selected node of the flame graph. */
export function ProfileDetails({ report }: { report: ProfileReport }): ReactElement {
  const selection = useProfile((state) => state.selection)
  const view = useProfile((state) => state.view)
  const kind = view === 'flame' ? 'flame' : 'event'
  return (
    <div className="profile-details" role="status" data-testid="profile-details">
      {selection?.kind !== kind ? (
        <span className="muted">
          Click {kind === 'flame' ? 'a box' : 'an event'}, or use the arrow keys, to see its times
          and its line.
        </span>
      ) : kind === 'flame' ? (
        <FlameDetails report={report} index={selection.index} />
      ) : (
        <EventDetails report={report} index={selection.index} />
      )}
    </div>
  )
}

type Props = { report: ProfileReport; index: number }

function EventDetails({ report, index }: Props): ReactElement {
  const { trace, self, allocated, places, total } = report
  const { events } = trace
  const duration = events.duration[index] ?? 0
  const inputs = trace.inputs[events.inputs[index] ?? -1]
  const forward = events.forward[index] ?? -1
  const details = trace.details[events.details[index] ?? -1]
  const place = trace.frames[places[index] ?? -1]
  const track = trace.tracks[events.track[index] ?? -1]?.name ?? ''
  return (
    <>
      <Title
        name={trace.names[events.name[index] ?? -1] ?? ''}
        note={kindWords[spanKind(report, index)]}
      />
      <Fact name="total time">{`${exactTime(duration)} (${shareText(duration / Math.max(1, total))})`}</Fact>
      <Fact name="self time">{exactTime(self[index] ?? 0)}</Fact>
      <Fact name="starts at">{`${exactTime(events.start[index] ?? 0)} on ${track}`}</Fact>
      {inputs !== undefined && <Fact name="inputs">{inputs}</Fact>}
      {(allocated[index] ?? 0) > 0 && <Fact name="memory">{bytesText(allocated[index] ?? 0)}</Fact>}
      {forward >= 0 && (
        <Fact name="backward of">
          <button
            type="button"
            className="link mono"
            onClick={() => profileStore.setState({ selection: { kind: 'event', index: forward } })}
          >
            {trace.names[events.name[forward] ?? -1]}
          </button>
        </Fact>
      )}
      {details !== undefined && <Fact name="GPU kernel">{details}</Fact>}
      {place && <Line file={place.file} line={place.line} within={place.function} />}
    </>
  )
}

function FlameDetails({ report, index }: Props): ReactElement | null {
  const node = report.flame[index]
  if (!node) return null
  return (
    <>
      <Title name={node.name} note={kindWords[node.kind]} />
      <Fact name="total time">{`${exactTime(node.total)} (${shareText(node.total / Math.max(1, report.total))})`}</Fact>
      <Fact name="self time">{exactTime(node.self)}</Fact>
      <Fact name="called">{formatCount(node.calls, 'time')}</Fact>
      {node.allocated > 0 && <Fact name="memory">{bytesText(node.allocated)}</Fact>}
      {node.file !== '' && <Line file={node.file} line={node.line} within="" />}
    </>
  )
}

function Title({ name, note }: { name: string; note: string }): ReactElement {
  return (
    <span className="profile-title">
      <strong className="mono selectable">{name}</strong> <span className="muted">{note}</span>
      <IconButton
        icon="clear"
        label="Clear the selection (Escape)"
        onClick={() => profileStore.setState({ selection: null })}
      />
    </span>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactElement {
  return (
    <span className="profile-fact">
      <span className="muted">{name}</span> <span className="mono selectable">{children}</span>
    </span>
  )
}

type LineProps = { file: string; line: number; within: string }

function Line({ file, line, within }: LineProps): ReactElement | null {
  if (file === '') return null
  return (
    <span className="profile-fact">
      <span className="muted">called at</span> <FileLink file={file} line={line} />
      {within !== '' && <span className="muted"> in {within}</span>}
    </span>
  )
}
