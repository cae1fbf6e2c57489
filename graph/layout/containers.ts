import type { DrawnContainer, Quality } from './draw-layered'
import type { ProblemDrawer } from './draw-problem'
import type { PreviousPlaces } from './previous'
import { roles, spacing } from './problem'
import type { LayeredProblem } from './problem'
import type { Scene } from './scene'

/** A container's graph while it is put together: children first, then ports. */
interface Draft {
  vertices: number
  role: number[]
  /** The item that a vertex is, ~container for a container, -1 … see `portOf`. */
  edgeTo: number[]
  edgeChain: number[]
  edgeDrawn: number[]
  /** The scene's edge that first went this way. */
  edgeScene: number[]
  /** The port of a child container where the edge ends; -1 for none. */
  edgeToPort: number[]
  chainFrom: number[]
  /** The port of a child container where the chain begins; -1 for none. */
  chainPort: number[]
  entryOf: Map<number, number>
  exitOf: Map<number, number>
  /** Chains by what they come from: a vertex, or an item inside a child container. */
  chainOfVertex: Map<number, number>
  chainOfItem: Map<number, number>
  shared: Map<number, number>
}

/** The scene's graph, cut at the borders of its containers. */
export interface Cut {
  scene: Scene
  drafts: Draft[]
  /** Vertex of an item in its container, and of a container in its parent. */
  vertexOfItem: Int32Array
  vertexOfContainer: Int32Array
  /** The ways of the scene's edges: pairs of container and edge there, hopStart[e] up to hopStart[e + 1]. */
  hopStart: Uint32Array
  hopContainer: Int32Array
  hopEdge: Int32Array
}

/** Space around what is inside a container. */
export function paddingOf(
  scene: Scene,
  container: number,
): { left: number; top: number; bottom: number } {
  const entry = scene.containers[container]
  if (!entry || entry.parent < 0) return { left: 0, top: 0, bottom: 0 }
  const top = spacing.frame + (entry.isCompound ? 0 : spacing.label)
  return { left: spacing.frame, top, bottom: spacing.frame }
}

/**
 * Cuts each edge where it crosses borders: down to the border of what it leaves (exit port), across
 * the container that holds both ends, and from the border of what it enters (entry port) on. Lines of
 * one item share their ports. Linear in edges and borders crossed.
 */
export function cutAtBorders(scene: Scene): Cut {
  const vertexOfItem = new Int32Array(scene.count)
  const vertexOfContainer = new Int32Array(scene.containers.length)
  const drafts = scene.containers.map((container): Draft => {
    const draft: Draft = {
      vertices: container.children.length,
      role: [],
      edgeTo: [],
      edgeChain: [],
      edgeDrawn: [],
      edgeScene: [],
      edgeToPort: [],
      chainFrom: [],
      chainPort: [],
      entryOf: new Map(),
      exitOf: new Map(),
      chainOfVertex: new Map(),
      chainOfItem: new Map(),
      shared: new Map(),
    }
    for (const [vertex, child] of container.children.entries()) {
      if (child >= 0) vertexOfItem[child] = vertex
      else vertexOfContainer[~child] = vertex
      draft.role.push(container.isCompound && vertex > 0 ? roles.block : roles.box)
      if (container.isCompound && vertex > 0) addEdge(draft, chainOf(draft, 0), vertex, -1, -1)
    }
    return draft
  })
  const hopStart = new Uint32Array(scene.edges.count + 1)
  const hopContainer: number[] = []
  const hopEdge: number[] = []
  const depth = (container: number): number => scene.containers[container]?.depth ?? 0
  const parent = (container: number): number => scene.containers[container]?.parent ?? -1
  /** Hops on the target's side, last one first. */
  const below: number[] = []
  for (let edge = 0; edge < scene.edges.count; edge += 1) {
    const source = scene.edges.from[edge] as number
    const target = scene.edges.to[edge] as number
    const frame = scene.headerOf[source] as number
    // What a node with open blocks puts out comes from under its frame.
    let a = frame >= 0 ? parent(frame) : (scene.containerOf[source] as number)
    let from = (frame >= 0 ? vertexOfContainer[frame] : vertexOfItem[source]) as number
    let isInside = false
    let b = scene.containerOf[target] as number
    let to = vertexOfItem[target] as number
    let toPort = -1
    below.length = 0
    while (a !== b) {
      if (depth(a) >= depth(b)) {
        const draft = drafts[a] as Draft
        const exit = portOf(draft, draft.exitOf, source, roles.exit)
        hopContainer.push(a)
        hopEdge.push(addShared(draft, chainFor(draft, source, from, isInside), exit, -1, edge))
        from = vertexOfContainer[a] as number
        isInside = true
        a = parent(a)
      } else {
        const draft = drafts[b] as Draft
        const entry = portOf(draft, draft.entryOf, source, roles.entry)
        const chain = chainOf(draft, entry)
        below.push(b, addShared(draft, chain, to, toPort, edge))
        to = vertexOfContainer[b] as number
        toPort = entry
        b = parent(b)
      }
    }
    if (from !== to) {
      const draft = drafts[a] as Draft
      const chain = chainFor(draft, source, from, isInside)
      hopContainer.push(a)
      hopEdge.push(
        toPort >= 0
          ? addShared(draft, chain, to, toPort, edge)
          : addEdge(draft, chain, to, toPort, edge),
      )
      for (let at = below.length - 2; at >= 0; at -= 2) {
        hopContainer.push(below[at] as number)
        hopEdge.push(below[at + 1] as number)
      }
    }
    hopStart[edge + 1] = hopContainer.length
  }
  return {
    scene,
    drafts,
    vertexOfItem,
    vertexOfContainer,
    hopStart,
    hopContainer: Int32Array.from(hopContainer),
    hopEdge: Int32Array.from(hopEdge),
  }
}

