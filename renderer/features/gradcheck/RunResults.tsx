import type { ReactElement } from 'react'

import type { RunGradcheck, RunResults, RunSearch } from '../../../electron/contract/run-calls'
import { Section } from '../../shell/primitives/Section'
import { formatCount } from '../../shell/primitives/format'
import { EntryName } from '../../shell/primitives/EntryName'
import { CheckMark } from './CheckMark'
import { FoundPoint } from './FoundPoint'
import { whyOf } from './problems'
import { takeFound } from './run'

/** The worst points of the searches of a run so far, and the verdicts of its gradchecks. */
export function GradcheckRunResults({ results }: { results: RunResults }): ReactElement {
  const { searches, gradchecks } = results
  const sorted = [...gradchecks].sort((a, b) => a.outcome.entry - b.outcome.entry)
  return (
    <>
      {searches.map((search) => (
        <SearchOfRun key={search.index} search={search} />
      ))}
      {sorted.length > 0 && (
        <Section title="Gradchecks" note={String(sorted.length)}>
          {sorted.map((gradcheck) => (
            <GradcheckOfRun key={gradcheck.outcome.entry} gradcheck={gradcheck} />
          ))}
        </Section>
      )}
    </>
  )
}

function SearchOfRun({ search }: { search: RunSearch }): ReactElement {
  const { name, report, nodes } = search
  const where = nodes.length === 1 ? `node ${nodes.join('')}` : formatCount(nodes.length, 'node')
  return (
    <Section title={name} note={`${report.failed} of ${report.tried} fail`}>
      <FoundPoint search={report} note={` of work, on ${where}`} onTake={() => takeFound(search)} />
    </Section>
  )
}

function GradcheckOfRun({
  gradcheck: { node, outcome },
}: {
  gradcheck: RunGradcheck
}): ReactElement {
  const why = outcome.asExpected ? '' : whyOf(outcome)
  return (
    <div className="entry-row" data-testid="gradcheck-run-outcome" data-verdict={outcome.verdict}>
      <CheckMark outcome={outcome} />
      <EntryName title={outcome.name} particular={why} />
      <span className="number muted">{node}</span>
    </div>
  )
}
