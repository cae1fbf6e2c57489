import { hashText, mix } from './hash'
import type { Group, GraphModel } from './model'
import { cyclicComponents } from './strong-components'

/**
 * Puts nodes of the same module (or inlined function) into groups, block by block, and hashes the
 * groups' structures. Folding any groups leaves the graph between what is visible without cycles: a
 * module that is called again by what depends on it becomes one group a call.
 */
export function assignGroups(model: GraphModel): void {
  const edges = blockEdges(model)
  const scratch = { unitOf: new Int32Array(model.nodes.length).fill(-1) }
  const blocks = model.groups.length
  for (let block = 0; block < blocks; block += 1) {
    const group = model.groups[block]
    if (!group) continue
    const working = group.nodes.filter((node) => model.constant[node] === 0)
    const owner = group.node >= 0 ? (model.nodes[group.node]?.scope ?? []) : []
    splitByScope(model, edges, scratch, block, working, owner)
  }
  placeConstants(model)
  listMembers(model, blocks)
  hashGroups(model)
}

interface BlockEdges {
  /** Users of a node within its own block (uses in nested blocks count for the block's owner). */
  start: Uint32Array
  target: Int32Array
}

function lift(model: GraphModel, node: number, block: number): number {
  let at = node
  while (at >= 0 && model.blockOf[at] !== block)
    at = model.groups[model.blockOf[at] ?? 0]?.node ?? -1
  return at
}

function blockEdges(model: GraphModel): BlockEdges {
  const from: number[] = []
  const to: number[] = []
  const start = new Uint32Array(model.nodes.length + 1)
  const add = (producer: number, user: number): void => {
    if (user < 0 || user === producer) return
    from.push(producer)
    to.push(user)
    start[producer + 1] = (start[producer + 1] ?? 0) + 1
  }
  for (const value of model.values) {
    if (value.producer < 0) continue
    const block = model.blockOf[value.producer] ?? 0
    for (const user of value.uses) add(value.producer, lift(model, user, block))
  }
  // A block may give back what is around it: its owner then depends on that.
  for (const entry of model.returns) {
    const producer = model.values[entry.value]?.producer ?? -1
    const owner = model.groups[entry.group]?.node ?? -1
    if (producer >= 0 && owner >= 0) add(producer, lift(model, owner, model.blockOf[producer] ?? 0))
  }
  for (let node = 0; node < model.nodes.length; node += 1)
    start[node + 1] = (start[node + 1] ?? 0) + (start[node] ?? 0)
  const fill = start.slice()
  const target = new Int32Array(from.length)
  for (let edge = 0; edge < from.length; edge += 1) {
    const at = fill[from[edge] ?? 0] ?? 0
    fill[from[edge] ?? 0] = at + 1
    target[at] = to[edge] ?? 0
  }
  return { start, target }
}

/** Drops what the owner of a block and its nodes have in common. */
function relativeScope(scope: readonly string[] | undefined, owner: readonly string[]): number {
  if (!scope || owner.length > scope.length) return 0
  for (let index = 0; index < owner.length; index += 1) if (scope[index] !== owner[index]) return 0
  return owner.length
}

interface Unit {
  /** "" for a node on its own. */
  name: string
  nodes: number[]
}

function splitByScope(
  model: GraphModel,
  edges: BlockEdges,
  scratch: { unitOf: Int32Array },
  block: number,
  working: number[],
  owner: readonly string[],
): void {
  const tasks: { parent: number; nodes: number[]; skip: number }[] = [
    { parent: block, nodes: working, skip: 0 },
  ]
  for (let task = tasks.pop(); task; task = tasks.pop()) {
    const { parent, nodes, skip } = task
    const nameOf = (node: number): string => {
      const scope = model.nodes[node]?.scope
      return scope?.[relativeScope(scope, owner) + skip] ?? ''
    }
    for (const node of nodes) model.groupOf[node] = parent
    const units = unitsOf(nodes, nameOf, edges, scratch.unitOf)
    const named = units.filter((unit) => unit.name !== '')
    // A scope that holds all of the graph or the block says nothing: its parts take its place.
    const only = named.length === 1 && units.length === 1 && skip < 64 ? named[0] : undefined
    if (only && model.groups[parent]?.kind !== 'scope') {
      tasks.push({ parent, nodes, skip: skip + 1 })
      continue
    }
    if (only && only.nodes.length > 1) {
      const group = model.groups[parent]
      if (group) group.label += `/${only.name}`
      tasks.push({ parent, nodes, skip: skip + 1 })
      continue
    }
    for (const unit of named) {
      // A group of one node is the node.
      if (unit.nodes.length < 2) continue
      const index = model.groups.length
      model.groups.push({
        index,
        kind: 'scope',
        label: unit.name,
        node: -1,
        parent,
        depth: (model.groups[parent]?.depth ?? 0) + 1,
        nodes: [],
        groups: [],
        size: 0,
        inputs: [],
        returns: [],
        shapeHash: '',
      })
      tasks.push({ parent: index, nodes: unit.nodes, skip: skip + 1 })
    }
  }
}

