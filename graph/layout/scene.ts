import type { GraphModel } from '../model'
import { itemOfKey, keyOf } from './layout'
import type { LayoutOptions } from './layout'

/** Something that is laid out on its own and then is one box of what it is in. */
export interface Container {
  index: number
  /** Key of its frame; the root's is that of group 0. */
  key: number
  parent: number
  depth: number
  /** Items (≥ 0) and containers (~index) inside, in the order of the text. */
  children: number[]
  /** A node with open blocks: its header comes first, the blocks stand below it side by side. */
  isCompound: boolean
}

/** What is to be seen: boxes, containers around them, and which box leads to which. */
export interface Scene {
  count: number
  key: Int32Array
  width: Float32Array
  height: Float32Array
  /** The innermost container of each item. */
  containerOf: Int32Array
  /** The container that an item is the header of, else -1. */
  headerOf: Int32Array
  containers: Container[]
  edges: {
    count: number
    from: Int32Array
    to: Int32Array
    valueStart: Uint32Array
    values: Int32Array
  }
}

/** Decides what is a box, a frame or nothing; linear in nodes, inputs and nesting. */
export function buildScene(model: GraphModel, options: LayoutOptions): Scene {
  const keys: number[] = []
  const containerOf: number[] = []
  const headerOf: number[] = []
  const containers: Container[] = []
  const itemOfNode = new Int32Array(model.nodes.length).fill(-1)
  const itemOfInput = new Int32Array(model.values.length).fill(-1)
  const itemOfReturn = new Int32Array(model.returns.length).fill(-1)
  const isHidden = (node: number): boolean => !options.showConstants && model.constant[node] === 1

  const addItem = (key: number, container: Container): number => {
    const item = keys.length
    keys.push(key)
    containerOf.push(container.index)
    headerOf.push(-1)
    container.children.push(item)
    return item
  }
  const addContainer = (key: number, parent: Container | undefined, isCompound: boolean) => {
    const container: Container = {
      index: containers.length,
      key,
      parent: parent?.index ?? -1,
      depth: parent ? parent.depth + 1 : 0,
      children: [],
      isCompound,
    }
    containers.push(container)
    parent?.children.push(~container.index)
    return container
  }
  /** All that is inside a folded group is that one box. */
  const foldInto = (group: number, item: number): void => {
    const open = [group]
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      const entry = model.groups[index]
      if (!entry) continue
      for (const node of entry.nodes) itemOfNode[node] = item
      for (const input of entry.inputs) itemOfInput[input] = item
      for (const output of entry.returns) itemOfReturn[output] = item
      for (const inner of entry.groups) open.push(inner)
    }
  }

  const tasks: { group: number; container: Container }[] = []
  tasks.push({
    group: 0,
    container: addContainer(keyOf('group', 0), undefined, false),
  })
  for (let task = tasks.pop(); task; task = tasks.pop()) {
    const { container } = task
    const group = model.groups[task.group]
    if (!group) continue
    for (const input of group.inputs) {
      const uses = model.values[input]?.uses ?? []
      // A module that only its hidden attributes are read from would hang in the air.
      if (uses.length > 0 && uses.every(isHidden)) continue
      itemOfInput[input] = addItem(keyOf('input', input), container)
    }
    const scopes = group.groups.filter((child) => model.groups[child]?.kind === 'scope')
    const members = mergeByPlace(model, group.nodes, scopes)
    for (const member of members) {
      if (member < 0) {
        const child = ~member
        if (options.folded.has(child)) foldInto(child, addItem(keyOf('group', child), container))
        else
          tasks.push({
            group: child,
            container: addContainer(keyOf('group', child), container, false),
          })
        continue
      }
      if (isHidden(member)) continue
      const blocks = model.blocksOf.get(member)
      if (!blocks || blocks.every((block) => options.folded.has(block))) {
        const item = addItem(keyOf('node', member), container)
        itemOfNode[member] = item
        for (const block of blocks ?? []) foldInto(block, item)
        continue
      }
      const compound = addContainer(keyOf('node', member), container, true)
      const header = addItem(keyOf('node', member), compound)
      headerOf[header] = compound.index
      itemOfNode[member] = header
      for (const block of blocks) {
        if (options.folded.has(block)) foldInto(block, addItem(keyOf('group', block), compound))
        else
          tasks.push({
            group: block,
            container: addContainer(keyOf('group', block), compound, false),
          })
      }
    }
    for (const output of group.returns)
      itemOfReturn[output] = addItem(keyOf('output', output), container)
  }

  const itemOfValue = (value: number): number => {
    const producer = model.values[value]?.producer ?? -1
    return (producer >= 0 ? itemOfNode[producer] : itemOfInput[value]) ?? -1
  }
  const width = new Float32Array(keys.length)
  const height = new Float32Array(keys.length)
  for (const [index, key] of keys.entries()) {
    const item = itemOfKey(model, key)
    if (!item) continue
    const size = options.measure(item)
    width[index] = size.width
    height[index] = size.height
  }
  return {
    count: keys.length,
    key: Int32Array.from(keys),
    width,
    height,
    containerOf: Int32Array.from(containerOf),
    headerOf: Int32Array.from(headerOf),
    containers,
    edges: collectEdges(model, keys.length, itemOfNode, itemOfReturn, itemOfValue),
  }
}

