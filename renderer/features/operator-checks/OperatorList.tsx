import type { ReactElement } from 'react'

import type { CheckEntry } from '../../../electron/contract/manifest'
import { EntryName } from '../../shell/primitives/EntryName'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { ListVerdict } from '../../shell/primitives/ListVerdict'
import { MainAction } from '../../shell/primitives/MainAction'
import { OtherOperators } from '../../shell/primitives/OtherOperators'
import { RunFields } from '../../shell/primitives/RunFields'
import { RunList } from '../../shell/primitives/RunList'
import { Section } from '../../shell/primitives/Section'
import { useLasting } from '../../shell/primitives/lasting'
import { runStamp, useFiles } from '../../store/files'
import { useJob } from '../../store/job'
import { useRuns } from '../../store/runs'
import { checkAll } from './all'
import { CheckMark } from './CheckMark'
import { allOperatorChecksJob, stopOperatorChecks } from './jobs'
import { operatorCheckRuns } from './runs'
import { setSanitize, setThorough, useOperatorChecks } from './store'
import { calledText, operatorCheckDraftOf } from './case'
import { chooseCheck, chooseCheckedOperator } from './run'
import { useProject } from '../../store/project'
import { useIsOlder } from '../../store/staleness'

/** What is checked of the project with its verdicts, and what else could be. */
export function OperatorList(): ReactElement {
  const entries = useOperatorChecks((state) => state.entries)
  const isRun = useRuns(operatorCheckRuns, (state) => state.shownRun !== null)
  const other = useOperatorChecks((state) => (state.entry === null ? state.draft.op : ''))
  const error = useJob(allOperatorChecksJob, (state) => state.error)
  const isListed = useProject((state) => state.project?.manifest?.checks !== undefined)
  return (
    <div className="split-list scroll" data-testid="operator-check-list">
      <Section
        title={isListed ? 'Checks' : 'Operators'}
        note={entries.length === 0 ? '' : String(entries.length)}
        actions={
          <>
            <Verdict total={entries.length} />
            <CheckAll />
          </>
        }
      >
        <SanitizeSwitch />
        <ThoroughSwitch />
        <div className="case-options side-pad">
          <RunFields of={operatorCheckRuns} />
        </div>
        {error && <ErrorView error={error} />}
        {entries.map((entry, index) => (
          <EntryRow key={index} entry={entry} index={index} />
        ))}
        {entries.length === 0 && (
          <p className="muted side-pad">
            {isListed
              ? '“checks” in opsmith.json is empty.'
              : 'This project has no operators to check.'}
          </p>
        )}
      </Section>
      <RunList of={operatorCheckRuns} />
      <OtherOperators
        title="Not in opsmith.json"
        listed={entries}
        selected={isRun ? '' : other}
        onChoose={chooseCheckedOperator}
      />
    </div>
  )
}

type SwitchProps = {
  words: string
  title: string
  checked: boolean
  onChange: (isOn: boolean) => void
  testId: string
}

/** What else is checked, when checks run next. */
function CheckSwitch({ words, title, checked, onChange, testId }: SwitchProps): ReactElement {
  return (
    <label className="check side-pad" title={title}>
      <input
        type="checkbox"
        checked={checked}
        data-testid={testId}
        onChange={(event) => onChange(event.target.checked)}
      />
      {words}
    </label>
  )
}

/** Memory and undefined behaviour, watched by the compiler's sanitizers. */
function SanitizeSwitch(): ReactElement {
  return (
    <CheckSwitch
      words="sanitizers"
      title="Also calls the operators in a separate build with ASan and UBSan. This takes a few seconds more."
      checked={useOperatorChecks((state) => state.sanitize)}
      onChange={setSanitize}
      testId="operator-check-sanitize"
    />
  )
}

/** What `check --thorough` checks too. */
function ThoroughSwitch(): ReactElement {
  return (
    <CheckSwitch
      words="thorough"
      title="Also checks complex and second-order gradients, and four times as many shapes. This takes at least four times as long."
      checked={useOperatorChecks((state) => state.thorough)}
      onChange={setThorough}
      testId="operator-check-thorough"
    />
  )
}

function CheckAll(): ReactElement {
  const job = useJob(allOperatorChecksJob, (state) => state)
  return (
    <MainAction
      text="Check all"
      title="Checks all operators in the list"
      command="operatorChecks.all"
      job={job}
      steps={job.progress}
      isOfList
      onStart={() => void checkAll()}
      onStop={() => void stopOperatorChecks()}
      testId="operator-check-run"
      stopTestId="operator-check-stop"
    />
  )
}

/** Of all that were checked since the sources changed last. */
function Verdict({ total }: { total: number }): ReactElement | null {
  const outcomes = useOperatorChecks((state) => state.outcomes)
  const lasts = useLasting(useJob(allOperatorChecksJob, (state) => state.running !== null))
  const isOlder = useIsOlder('run')
  if (lasts) return null
  const known = Object.values(outcomes).filter(({ stamp }) => !isOlder(stamp))
  return (
    <ListVerdict
      total={total}
      outcomes={known.map(({ outcome }) => outcome)}
      testId="operator-check-verdict"
    />
  )
}

/** How an entry differs from others with the same call. */
function particularOf(entry: CheckEntry): string {
  if (entry.checks) return entry.checks.map((check) => check.replaceAll('_', ' ')).join(', ')
  const ranges = [entry.sizes, entry.integers, entry.floats].flatMap((one) =>
    Object.keys(one ?? {}),
  )
  return ranges.length === 0 ? '' : `over ${ranges.join(', ')}`
}

function EntryRow({ entry, index }: { entry: CheckEntry; index: number }): ReactElement {
  const inputs = useProject((state) => state.project?.manifest?.inputs) ?? {}
  const known = useOperatorChecks((state) => state.outcomes[index])
  const isRun = useRuns(operatorCheckRuns, (state) => state.shownRun !== null)
  const selected = useOperatorChecks((state) => state.entry === index) && !isRun
  const now = useFiles(runStamp)
  const isOlder = useIsOlder('run')
  const isDimmed = known !== undefined && isOlder(known.stamp)
  const call = calledText(entry.op, operatorCheckDraftOf(entry, inputs).argsText)
  const title = entry.name ?? call
  const particular = particularOf(entry)
  const verdict = known?.stamp === now ? known.outcome.verdict : ''
  return (
    <button
      type="button"
      className={`entry-row${selected ? ' selected' : ''}${isDimmed ? ' stale' : ''}`}
      aria-pressed={selected}
      title={`${call}${particular === '' ? '' : `, ${particular}`}`}
      data-testid={`operator-check-entry-${index}`}
      data-verdict={verdict}
      onClick={() => chooseCheck(index)}
    >
      <CheckMark outcome={known?.outcome} />
      <EntryName title={title} particular={particular} />
    </button>
  )
}
