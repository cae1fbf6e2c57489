import type { Sample } from '../../../electron/contract/project'

type Example = NonNullable<Sample['example']>

/** A tensor as a grid of its last two dimensions; `depth` is above 0 if it has more. Lengths in px. */
export type TensorShape = {
  x: number
  y: number
  width: number
  height: number
  depth: number
  /** The lines of the grid, as an SVG path. */
  grid: string
  requiresGrad: boolean
}

export type Picture = {
  width: number
  tensors: readonly TensorShape[]
  operator: { x: number; width: number }
  /** Arrows into the operator and out of it, as an SVG path. */
  arrows: string
  /** From the operator back to the inputs that require grad, as an SVG path; "" if none does. */
  gradients: string
}

/** Of every picture, and where its middle is. */
export const pictureHeight = 56
export const middle = 22

/** Of the longer side of a tensor: many are drawn smaller, so that the name of the operator is not. */
const longest = { few: 28, many: 20 }
const gap = 8
/** More inputs or lines of a grid than this say nothing more at this size. */
const most = { inputs: 4, lines: 8 }
const letter = 6
const arrow = 18
/** The shift of what lies behind, for more than two dimensions. */
const behind = 3

/** Draws a call: its inputs in the proportions of their shapes, its operator, and the way of gradients. */
export function pictureOf({ operator, inputs }: Example): Picture {
  const side = inputs.length > 2 ? longest.many : longest.few
  let x = 1
  const tensors = inputs.slice(0, most.inputs).map(({ shape, requiresGrad }): TensorShape => {
    const [rows, columns] = [shape.at(-2) ?? 1, shape.at(-1) ?? 1]
    const scale = side / Math.max(rows, columns, 3)
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
    return { x: left, y, ...size, depth, grid, requiresGrad }
  })
  const box = { x: x - gap + arrow, width: operator.length * letter + 14 }
  const end = box.x + box.width
  const stubs = tensors
    .filter(({ requiresGrad }) => requiresGrad)
    .map((one) => ({ x: one.x + one.width / 2, y: one.y + one.height + 3 }))
  const [first] = stubs
  const back = box.x + box.width / 2
  const bottom = pictureHeight - 3
  const trunk = first ? `M${back} ${middle + 11}V${bottom}H${first.x}` : ''
  const gradients = stubs.reduce((path, stub) => `${path}M${stub.x} ${bottom}V${stub.y}`, trunk)
  const arrows = arrowTo(box.x - arrow + 4, box.x - 3) + arrowTo(end + 3, end + arrow - 3)
  return { width: end + arrow, tensors, operator: box, arrows, gradients }
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
