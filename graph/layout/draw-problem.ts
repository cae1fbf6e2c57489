import { drawLayered, packDrawings, prepareLayered } from './draw-layered'
import type { Drawing, LayeredState, Quality } from './draw-layered'
import { mix } from '../hash'
import { groupRows, roles } from './problem'
import type { LayeredProblem } from './problem'

/**
 * Draws problems and remembers them: repeated blocks (the layers of a transformer) are drawn once,
 * and what the first picture worked out is there for the final one.
 */
export class ProblemDrawer {
  private readonly known = new Map<
    number,
    { problem: LayeredProblem; state: LayeredState; first?: Drawing; final?: Drawing }[]
  >()

  draw(problem: LayeredProblem, quality: Quality): Drawing {
    const parts = splitComponents(problem)
    if (!parts) return this.drawPart(problem, quality)
    return packDrawings(
      parts.map((part) => ({
        drawing: this.drawPart(part.problem, quality),
        vertices: part.vertices,
        edges: part.edges,
      })),
      problem.count,
      problem.edgeCount,
    )
  }

  private drawPart(problem: LayeredProblem, quality: Quality): Drawing {
    // What keeps to another drawing depends on more than its own shape.
    if (problem.hints) return drawLayered(prepareLayered(problem), quality)
    const hash = hashProblem(problem)
    const bucket = this.known.get(hash) ?? []
    let entry = bucket.find((other) => isSame(other.problem, problem))
    if (!entry) {
      entry = { problem, state: prepareLayered(problem) }
      bucket.push(entry)
      this.known.set(hash, bucket)
    }
    return (entry[quality] ??= drawLayered(entry.state, quality))
  }
}

const fields = [
  'width',
  'height',
  'role',
  'edgeTo',
  'edgeToOffset',
  'edgeDrawn',
  'edgeChain',
  'chainFrom',
  'chainOffset',
] as const

function hashProblem(problem: LayeredProblem): number {
  let hash = mix(problem.count, problem.edgeCount)
  for (const field of fields) {
    const values = problem[field]
    for (let index = 0; index < values.length; index += 1)
      hash = mix(hash, Math.round((values[index] as number) * 16))
  }
  return hash
}

function isSame(a: LayeredProblem, b: LayeredProblem): boolean {
  return fields.every((field) => {
    const left = a[field]
    const right = b[field]
    if (left.length !== right.length) return false
    for (let index = 0; index < left.length; index += 1)
      if (left[index] !== right[index]) return false
    return true
  })
}

interface Part {
  problem: LayeredProblem
  vertices: Int32Array
  edges: Int32Array
}

/** Parts that nothing connects, or null for one part. Ports hold what they are connected to together. */
function splitComponents(problem: LayeredProblem): Part[] | null {
  const { count, edgeCount, edgeChain, edgeTo, chainFrom, role } = problem
  if (count < 2) return null
  const leader = Int32Array.from({ length: count }, (_, index) => index)
  const find = (vertex: number): number => {
    let at = vertex
    while (leader[at] !== at) {
      leader[at] = leader[leader[at] as number] as number
      at = leader[at] as number
    }
    return at
  }
  let parts = count
  const join = (a: number, b: number): void => {
    const left = find(a)
    const right = find(b)
    if (left === right) return
    leader[Math.max(left, right)] = Math.min(left, right)
    parts -= 1
  }
  let port = -1
  for (let vertex = 0; vertex < count; vertex += 1) {
    if (role[vertex] === roles.box || role[vertex] === roles.block) continue
    if (port >= 0) join(port, vertex)
    port = vertex
  }
  for (let edge = 0; edge < edgeCount; edge += 1)
    join(chainFrom[edgeChain[edge] as number] as number, edgeTo[edge] as number)
  // A part without ports could be anywhere, but rows of parts would take the ports off the border.
  if (parts === 1 || port >= 0) return null

  const number = new Int32Array(count).fill(-1)
  const partOf = new Int32Array(count)
  const inPart = new Int32Array(count)
  let next = 0
  for (let vertex = 0; vertex < count; vertex += 1) {
    const root = find(vertex)
    if (number[root] === -1) {
      number[root] = next
      next += 1
    }
    partOf[vertex] = number[root] as number
  }
  const vertices = groupRows(next, partOf, count)
  for (let at = 0; at < count; at += 1) {
    const vertex = vertices.items[at] as number
    inPart[vertex] = at - (vertices.start[partOf[vertex] as number] as number)
  }
  const partOfChain = Int32Array.from(chainFrom, (vertex) => partOf[vertex] as number)
  const chains = groupRows(next, partOfChain, problem.chainCount)
  const chainInPart = new Int32Array(problem.chainCount)
  for (let at = 0; at < problem.chainCount; at += 1) {
    const chain = chains.items[at] as number
    chainInPart[chain] = at - (chains.start[partOfChain[chain] as number] as number)
  }
  const partOfEdge = Int32Array.from(edgeTo, (vertex) => partOf[vertex] as number)
  const edges = groupRows(next, partOfEdge, edgeCount)
  const row = (rows: { start: Uint32Array; items: Int32Array }, part: number): Int32Array =>
    rows.items.slice(rows.start[part], rows.start[part + 1])
  return Array.from({ length: next }, (_, part): Part => {
    const own = row(vertices, part)
    const ownEdges = row(edges, part)
    const ownChains = row(chains, part)
    const pick = (indices: Int32Array, values: Float64Array): Float64Array =>
      Float64Array.from(indices, (index) => values[index] as number)
    const piece: LayeredProblem = {
      count: own.length,
      width: pick(own, problem.width),
      height: pick(own, problem.height),
      role: Uint8Array.from(own, (vertex) => role[vertex] as number),
      edgeCount: ownEdges.length,
      edgeTo: ownEdges.map((edge) => inPart[edgeTo[edge] as number] as number),
      edgeToOffset: pick(ownEdges, problem.edgeToOffset),
      edgeDrawn: Uint8Array.from(ownEdges, (edge) => problem.edgeDrawn[edge] as number),
      edgeChain: ownEdges.map((edge) => chainInPart[edgeChain[edge] as number] as number),
      chainCount: ownChains.length,
      chainFrom: ownChains.map((chain) => inPart[chainFrom[chain] as number] as number),
      chainOffset: pick(ownChains, problem.chainOffset),
    }
    const { hints } = problem
    if (hints)
      piece.hints = {
        x: pick(own, hints.x),
        y: pick(own, hints.y),
        edgeAt: (edge, y) => hints.edgeAt(ownEdges[edge] as number, y),
      }
    return { problem: piece, vertices: own, edges: ownEdges }
  })
}
