import type { ReactElement } from 'react'

import type { TimingEntry } from '../../../electron/contract/timing-entry'
import { EntryName } from '../../shell/primitives/EntryName'
import { MainAction } from '../../shell/primitives/MainAction'
import { OtherOperators } from '../../shell/primitives/OtherOperators'
import { RunList } from '../../shell/primitives/RunList'
import { Section } from '../../shell/primitives/Section'
import { useJob } from '../../store/job'
import { allTimingsJob } from './jobs'
import { ownRow } from './shown'
import { timingsStore, useTimings } from './store'
import { timingNames, listedBenchmarks } from './draft'
import { chooseBenchmark, chooseTimed, stopTimings } from './run'
import { timingRuns } from './runs'
import { measureAll } from './spread'
import { useProject } from '../../store/project'
import { useIsOlder } from '../../store/staleness'
import { timeText } from './time-units'

/** What opsmith.json measures, with the time of each call, and what else could be. */
export function TimingList(): ReactElement {
  const manifest = useProject((state) => state.project?.manifest)
  const job = useJob(allTimingsJob, (state) => state)
  const isAll = useTimings((state) => state.view === 'all')
  const entries = listedBenchmarks(manifest)
  const other = useTimings((state) =>
    state.view === 'one' && state.entry === null ? state.draft.op : '',
  )
  const isListed = (manifest?.benchmarks.length ?? 0) > 0
  return (
    <div className="split-list scroll" data-testid="timings-list">
      <Section
        title={isListed ? 'Benchmarks' : 'Calls'}
        note={entries.length === 0 ? '' : String(entries.length)}
        actions={
          <MainAction
            text="Measure all"
            title="Measures all benchmarks"
            command="timing.all"
            disabled={entries.length === 0}
            job={job}
            steps={job.progress}
            isOfList
            onStart={() => {
              timingsStore.setState({ view: 'all' })
              void measureAll()
            }}
            onStop={() => void stopTimings()}
            testId="timings-all"
            stopTestId="timings-all-stop"
          />
        }
      >
        {entries.length > 0 && (
          <button
            type="button"
            className={isAll ? 'entry-row selected' : 'entry-row'}
            aria-pressed={isAll}
            data-testid="timings-overview"
            onClick={() => timingsStore.setState({ view: 'all', row: null })}
          >
            <span className="entry-name">All in one table</span>
          </button>
        )}
        {entries.map((entry, index) => (
          <EntryRow key={index} entry={entry} index={index} />
        ))}
        {entries.length === 0 && (
          <p className="muted side-pad">
            No benchmarks yet. Measure an operator below. To save the benchmark in opsmith.json,
            choose Keep.
          </p>
        )}
      </Section>
      <RunList of={timingRuns} />
      <OtherOperators
        title="Not in opsmith.json"
        listed={entries}
        selected={other}
        onChoose={chooseTimed}
      />
    </div>
  )
}

function EntryRow({ entry, index }: { entry: TimingEntry; index: number }): ReactElement {
  const inputs = useProject((state) => state.project?.manifest?.inputs) ?? {}
  const all = useJob(allTimingsJob, (state) => state.value)
  const isListed = useProject((state) => (state.project?.manifest?.benchmarks.length ?? 0) > 0)
  const selected = useTimings(
    (state) =>
      state.view === 'one' &&
      (isListed ? state.entry === index : state.entry === null && state.draft.op === entry.op),
  )
  const isOlder = useIsOlder('run')
  const { title, particular } = timingNames(entry, inputs)
  const own = ownRow(all?.rows.filter((row) => row.entry === index) ?? [])
  const isOld = all !== null && isOlder(all.stamp)
  return (
    <button
      type="button"
      className={`entry-row${selected ? ' selected' : ''}${isOld ? ' stale' : ''}`}
      aria-pressed={selected}
      title={`${title}${particular === '' ? '' : `\n${particular}`}`}
      data-testid={`timings-entry-${index}`}
      onClick={() => chooseBenchmark(index)}
    >
      <EntryName title={title} particular={particular} />
      <span className="number muted entry-figure">
        {own?.summary ? timeText(own.summary.median) : own ? 'no time' : ''}
      </span>
    </button>
  )
}
