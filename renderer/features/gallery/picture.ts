import type { Sample } from '../../../electron/contract/project'

type Example = NonNullable<Sample['example']>

/** A tensor as a grid of its last two dimensions; `depth` is above 0 if it has more. Lengths in px. */
export type TensorShape = {
  name: string
  x: number
  y: number
  width: number
  height: number
  depth: number
  /** The lines of the grid, as an SVG path. */
  grid: string
  /** From the operator back to it, as an SVG path; "" if it requires no grad. */
  gradient: string
}

export type Picture = {
  width: number
  tensors: readonly TensorShape[]
  operator: { x: number; width: number }
  /** Arrows into the operator and out of it, as an SVG path. */
  arrows: string
}

/** Of every picture, and where its middle is. */
export const pictureHeight = 56
export const middle = 22

/** Of the longer side of a tensor. */
const longest = 28
const gap = 10
/** More inputs or lines of a grid than this say nothing more at this size. */
const most = { inputs: 4, lines: 8 }
const letter = 6
const arrow = 22
/** The shift of what lies behind, for more than two dimensions. */
const behind = 4

/** Draws a call: its inputs in the proportions of their shapes, its operator, and the way of gradients. */
export function pictureOf({ operator, inputs }: Example): Picture {
  let x = 1
  const placed = inputs.slice(0, most.inputs).map(({ name, shape, requiresGrad }) => {
    const [rows, columns] = [shape.at(-2) ?? 1, shape.at(-1) ?? 1]
    const scale = longest / Math.max(rows, columns, 3)
    const size = { width: Math.max(3, columns * scale), height: Math.max(3, rows * scale) }
    const depth = shape.length > 2 ? behind : 0
    const left = x
    x += size.width + depth + gap
    const y = middle - size.height / 2
    const grid = gridOf(
      { x: left, y, ...size },
      Math.min(rows, most.lines),
      Math.min(columns, most.lines),
    )
    return { name, x: left, y, ...size, depth, grid, requiresGrad }
  })
  const box = { x: x - gap + arrow, width: operator.length * letter + 14 }
  const end = box.x + box.width
  const from = box.x + box.width / 2
  const tensors = placed.map(({ requiresGrad, ...tensor }) => {
    const to = tensor.x + tensor.width / 2
    const path = `M${from} ${middle + 11}V${pictureHeight - 3}H${to}V${tensor.y + tensor.height + 3}`
    return { ...tensor, gradient: requiresGrad ? path : '' }
  })
  const arrows = arrowTo(box.x - arrow + 4, box.x - 3) + arrowTo(end + 3, end + arrow - 3)
  return { width: end + arrow, tensors, operator: box, arrows }
}

function arrowTo(from: number, to: number): string {
  return `M${from} ${middle}H${to}m-4 -3l4 3l-4 3`
}

type Box = { x: number; y: number; width: number; height: number }

function gridOf({ x, y, width, height }: Box, rows: number, columns: number): string {
  const lines = (count: number, draw: (share: number) => string): string =>
    Array.from({ length: Math.max(0, count - 1) }, (_, index) => draw((index + 1) / count)).join('')
  return (
    lines(rows, (share) => `M${x} ${y + share * height}h${width}`) +
    lines(columns, (share) => `M${x + share * width} ${y}v${height}`)
  )
}
