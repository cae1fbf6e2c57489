import type { ReactElement } from 'react'

import type { SearchReport } from '../../../electron/contract/gradcheck'
import { Button } from '../../shell/primitives/Button'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { formatNumber, formatSeconds } from '../../shell/primitives/format'
import { Icon } from '../../shell/primitives/Icon'
import { keepCase } from './keep'

type Props = {
  search: SearchReport
  /** After the count of points: ", from older sources". */
  note: string
  isOld?: boolean
  /** Fills the fields with the point. */
  onTake: () => void
}

/** What a search has found: how many points fail, and the worst of them. */
export function FoundPoint({ search, note, isOld = false, onTake }: Props): ReactElement {
  const good = search.failed === 0
  const seeds = Object.entries(search.seeds).map(([name, seed]) => `${name} ${seed}`)
  return (
    <div
      className={isOld ? 'gradcheck-found stale' : 'gradcheck-found'}
      data-testid="gradcheck-found"
    >
      <p className={good ? 'tone-ok' : 'tone-error'}>
        <Icon name={good ? 'check' : 'error'} />{' '}
        {good ? 'All points pass' : `${search.failed} of ${search.tried} points fail`}
        <span className="muted">
          {' '}
          in {formatSeconds(search.seconds)}
          {note}
        </span>
      </p>
      <p className="selectable">
        Worst: seed <span className="number">{seeds.join(', ')}</span>, largest error{' '}
        <span className="number">{formatNumber(search.maxAbsolute, 3)}</span>
      </p>
      {search.error && <ErrorView error={search.error} />}
      <div className="actions">
        <Button onClick={onTake} testId="gradcheck-take">
          Use this point
        </Button>
        <Button
          icon="plus"
          onClick={() => {
            onTake()
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
