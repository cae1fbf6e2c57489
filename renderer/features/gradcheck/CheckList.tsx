import type { ReactElement } from 'react'

import type { GradcheckEntry } from '../../../electron/contract/manifest'
import type { GradcheckOutcome } from '../../../electron/contract/gradcheck'
import { EntryName } from '../../shell/primitives/EntryName'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { formatNumber } from '../../shell/primitives/format'
import { useLasting } from '../../shell/primitives/lasting'
import { ListVerdict } from '../../shell/primitives/ListVerdict'
import { MainAction } from '../../shell/primitives/MainAction'
import { OtherOperators } from '../../shell/primitives/OtherOperators'
import { RunFields } from '../../shell/primitives/RunFields'
import { RunList } from '../../shell/primitives/RunList'
import { Section } from '../../shell/primitives/Section'
import { runStamp, useFiles } from '../../store/files'
import { checkAll } from './all'
import { CheckMark } from './CheckMark'
import { gradcheckRuns } from './runs'
import { useGradcheck } from './store'
import { namesOf } from './case'
import { whyOf } from './problems'
import { allGradchecksJob, stopGradchecks } from './jobs'
import { chooseEntry, chooseOther } from './run'
import { useJob } from '../../store/job'
import { useRuns } from '../../store/runs'
import { useProject } from '../../store/project'
import { useIsOlder } from '../../store/staleness'
import { changeText } from './finding-names'

const noEntries: GradcheckEntry[] = []

/** opsmith.json's gradchecks with their verdicts, and what else could be checked. */
export function CheckList(): ReactElement {
  const manifest = useProject((state) => state.project?.manifest)
  const entries = manifest?.gradchecks ?? noEntries
  const isRun = useRuns(gradcheckRuns, (state) => state.shownRun !== null)
  const other = useGradcheck((state) => (state.entry === null ? state.draft.op : ''))
  const error = useJob(allGradchecksJob, (state) => state.error)
  return (
    <div className="split-list scroll" data-testid="gradcheck-list">
      <Section
        title="Gradchecks"
        note={entries.length === 0 ? '' : String(entries.length)}
        actions={
          <>
            <Verdict total={entries.length} />
            <CheckAll disabled={entries.length === 0} />
          </>
        }
      >
        {entries.length > 0 && (
          <div className="case-options side-pad">
            <RunFields of={gradcheckRuns} at="gradcheck-all" />
          </div>
        )}
        {error && <ErrorView error={error} />}
        {entries.map((entry, index) => (
          <EntryRow key={index} entry={entry} index={index} />
        ))}
        {entries.length === 0 && (
          <p className="muted side-pad">
            No gradchecks yet. Check an operator below, then keep the case. Opsmith runs the kept
            cases after every build.
          </p>
        )}
      </Section>
      <RunList of={gradcheckRuns} />
      <OtherOperators
        title="Operators without a gradcheck"
        listed={entries}
        selected={isRun ? '' : other}
        onChoose={chooseOther}
      />
    </div>
  )
}

function CheckAll({ disabled }: { disabled: boolean }): ReactElement {
  const job = useJob(allGradchecksJob, (state) => state)
  return (
    <MainAction
      text="Check all"
      title="Runs all gradchecks of opsmith.json"
      command="gradcheck.all"
      disabled={disabled}
      job={job}
      steps={job.progress}
      isOfList
      onStart={() => void checkAll()}
      onStop={() => void stopGradchecks()}
      testId="gradcheck-all"
      stopTestId="gradcheck-all-stop"
    />
  )
}

/** Of opsmith.json's checks, made since the sources changed last. */
function Verdict({ total }: { total: number }): ReactElement | null {
  const outcomes = useGradcheck((state) => state.outcomes)
  const lasts = useLasting(useJob(allGradchecksJob, (state) => state.running !== null))
  const isOlder = useIsOlder('run')
  if (lasts) return null
  const known = Object.values(outcomes).filter(({ stamp }) => !isOlder(stamp))
  return (
    <ListVerdict
      total={total}
      outcomes={known.map(({ outcome }) => outcome)}
      testId="gradcheck-list-verdict"
    />
  )
}

function EntryRow({ entry, index }: { entry: GradcheckEntry; index: number }): ReactElement {
  const inputs = useProject((state) => state.project?.manifest?.inputs) ?? {}
  const known = useGradcheck((state) => state.outcomes[index])
  const isChecking = useJob(allGradchecksJob, (state) => state.running !== null)
  const lasts = useLasting(isChecking)
  const isRun = useRuns(gradcheckRuns, (state) => state.shownRun !== null)
  const selected = useGradcheck((state) => state.entry === index) && !isRun
  const now = useFiles(runStamp)
  const isOlder = useIsOlder('run')
  const { title, particular } = namesOf(entry, inputs)
  const outcome = known?.outcome
  const isDimmed = known !== undefined && (isOlder(known.stamp) || lasts)
  const isOfNow = known !== undefined && known.stamp === now && !isChecking
  const error = outcome?.report?.error ?? null
  return (
    <button
      type="button"
      className={`entry-row${selected ? ' selected' : ''}${isDimmed ? ' stale' : ''}`}
      aria-pressed={selected}
      title={titleOf(`${title}${particular === '' ? '' : `, ${particular}`}`, outcome)}
      data-testid={`gradcheck-entry-${index}`}
      data-verdict={outcome && isOfNow ? outcome.verdict : ''}
      data-expected={outcome?.asExpected}
      onClick={() => chooseEntry(index)}
    >
      <CheckMark outcome={outcome} />
      <EntryName title={title} particular={particular} />
      <span className="number muted gradcheck-row-error">
        {error === null ? '' : formatNumber(error, 2)}
      </span>
    </button>
  )
}

function titleOf(name: string, outcome: GradcheckOutcome | undefined): string {
  if (!outcome) return name
  const verdict = outcome.asExpected
    ? `${outcome.verdict}, as expected`
    : `${outcome.verdict}; expected: ${outcome.expect}. ${whyOf(outcome)}`
  const change = outcome.report ? changeText(outcome.report) : ''
  return `${name}\n${verdict}${change === '' ? '' : `\nlargest error: ${change}`}`
}
