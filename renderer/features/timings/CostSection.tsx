import type { ReactElement } from 'react'

import type { MachineFacts } from '../../../electron/contract/timing'
import type { TimingRow } from '../../../electron/contract/timing-report'
import { Section } from '../../shell/primitives/Section'
import { amountText, rateText, timeText } from './time-units'

type Part = { name: string; seconds: number; title: string }

/** The shares of one call: the kernel itself, and what the dispatcher and autograd add to it. */
function partsOf(layers: NonNullable<TimingRow['layers']>): Part[] {
  const { full, belowAutograd, kernel } = layers
  const autograd = {
    name: 'autograd',
    seconds: Math.max(0, full - belowAutograd),
    title: 'Recording the autograd graph for backward',
  }
  if (kernel === undefined) {
    const rest = { name: 'kernel and dispatcher', seconds: belowAutograd, title: '' }
    return [rest, autograd]
  }
  return [
    {
      name: 'kernel',
      seconds: Math.min(kernel, belowAutograd),
      title: 'The kernel function alone',
    },
    {
      name: 'dispatcher',
      seconds: Math.max(0, belowAutograd - kernel),
      title: 'Finding and calling the kernel',
    },
    autograd,
  ]
}

/** Where the time of one forward goes, and what the processor counted in the meantime. */
export function CostSection({
  row,
  machine,
}: {
  row: TimingRow
  machine: MachineFacts | undefined
}): ReactElement | null {
  const facts = factsOf(row)
  const missing = machine?.countersMissing ?? ''
  if (!row.layers && facts.length === 0) return null
  return (
    <Section title="Parts of the time" note={`${row.direction} of ${row.variant}`}>
      {row.layers && <Layers layers={row.layers} />}
      <dl className="stats">
        {facts.map(([name, text, title]) => (
          <div className="stat" key={name} title={title}>
            <dt>{name}</dt>
            <dd className="number">{text}</dd>
          </div>
        ))}
      </dl>
      {row.instructions === undefined && missing !== '' && (
        <p className="muted">Instructions and cycles are not counted: {missing}.</p>
      )}
    </Section>
  )
}

type Fact = [name: string, text: string, title?: string]

function factsOf(row: TimingRow): Fact[] {
  const { instructions, cycles, cores, bytes, flops, bytesPerSecond, flopsPerSecond } = row
  const { frequency } = row
  const facts: Fact[] = []
  if (cores !== undefined) facts.push(['cores busy', cores.toFixed(2)])
  if (frequency) facts.push(['clock', `${(frequency.median / 1e9).toFixed(2)} GHz`])
  if (instructions !== undefined)
    facts.push(['instructions', Math.round(instructions).toLocaleString('en')])
  if (cycles !== undefined) facts.push(['cycles', Math.round(cycles).toLocaleString('en')])
  if (instructions !== undefined && cycles !== undefined && cycles > 0)
    facts.push(['instructions per cycle', (instructions / cycles).toFixed(2)])
  if (bytes === undefined && row.givesViews)
    facts.push(['bytes moved', 'none: the outputs are views'])
  if (bytes !== undefined) facts.push(['bytes moved', amountText(bytes, 'B')])
  if (bytesPerSecond !== undefined) facts.push(['bandwidth', rateText(bytesPerSecond, 'B')])
  if (flops !== undefined && row.flopsCountedIn !== undefined)
    facts.push(['operations', `${amountText(flops, 'FLOP')}, counted`, countedText(row)])
  else if (flops !== undefined) facts.push(['operations', amountText(flops, 'FLOP')])
  if (flopsPerSecond !== undefined) facts.push(['rate', rateText(flopsPerSecond, 'FLOP')])
  return facts
}

function countedText({ flopsCountedIn = '' }: TimingRow): string {
  return `This count comes from ${flopsCountedIn}: its matrix products, convolutions and attention, with the rules of torch.utils.flop_counter. To count other operations, write a formula in the “flops” field.`
}

/** Parts are differences of two timings: smaller ones are noise. */
const leastPercent = 2

function Layers({ layers }: { layers: NonNullable<TimingRow['layers']> }): ReactElement {
  const parts = partsOf(layers)
  const total = parts.reduce((sum, part) => sum + part.seconds, 0)
  const percent = (part: Part): number => (total > 0 ? (100 * part.seconds) / total : 0)
  return (
    <div className="timings-layers" data-testid="timings-layers">
      <div className="timings-layer-bar" aria-hidden>
        {parts.map((part, index) => (
          <div
            key={part.name}
            className={`timings-layer-${index + 1}`}
            style={{ width: `${percent(part)}%` }}
          />
        ))}
      </div>
      <ul className="timings-legend">
        {parts.map((part, index) => (
          <li key={part.name} title={part.title}>
            <span className={`timings-swatch timings-layer-${index + 1}`} aria-hidden />
            {part.name}{' '}
            {percent(part) < leastPercent ? (
              <span className="muted">under {leastPercent} %</span>
            ) : (
              <>
                <span className="number">{timeText(part.seconds)}</span>{' '}
                <span className="muted">{percent(part).toFixed(0)} %</span>
              </>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
