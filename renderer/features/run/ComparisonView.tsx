import type { ReactElement } from 'react'

import type { Comparison } from '../../../electron/contract/run'
import { Button } from '../../shell/primitives/Button'
import { exactNumber, formatNumber } from '../../shell/primitives/format'
import { Icon } from '../../shell/primitives/Icon'

type Props = {
  comparison: Comparison
  many: boolean
  /** Shows the output at the place of the largest error. */
  onJump: () => void
  onDifference: () => void
}

/** assert_close's verdict on one output, with the reason. */
export function ComparisonView({ comparison, many, onJump, onDifference }: Props): ReactElement {
  const { matches, mismatched, total, output } = comparison
  const whole = output < 0
  const which = many && !whole ? `Output ${output}` : whole ? 'The result' : 'The output'
  return (
    <div
      className={matches ? 'run-comparison good' : 'run-comparison bad'}
      data-testid="run-comparison"
      data-matches={matches}
    >
      <div className={matches ? 'tone-ok run-verdict' : 'tone-error run-verdict'}>
        <Icon name={matches ? 'check' : 'error'} />
        <strong>
          {which} {matches ? 'matches the reference' : 'differs from the reference'}
        </strong>
        {!whole && total > 0 && (
          <span className="number">
            {matches
              ? `${total.toLocaleString('en')} elements`
              : `${mismatched.toLocaleString('en')} of ${total.toLocaleString('en')} elements (${share(mismatched, total)})`}
          </span>
        )}
        <span className="grow" />
        {comparison.difference && <Button onClick={onDifference}>Difference</Button>}
      </div>
      {comparison.message !== '' && <p className="selectable">{comparison.message}</p>}
      {!whole && total > 0 && (
        <dl className="stats">
          <Fact
            name="largest error"
            value={formatNumber(comparison.maxAbsolute)}
            title={exactNumber(comparison.maxAbsolute)}
          />
          <Fact
            name="relative"
            value={formatNumber(comparison.maxRelative)}
            title={exactNumber(comparison.maxRelative)}
          />
          <div className="stat">
            <dt>at</dt>
            <dd>
              <button
                type="button"
                className="link number"
                onClick={onJump}
                title="Show this element"
              >
                [{comparison.index.join(', ')}]
              </button>
            </dd>
          </div>
          <Fact name="actual" value={exactNumber(comparison.actual)} />
          <Fact name="expected" value={exactNumber(comparison.expected)} />
          <Fact
            name="tolerance"
            value={`rtol ${formatNumber(comparison.rtol)}, atol ${formatNumber(comparison.atol)}`}
            title="|actual - expected| <= atol + rtol * |expected|"
          />
        </dl>
      )}
    </div>
  )
}

function Fact({
  name,
  value,
  title,
}: {
  name: string
  value: string
  title?: string
}): ReactElement {
  return (
    <div className="stat" title={title}>
      <dt>{name}</dt>
      <dd className="number selectable">{value}</dd>
    </div>
  )
}

function share(part: number, total: number): string {
  const percent = (100 * part) / total
  return percent > 0 && percent < 0.1 ? '< 0.1 %' : `${percent.toFixed(1)} %`
}
