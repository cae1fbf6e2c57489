import { useState, type ReactElement } from 'react'

import type { RunCheck, RunResults } from '../../../electron/contract/run-calls'
import { EntryName } from '../../shell/primitives/EntryName'
import { formatCount } from '../../shell/primitives/format'
import { Section } from '../../shell/primitives/Section'
import { CheckMark } from './CheckMark'
import { OperatorFindings } from './OperatorFindings'

/** The verdicts of a run, in the order of its operators, and the findings of the chosen one. */
export function OperatorCheckRunResults({ results }: { results: RunResults }): ReactElement | null {
  const [chosen, setChosen] = useState<number | null>(null)
  const checks = [...results.checks].sort((a, b) => a.outcome.entry - b.outcome.entry)
  if (checks.length === 0) return null
  const unexpected = checks.filter(({ outcome }) => !outcome.asExpected).length
  return (
    <Section
      title="Operators"
      note={
        unexpected === 0
          ? `${checks.length} as expected`
          : `${unexpected} of ${formatCount(checks.length, 'operator')} not as expected`
      }
    >
      {checks.map((check) => {
        const { entry } = check.outcome
        const isChosen = entry === chosen
        return (
          <CheckOfRun
            key={entry}
            check={check}
            isChosen={isChosen}
            onChoose={() => setChosen(isChosen ? null : entry)}
          />
        )
      })}
    </Section>
  )
}

type RowProps = { check: RunCheck; isChosen: boolean; onChoose: () => void }

function CheckOfRun({ check, isChosen, onChoose }: RowProps): ReactElement {
  const { outcome, node, checked } = check
  return (
    <>
      <button
        type="button"
        className={isChosen ? 'entry-row selected' : 'entry-row'}
        aria-expanded={isChosen}
        title={`${outcome.name}, on ${node}`}
        data-testid="operator-check-run-outcome"
        data-verdict={outcome.verdict}
        onClick={onChoose}
      >
        <CheckMark outcome={outcome} />
        <EntryName title={outcome.name} particular={failedText(outcome)} />
        <span className="number muted">{node}</span>
      </button>
      {isChosen && <OperatorFindings outcome={outcome} checked={checked} />}
    </>
  )
}

/** "2 failed" */
function failedText({ report, error }: RunCheck['outcome']): string {
  const failed = report?.findings.filter(({ status }) => status === 'failed').length ?? 0
  return failed > 0 ? `${failed} failed` : (error?.message ?? '')
}
