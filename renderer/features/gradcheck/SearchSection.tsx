import { useState, type ReactElement } from 'react'

import { Button } from '../../shell/primitives/Button'
import { Progress } from '../../shell/primitives/Elapsed'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { formatNumber, formatSeconds } from '../../shell/primitives/format'
import { Icon } from '../../shell/primitives/Icon'
import { Section } from '../../shell/primitives/Section'
import { useStaleness } from '../../store/files'
import { useJob } from '../../store/job'
import { gradcheckStore, useGradcheck } from './store'
import { inputsNamed } from '../../store/argument-list'
import { keepCase } from './keep'
import { noSteps, searchJob, stopGradchecks, type Searched } from './jobs'
import { editDraft, searchKey, searchWorst } from './run'

/** The same check at many random points: a kink or a branch hides from one. */
export function SearchSection(): ReactElement {
  const [points, setPoints] = useState(100)
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
            max={100_000}
            value={points}
            onChange={(event) => setPoints(within(event.target.value, 1, 100_000))}
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
  const good = search.failed === 0
  const seeds = Object.entries(search.seeds).map(([name, seed]) => `${name} ${seed}`)
  const take = (): void => {
    const { draft } = gradcheckStore.getState()
    const names = inputsNamed(draft.argsText, search.inputs)
    const inputs = Object.fromEntries(
      names.flatMap((name) => (search.inputs[name] ? [[name, search.inputs[name]]] : [])),
    )
    editDraft({ inputs: { ...draft.inputs, ...inputs } })
  }
  return (
    <div
      className={isOurs && !isOld ? 'gradcheck-found' : 'gradcheck-found stale'}
      data-testid="gradcheck-found"
    >
      <p className={good ? 'tone-ok' : 'tone-error'}>
        <Icon name={good ? 'check' : 'error'} />{' '}
        {good ? 'All points pass' : `${search.failed} of ${search.tried} points fail`}
        <span className="muted">
          {' '}
          in {formatSeconds(search.seconds)}
          {isOld && ', from older sources'}
          {!isOurs && ', for another case'}
        </span>
      </p>
      <p className="selectable">
        Worst: seed <span className="number">{seeds.join(', ')}</span>, largest error{' '}
        <span className="number">{formatNumber(search.maxAbsolute, 3)}</span>
      </p>
      {search.error && <ErrorView error={search.error} />}
      <div className="actions">
        <Button onClick={take} testId="gradcheck-take">
          Use this point
        </Button>
        <Button
          icon="plus"
          onClick={() => {
            take()
            void keepCase('passed')
          }}
          testId="gradcheck-keep-found"
        >
          Keep this point
        </Button>
      </div>
    </div>
  )
}