function portOf(draft: Draft, ports: Map<number, number>, item: number, role: number): number {
  let port = ports.get(item)
  if (port === undefined) {
    port = draft.vertices
    draft.vertices += 1
    draft.role.push(role)
    ports.set(item, port)
  }
  return port
}

/** The chain of a box or an entry port. */
function chainOf(draft: Draft, vertex: number): number {
  let chain = draft.chainOfVertex.get(vertex)
  if (chain === undefined) {
    chain = draft.chainFrom.length
    draft.chainFrom.push(vertex)
    draft.chainPort.push(-1)
    draft.chainOfVertex.set(vertex, chain)
  }
  return chain
}

/** The chain of an item that may be inside a child container: then it begins at its exit port there. */
function chainFor(draft: Draft, item: number, vertex: number, isInside: boolean): number {
  if (!isInside) return chainOf(draft, vertex)
  let chain = draft.chainOfItem.get(item)
  if (chain === undefined) {
    chain = draft.chainFrom.length
    draft.chainFrom.push(vertex)
    draft.chainPort.push(item)
    draft.chainOfItem.set(item, chain)
  }
  return chain
}

function addEdge(draft: Draft, chain: number, to: number, port: number, edge: number): number {
  draft.edgeChain.push(chain)
  draft.edgeTo.push(to)
  draft.edgeToPort.push(port)
  draft.edgeDrawn.push(edge < 0 ? 0 : 1)
  draft.edgeScene.push(edge)
  return draft.edgeTo.length - 1
}

function addShared(draft: Draft, chain: number, to: number, port: number, edge: number): number {
  const key = chain * 0x4000000 + to
  let known = draft.shared.get(key)
  if (known === undefined) {
    known = addEdge(draft, chain, to, port, edge)
    draft.shared.set(key, known)
  }
  return known
}

/** Draws containers from the inside out. */
export function drawContainers(
  cut: Cut,
  drawer: ProblemDrawer,
  quality: Quality,
  labelWidth: (container: number) => number,
  previous: PreviousPlaces | undefined,
): DrawnContainer[] {
  const { scene, drafts } = cut
  const drawn: DrawnContainer[] = []
  for (let index = scene.containers.length - 1; index >= 0; index -= 1) {
    const container = scene.containers[index]
    const draft = drafts[index]
    if (!container || !draft) continue
    const problem = finishProblem(cut, index, drawn)
    if (previous) previous.hint(problem, draft.edgeScene, container, drawn)
    const drawing = drawer.draw(problem, quality)
    const padding = paddingOf(scene, index)
    const room = Math.max(drawing.width, labelWidth(index))
    drawn[index] = {
      drawing,
      width: room + 2 * padding.left,
      height: drawing.height + padding.top + padding.bottom,
      dx: padding.left + (room - drawing.width) / 2,
      dy: padding.top,
    }
  }
  return drawn
}

function finishProblem(cut: Cut, index: number, drawn: readonly DrawnContainer[]): LayeredProblem {
  const { scene, drafts } = cut
  const draft = drafts[index] as Draft
  const children = scene.containers[index]?.children ?? []
  const width = new Float64Array(draft.vertices)
  const height = new Float64Array(draft.vertices)
  for (const [vertex, child] of children.entries()) {
    width[vertex] = child >= 0 ? (scene.width[child] as number) : (drawn[~child]?.width ?? 0)
    height[vertex] = child >= 0 ? (scene.height[child] as number) : (drawn[~child]?.height ?? 0)
  }
  /** How far right of a child container's middle one of its ports is. */
  const portOffset = (vertex: number, port: number): number => {
    const child = drawn[~(children[vertex] as number)]
    if (!child) return 0
    return (child.drawing.x[port] as number) + child.dx - child.width / 2
  }
  const edgeToOffset = new Float64Array(draft.edgeTo.length)
  for (const [edge, port] of draft.edgeToPort.entries())
    if (port >= 0) edgeToOffset[edge] = portOffset(draft.edgeTo[edge] as number, port)
  const chainOffset = new Float64Array(draft.chainFrom.length)
  for (const [chain, item] of draft.chainPort.entries()) {
    if (item < 0) continue
    const vertex = draft.chainFrom[chain] as number
    const port = drafts[~(children[vertex] as number)]?.exitOf.get(item)
    if (port !== undefined) chainOffset[chain] = portOffset(vertex, port)
  }
  return {
    count: draft.vertices,
    width,
    height,
    role: Uint8Array.from(draft.role),
    edgeCount: draft.edgeTo.length,
    edgeTo: Int32Array.from(draft.edgeTo),
    edgeToOffset,
    edgeDrawn: Uint8Array.from(draft.edgeDrawn),
    edgeChain: Int32Array.from(draft.edgeChain),
    chainCount: draft.chainFrom.length,
    chainFrom: Int32Array.from(draft.chainFrom),
    chainOffset,
  }
}
