import { useState, type ReactElement } from 'react'

import { Button } from '../../shell/primitives/Button'
import { Progress } from '../../shell/primitives/Elapsed'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { RunFields } from '../../shell/primitives/RunFields'
import { Section } from '../../shell/primitives/Section'
import { useStaleness } from '../../store/files'
import { useJob } from '../../store/job'
import { useRuns } from '../../store/runs'
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
        <span className="case-option">
          <label htmlFor="gradcheck-points">points</label>
          <input
            id="gradcheck-points"
            type="number"
            className="mono"
            min={1}
            max={most}
            value={points}
            onChange={(event) => setPoints(within(event.target.value, 1, most))}
          />
        </span>
        <span className="case-option">
          <label htmlFor="gradcheck-first-seed">from seed</label>
          <input
            id="gradcheck-first-seed"
            type="number"
            className="mono"
            min={0}
            value={firstSeed}
            onChange={(event) => setFirstSeed(within(event.target.value, 0, 2 ** 31))}
          />
        </span>
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

function within(text: string, low: number, high: number): number {
  return Math.min(Math.max(Math.round(Number(text)), low), high)
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
