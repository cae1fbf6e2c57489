import type { ReactElement } from 'react'

import type { SharedArray, StepView } from '../../../electron/contract/gpu-stepping'
import { FileLink } from '../../shell/primitives/FileLink'
import { cellColours, scaleOf } from '../../shell/primitives/colour-map'

/** Of an array; more would be a slow page, and nobody reads them. */
const mostRows = 64
const mostColumns = 64

/** What two threads of the block do to shared memory without an order. */
export function Races({ view }: { view: StepView }): ReactElement | null {
  if (view.races.length === 0) return null
  return (
    <ul className="side-pad stepping-races" aria-label="Races" data-testid="stepping-races">
      {view.races.map(({ before, after, variable, bytes }) => (
        <li key={JSON.stringify([before, after])}>
          Race on <span className="mono">{variable === '' ? 'shared memory' : variable}</span>:{' '}
          <Access access={before} />, <Access access={after} />, and nothing orders these accesses
          (the race is on {bytes} bytes in total)
        </li>
      ))}
    </ul>
  )
}

function Access({ access }: { access: StepView['races'][number]['before'] }): ReactElement {
  return (
    <>
      thread {access.thread} {access.writes ? 'writes' : 'reads'} at{' '}
      <FileLink file={access.place.file} line={access.place.line} short />
    </>
  )
}

/** Shared memory as tensors: colours are values, outlined elements are those of a race. */
export function SharedMemory({ view }: { view: StepView }): ReactElement | null {
  if (view.shared.length === 0) return null
  return (
    <section className="side-pad stepping-shared" aria-label="Shared memory">
      <h3>Shared memory</h3>
      {view.shared.map((array) => (
        <HeatMap key={array.name} array={array} />
      ))}
    </section>
  )
}

/** Four digits: the tooltip has them all. */
function shortText(value: string, number: number | null | undefined): string {
  return typeof number === 'number' && !Number.isInteger(number)
    ? String(Number(number.toPrecision(4)))
    : value
}

function HeatMap({ array }: { array: SharedArray }): ReactElement {
  const { name, type, dimensions, values, numbers, raced, isCut } = array
  const finite = (numbers ?? []).filter((number) => number !== null)
  const scale = scaleOf({ min: Math.min(...finite), max: Math.max(...finite) }, false)
  const columns = dimensions.at(-1) ?? 1
  const width = Math.min(dimensions.length > 1 ? columns : Math.min(columns, 8), mostColumns)
  const step = dimensions.length > 1 ? columns : width
  const marks = new Set(raced)
  const rows = Array.from(
    { length: Math.min(mostRows, Math.ceil(values.length / step)) },
    (_, row) => row * step,
  )
  const isWhole = !isCut && rows.length * step >= values.length && width === step
  return (
    <figure data-testid={`stepping-shared-${name}`}>
      <figcaption className="mono">
        {type} {name}
        {dimensions.map((dimension) => `[${dimension}]`).join('')}
      </figcaption>
      <div className="stepping-wide" tabIndex={0} role="region" aria-label={name}>
        <table className="stepping-cells">
          <tbody>
            {rows.map((begin) => (
              <tr key={begin}>
                {values.slice(begin, Math.min(begin + width, begin + step)).map((value, column) => {
                  const index = begin + column
                  const colours = cellColours(numbers?.[index] ?? NaN, scale)
                  return (
                    <td
                      key={index}
                      style={colours ?? {}}
                      className={marks.has(index) ? 'stepping-raced' : ''}
                      title={`element ${index}: ${value}${marks.has(index) ? ', with a race' : ''}`}
                    >
                      {shortText(value, numbers?.[index])}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {!isWhole && <p className="muted">There are more elements.</p>}
    </figure>
  )
}
