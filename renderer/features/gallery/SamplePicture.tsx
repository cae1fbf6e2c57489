import type { ReactElement } from 'react'

import type { Sample } from '../../../electron/contract/project'
import { middle, pictureHeight, pictureOf } from './picture'

/** The text size, in px, at which a picture has the lengths of picture.ts; it grows with larger text. */
const drawnFor = 13

/** The first call of a sample, drawn. */
export function SamplePicture({
  example,
}: {
  example: NonNullable<Sample['example']>
}): ReactElement {
  const { width, tensors, operator, arrows, gradients } = pictureOf(example)
  return (
    <svg
      className="gallery-picture"
      role="img"
      aria-label={labelOf(example)}
      preserveAspectRatio="xMinYMid"
      viewBox={`0 0 ${width} ${pictureHeight}`}
      width={`${width / drawnFor}rem`}
      height={`${pictureHeight / drawnFor}rem`}
      fill="none"
      stroke="currentColor"
    >
      <path className="gallery-gradients" d={gradients} />
      {tensors.map(({ x, y, width: across, height, depth, grid }, index) => (
        <g key={index} style={{ color: `var(--series-${index + 1})` }}>
          {depth > 0 && <path d={`M${x + depth} ${y}v${-depth}h${across}v${height}h${-depth}`} />}
          <rect className="gallery-tensor" x={x} y={y} width={across} height={height} />
          <path className="gallery-grid" d={grid} />
        </g>
      ))}
      <path d={arrows} />
      <rect x={operator.x} y={middle - 11} width={operator.width} height={22} rx={4} />
      <text x={operator.x + operator.width / 2} y={middle + 3.5} textAnchor="middle">
        {example.operator}
      </text>
    </svg>
  )
}

/** "gc_layer of a [6, 6], b [3]" */
function labelOf({ operator, inputs }: NonNullable<Sample['example']>): string {
  const texts = inputs.map(({ name, shape }) => `${name} [${shape.join(', ')}]`)
  return `${operator} of ${texts.join(', ')}`
}