/**
 * One unit a scope where that leaves no cycle between units; scopes that lie on a cycle are cut into
 * runs of neighbouring nodes, which cannot: the text is in topological order.
 */
function unitsOf(
  nodes: readonly number[],
  nameOf: (node: number) => string,
  edges: BlockEdges,
  unitOf: Int32Array,
): Unit[] {
  const units: Unit[] = []
  const byName = new Map<string, number>()
  const names: string[] = []
  for (const node of nodes) {
    const name = nameOf(node)
    names.push(name)
    let unit = name === '' ? undefined : byName.get(name)
    if (unit === undefined) {
      unit = units.length
      units.push({ name, nodes: [] })
      if (name !== '') byName.set(name, unit)
    }
    units[unit]?.nodes.push(node)
    unitOf[node] = unit
  }
  if (byName.size === 0) return units
  const start = new Uint32Array(units.length + 1)
  const targets: number[] = []
  for (const [index, unit] of units.entries()) {
    for (const node of unit.nodes) {
      const end = edges.start[node + 1] ?? 0
      for (let at = edges.start[node] ?? 0; at < end; at += 1) {
        const target = unitOf[edges.target[at] ?? 0] ?? -1
        if (target >= 0 && target !== index) targets.push(target)
      }
    }
    start[index + 1] = targets.length
  }
  const cyclic = cyclicComponents(units.length, start, targets)
  for (const node of nodes) unitOf[node] = -1
  if (!cyclic.includes(1)) return units
  const result: Unit[] = []
  const kept = new Map<string, Unit>()
  let last: Unit | undefined
  for (const [index, node] of nodes.entries()) {
    const name = names[index] ?? ''
    const isCut = name !== '' && cyclic[byName.get(name) ?? -1] === 1
    let unit = isCut ? (last?.name === name ? last : undefined) : kept.get(name)
    if (!unit || name === '') {
      unit = { name, nodes: [] }
      result.push(unit)
      if (name !== '' && !isCut) kept.set(name, unit)
    }
    unit.nodes.push(node)
    last = unit
  }
  return result
}

/** A constant goes where all of its users of its block are; that is never inside only one of two users' groups. */
function placeConstants(model: GraphModel): void {
  for (let node = model.nodes.length - 1; node >= 0; node -= 1) {
    if (model.constant[node] !== 1) continue
    const block = model.blockOf[node] ?? 0
    let common = -1
    const first = model.firstOutput[node] ?? 0
    const count = model.nodes[node]?.outputs.length ?? 0
    for (let value = first; value < first + count; value += 1) {
      for (const use of model.values[value]?.uses ?? []) {
        const user = lift(model, use, block)
        const group = user < 0 ? block : (model.groupOf[user] ?? block)
        common = common < 0 ? group : commonGroup(model, common, group)
      }
    }
    model.groupOf[node] = common < 0 ? block : common
  }
}

function commonGroup(model: GraphModel, a: number, b: number): number {
  const depth = (group: number): number => model.groups[group]?.depth ?? 0
  const parent = (group: number): number => model.groups[group]?.parent ?? 0
  let left = a
  let right = b
  while (depth(left) > depth(right)) left = parent(left)
  while (depth(right) > depth(left)) right = parent(right)
  while (left !== right) {
    left = parent(left)
    right = parent(right)
  }
  return left
}

