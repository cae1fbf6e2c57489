import { useState, type ReactElement } from 'react'

import { Button } from '../../shell/primitives/Button'
import { Progress } from '../../shell/primitives/Elapsed'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { RunFields } from '../../shell/primitives/RunFields'
import { Section } from '../../shell/primitives/Section'
import { useJob } from '../../store/job'
import { useRuns } from '../../store/runs'
import { useStaleness } from '../../store/staleness'
import { FoundPoint } from './FoundPoint'
import { gradcheckRuns, mostPointsAt } from './runs'
import { useGradcheck } from './store'
import { noSteps, searchJob, stopGradchecks, type Searched } from './jobs'
import { searchKey, searchWorst, takeHere } from './run'

/** The same check at many random points: a kink or a branch hides from one. */
export function SearchSection(): ReactElement {
  const most = useRuns(gradcheckRuns, ({ where }) => mostPointsAt(where))
  const [given, setPoints] = useState(100)
  const points = Math.min(given, most)
  const [firstSeed, setFirstSeed] = useState(0)
  const isSearching = useJob(searchJob, (state) => state.running !== null)
  const { done, total } = useJob(searchJob, (state) => state.progress) ?? noSteps
  const searched = useJob(searchJob, (state) => state.value)
  const search = searched?.report
  const error = useJob(searchJob, (state) => state.error)
  const hasCase = useGradcheck((state) => state.draft.op !== '')
  return (
    <Section title="Worst point" note={search ? `${search.failed} of ${search.tried} fail` : ''}>
      <div className="case-options">
        <NumberField
          id="gradcheck-points"
          label="points"
          value={points}
          range={[1, most]}
          onCommit={setPoints}
        />
        <NumberField
          id="gradcheck-first-seed"
          label="from seed"
          value={firstSeed}
          range={[0, 2 ** 31]}
          onCommit={setFirstSeed}
        />
        <RunFields of={gradcheckRuns} />
        {isSearching ? (
          <>
            <Progress done={done} steps={total} label="Points" />
            <span className="number">
              {done} of {total}
            </span>
            <Button icon="stop" onClick={() => void stopGradchecks()}>
              Stop
            </Button>
          </>
        ) : (
          <Button
            icon="search"
            disabled={!hasCase}
            onClick={() => void searchWorst(points, firstSeed)}
            testId="gradcheck-search"
          >
            Search for the worst point
          </Button>
        )}
      </div>
      {error && <ErrorView error={error} />}
      {searched && <Found searched={searched} />}
    </Section>
  )
}

type NumberFieldProps = {
  id: string
  label: string
  value: number
  /** Both ends included. */
  range: readonly [number, number]
  onCommit: (value: number) => void
}

/** A number counts when its field is left or Enter is pressed; one outside of the range becomes the nearest inside. */
function NumberField({ id, label, value, range, onCommit }: NumberFieldProps): ReactElement {
  const [least, most] = range
  const [draft, setDraft] = useState<string | null>(null)
  const commit = (): void => {
    if (draft !== null && draft.trim() !== '' && Number.isFinite(Number(draft)))
      onCommit(Math.min(Math.max(Math.round(Number(draft)), least), most))
    setDraft(null)
  }
  return (
    <span className="case-option">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="number"
        className="mono"
        min={least}
        max={most}
        value={draft ?? value}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit()
          if (event.key === 'Escape') setDraft(null)
        }}
      />
    </span>
  )
}

function Found({ searched }: { searched: Searched }): ReactElement {
  const { report: search, key, stamp } = searched
  const isOurs = useGradcheck((state) => key === searchKey(state.draft))
  const isOld = useStaleness(stamp, 'run') === 'older'
  const notes = [isOld ? ', from older sources' : '', isOurs ? '' : ', for another case']
  return (
    <FoundPoint
      search={search}
      note={notes.join('')}
      isOld={!isOurs || isOld}
      onTake={() => takeHere(search)}
    />
  )
}