/** Nodes and groups (as ~group) in the order of the text; a group stands where its first node does. */
function mergeByPlace(
  model: GraphModel,
  nodes: readonly number[],
  groups: readonly number[],
): number[] {
  if (groups.length === 0) return [...nodes]
  const firstOf = (group: number): number => {
    let at = group
    for (;;) {
      const entry = model.groups[at]
      const node = entry?.nodes[0]
      if (node !== undefined) return node
      const child = entry?.groups[0]
      if (child === undefined) return 0
      at = child
    }
  }
  const placed = groups.map((group) => ({ at: firstOf(group), group }))
  placed.sort((a, b) => a.at - b.at)
  const result: number[] = []
  let next = 0
  for (const { at, group } of placed) {
    while (next < nodes.length && (nodes[next] ?? 0) < at) {
      result.push(nodes[next] ?? 0)
      next += 1
    }
    result.push(~group)
  }
  for (; next < nodes.length; next += 1) result.push(nodes[next] ?? 0)
  return result
}

/** Edges between items, each pair once, with the values that go along it. */
function collectEdges(
  model: GraphModel,
  count: number,
  itemOfNode: Int32Array,
  itemOfReturn: Int32Array,
  itemOfValue: (value: number) => number,
): Scene['edges'] {
  // Uses, sorted by the item that uses, so that pairs can be told apart by one mark an item.
  const useFrom: number[] = []
  const useTo: number[] = []
  const useValue: number[] = []
  const add = (value: number, to: number): void => {
    const from = itemOfValue(value)
    if (from < 0 || to < 0 || from === to) return
    useFrom.push(from)
    useTo.push(to)
    useValue.push(value)
  }
  for (let node = 0; node < model.nodes.length; node += 1) {
    const to = itemOfNode[node] ?? -1
    if (to < 0) continue
    const end = model.inputStart[node + 1] ?? 0
    for (let at = model.inputStart[node] ?? 0; at < end; at += 1)
      add(model.inputValues[at] ?? -1, to)
  }
  for (const [index, entry] of model.returns.entries()) add(entry.value, itemOfReturn[index] ?? -1)

  const start = new Uint32Array(count + 1)
  for (const to of useTo) start[to + 1] = (start[to + 1] ?? 0) + 1
  for (let item = 0; item < count; item += 1)
    start[item + 1] = (start[item + 1] ?? 0) + (start[item] ?? 0)
  const fill = start.slice()
  const sorted = new Int32Array(useTo.length)
  for (const [use, to] of useTo.entries()) {
    const at = fill[to] ?? 0
    fill[to] = at + 1
    sorted[at] = use
  }
  const mark = new Int32Array(count).fill(-1)
  const from: number[] = []
  const to: number[] = []
  const edgeOfUse = new Int32Array(useTo.length)
  for (const use of sorted) {
    const source = useFrom[use] ?? 0
    const target = useTo[use] ?? 0
    let edge = mark[source] ?? -1
    if (edge < 0 || to[edge] !== target) {
      edge = from.length
      from.push(source)
      to.push(target)
      mark[source] = edge
    }
    edgeOfUse[use] = edge
  }
  // Values of an edge lie together, each once; uses are sorted by target, not by edge.
  const valueStart = new Uint32Array(from.length + 1)
  for (const edge of edgeOfUse) valueStart[edge + 1] = (valueStart[edge + 1] ?? 0) + 1
  for (let edge = 0; edge < from.length; edge += 1)
    valueStart[edge + 1] = (valueStart[edge + 1] ?? 0) + (valueStart[edge] ?? 0)
  const raw = new Int32Array(useTo.length)
  const place = valueStart.slice()
  for (const [use, edge] of edgeOfUse.entries()) {
    const at = place[edge] ?? 0
    place[edge] = at + 1
    raw[at] = useValue[use] ?? -1
  }
  const values: number[] = []
  const compact = new Uint32Array(from.length + 1)
  for (let edge = 0; edge < from.length; edge += 1) {
    const slice = raw.subarray(valueStart[edge] ?? 0, valueStart[edge + 1] ?? 0)
    if (slice.length === 1) values.push(slice[0] ?? -1)
    else for (const value of new Set(slice)) values.push(value)
    compact[edge + 1] = values.length
  }
  return {
    count: from.length,
    from: Int32Array.from(from),
    to: Int32Array.from(to),
    valueStart: compact,
    values: Int32Array.from(values),
  }
}