/** Fills `nodes`, `groups`, `depth` and `size`; parents of blocks become the scopes of their owners. */
function listMembers(model: GraphModel, blocks: number): void {
  for (const group of model.groups) group.nodes = []
  for (let node = 0; node < model.nodes.length; node += 1)
    model.groups[model.groupOf[node] ?? 0]?.nodes.push(node)
  for (let block = 1; block < blocks; block += 1) {
    const group = model.groups[block]
    if (group) group.parent = model.groupOf[group.node] ?? 0
  }
  for (const group of model.groups.slice(1)) model.groups[group.parent]?.groups.push(group.index)
  const order: Group[] = []
  const open = [0]
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const group = model.groups[index]
    if (!group) continue
    order.push(group)
    group.depth = group.parent < 0 ? 0 : (model.groups[group.parent]?.depth ?? 0) + 1
    for (const inner of group.groups) open.push(inner)
  }
  for (const group of order.reverse()) {
    group.size += group.nodes.length
    const parent = model.groups[group.parent]
    if (parent) parent.size += group.size
  }
}

/**
 * Hashes groups from the inside out. A group's hash takes its members in the order of the text and
 * the edges between them, so that two calls of the same module, or layers of the same kind, agree.
 */
function hashGroups(model: GraphModel): void {
  /** Place of a node or group among the members of its group. */
  const nodePlace = new Int32Array(model.nodes.length)
  const groupPlace = new Int32Array(model.groups.length)
  const wiring = new Uint32Array(model.groups.length)
  const firstNode = new Int32Array(model.groups.length)
  const inside = [...model.groups].sort((a, b) => b.depth - a.depth)
  const membersOf = new Map<number, { node: number; group: number }[]>()
  for (const group of inside) {
    const members: { at: number; node: number; group: number }[] = []
    for (const node of group.nodes)
      if (model.constant[node] !== 1) members.push({ at: node, node, group: -1 })
    for (const child of group.groups)
      members.push({ at: firstNode[child] ?? 0, node: -1, group: child })
    // A block comes after its owner, which stands before all of its nodes.
    members.sort((a, b) => a.at - b.at)
    for (const [place, member] of members.entries()) {
      if (member.node >= 0) nodePlace[member.node] = place
      else groupPlace[member.group] = place
    }
    firstNode[group.index] = members[0]?.at ?? group.nodes[0] ?? Math.max(group.node, 0)
    membersOf.set(group.index, members)
  }
  const depth = (group: number): number => model.groups[group]?.depth ?? 0
  const parent = (group: number): number => model.groups[group]?.parent ?? 0
  for (const value of model.values) {
    if (value.producer < 0 || model.constant[value.producer] === 1) continue
    for (const user of value.uses) {
      let a = model.groupOf[value.producer] ?? 0
      let b = model.groupOf[user] ?? 0
      let from = nodePlace[value.producer] ?? 0
      let to = nodePlace[user] ?? 0
      while (a !== b) {
        if (depth(a) > depth(b)) {
          from = groupPlace[a] ?? 0
          a = parent(a)
        } else {
          to = groupPlace[b] ?? 0
          b = parent(b)
        }
      }
      // Sums do not depend on the order in which values are visited.
      wiring[a] = ((wiring[a] ?? 0) + mix(mix(from + 1, to + 1), value.position)) >>> 0
    }
  }
  const kinds = new Map<string, number>()
  const kindHash = (text: string): number => {
    let hash = kinds.get(text)
    if (hash === undefined) kinds.set(text, (hash = hashText(text)))
    return hash
  }
  const low = new Uint32Array(model.groups.length)
  for (const group of inside) {
    let hash = mix(
      kindHash(group.kind === 'block' ? group.label : group.kind),
      wiring[group.index] ?? 0,
    )
    for (const member of membersOf.get(group.index) ?? []) {
      if (member.node < 0) {
        hash = mix(hash, low[member.group] ?? 0)
        continue
      }
      const node = model.nodes[member.node]
      hash = mix(hash, kindHash(node?.kind ?? ''))
      const end = model.inputStart[member.node + 1] ?? 0
      for (let at = model.inputStart[member.node] ?? 0; at < end; at += 1) {
        const value = model.values[model.inputValues[at] ?? -1]
        if (value && value.producer >= 0 && model.constant[value.producer] === 1)
          hash = mix(hash, kindHash(value.type) ^ (at - (model.inputStart[member.node] ?? 0)))
      }
    }
    low[group.index] = hash
    group.shapeHash = `${(membersOf.get(group.index) ?? []).length}.${group.size}.${hash.toString(36)}`
  }
}
