import { argumentName, attributeText, wholeConstantText } from '../describe'
import { inputsOf } from '../model'
import type { GraphModel, ModelValue } from '../model'
import { matchGraphs, matchingBlock } from './match'
import type { Matching } from './match'
import { typeChange } from './types'

export interface NodeDiff {
  status: 'same' | 'added' | 'changed'
  /** The node it was; -1 for an added one. */
  before: number
  /** "attribute value: 2 → 3", "input 1: aten::relu → aten::tanh"; [] unless changed. */
  changes: string[]
}

export interface GraphDiff {
  /** By after-node. Constants are in it, but are not counted: they change their users. */
  nodes: NodeDiff[]
  /** Before-nodes that are gone, in order; constants left out. */
  removed: number[]
  /** By before-node: the after-node it is; -1 for none. */
  after: Int32Array
  /** Of the graph: "input x: Float(4) → Float(8)", "output 0: aten::mul → aten::add". */
  changes: string[]
  counts: { same: number; added: number; removed: number; changed: number }
  isSame: boolean
  /** "2 added, 1 removed, 3 changed of 120 nodes" */
  summary: string
}

/** What one graph has that the other has not. Names of values, places in sources and scopes are no differences. */
export function diffGraphs(before: GraphModel, after: GraphModel): GraphDiff {
  const matching = matchGraphs(before, after)
  const compare = new Comparison(before, after, matching)
  const counts = { same: 0, added: 0, removed: 0, changed: 0 }
  const nodes = after.nodes.map((node): NodeDiff => {
    const old = matching.before[node.id] ?? -1
    const changes = old < 0 ? [] : compare.node(old, node.id)
    const status = old < 0 ? 'added' : changes.length > 0 ? 'changed' : 'same'
    if (after.constant[node.id] !== 1) counts[status] += 1
    return { status, before: old, changes }
  })
  const removed: number[] = []
  for (const node of before.nodes)
    if ((matching.after[node.id] ?? -1) < 0 && before.constant[node.id] !== 1) removed.push(node.id)
  counts.removed = removed.length
  const changes = compare.graph()
  const isSame = counts.added + counts.removed + counts.changed + changes.length === 0
  return {
    nodes,
    removed,
    after: matching.after,
    changes,
    counts,
    isSame,
    summary: summarize(counts, changes.length, isSame),
  }
}

function summarize(counts: GraphDiff['counts'], graphChanges: number, isSame: boolean): string {
  const total = counts.same + counts.changed + counts.added
  const nodes = `${total.toLocaleString('en')} ${total === 1 ? 'node' : 'nodes'}`
  if (isSame) return `no differences in ${nodes}`
  const parts: string[] = []
  for (const name of ['added', 'removed', 'changed'] as const)
    if (counts[name] > 0) parts.push(`${counts[name].toLocaleString('en')} ${name}`)
  if (graphChanges > 0)
    parts.push(
      `${graphChanges} ${graphChanges === 1 ? 'difference' : 'differences'} in the inputs and outputs of the graph`,
    )
  return `${parts.join(', ')}; ${nodes} now`
}

class Comparison {
  constructor(
    private readonly before: GraphModel,
    private readonly after: GraphModel,
    private readonly matching: Matching,
  ) {}

  node(old: number, now: number): string[] {
    const { before, after } = this
    const was = before.nodes[old]
    const is = after.nodes[now]
    if (!was || !is) return []
    const changes: string[] = []
    const names = new Set([...Object.keys(was.attributes), ...Object.keys(is.attributes)])
    for (const name of names) {
      if (name === 'may_alias' || name === 'writes_to') continue
      const a = was.attributes[name]
      const b = is.attributes[name]
      const left = a === undefined ? 'none' : attributeText(a)
      const right = b === undefined ? 'none' : attributeText(b)
      if (left !== right) changes.push(`attribute ${name}: ${left} → ${right}`)
    }
    // A constant's own inputs say the same as its users' do.
    if (after.constant[now] !== 1) {
      const inputsBefore = inputsOf(before, old)
      const inputsAfter = inputsOf(after, now)
      const count = Math.max(inputsBefore.length, inputsAfter.length)
      for (let index = 0; index < count; index += 1) {
        const change = this.value(inputsBefore[index] ?? -1, inputsAfter[index] ?? -1)
        if (change === undefined) continue
        const name = argumentName(is, index) || argumentName(was, index)
        changes.push(`input ${name === '' ? index : name}: ${change}`)
      }
    }
    this.outputs(old, now, changes)
    this.blocks(old, now, changes)
    const home = before.blockOf[old] ?? 0
    if (matchingBlock(before, after, this.matching, home) !== after.blockOf[now])
      changes.push(
        `moved to another block: ${blockName(before, home)} → ${blockName(after, after.blockOf[now] ?? 0)}`,
      )
    return changes
  }

  private outputs(old: number, now: number, changes: string[]): void {
    const { before, after } = this
    const was = before.nodes[old]?.outputs.length ?? 0
    const is = after.nodes[now]?.outputs.length ?? 0
    if (was !== is) changes.push(`outputs: ${was} → ${is}`)
    for (let index = 0; index < Math.min(was, is); index += 1) {
      const change = typeChange(
        before.values[(before.firstOutput[old] ?? 0) + index],
        after.values[(after.firstOutput[now] ?? 0) + index],
      )
      if (change !== undefined)
        changes.push(`type${is > 1 ? ` of output ${index}` : ''}: ${change}`)
    }
  }

  private blocks(old: number, now: number, changes: string[]): void {
    const { before, after } = this
    const was = before.blocksOf.get(old) ?? []
    const is = after.blocksOf.get(now) ?? []
    if (was.length !== is.length) changes.push(`blocks: ${was.length} → ${is.length}`)
    for (let index = 0; index < Math.min(was.length, is.length); index += 1) {
      const label = after.groups[is[index] ?? 0]?.label ?? ''
      for (const change of this.returns(was[index] ?? 0, is[index] ?? 0))
        changes.push(`${label}, output ${change}`)
    }
  }

  private returns(old: number, now: number): string[] {
    const { before, after } = this
    const was = before.groups[old]?.returns ?? []
    const is = after.groups[now]?.returns ?? []
    const changes: string[] = []
    for (let index = 0; index < Math.max(was.length, is.length); index += 1) {
      const change = this.value(
        before.returns[was[index] ?? -1]?.value ?? -1,
        after.returns[is[index] ?? -1]?.value ?? -1,
      )
      if (change !== undefined) changes.push(`${index}: ${change}`)
    }
    return changes
  }

  /** How two values differ in where they come from; undefined when they do not. */
  private value(old: number, now: number): string | undefined {
    const { before, after } = this
    const was = before.values[old]
    const is = after.values[now]
    const constantBefore = wholeConstantText(before, old)
    const constantAfter = wholeConstantText(after, now)
    if (constantBefore !== null && constantAfter !== null)
      return isSameConstant(constantBefore, constantAfter)
        ? undefined
        : `${constantBefore} → ${constantAfter}`
    if (was && is && this.isSameOrigin(was, is)) return undefined
    let left = originText(before, was, constantBefore)
    let right = originText(after, is, constantAfter)
    if (left === right) {
      // Two nodes of the same operator: their names tell them apart.
      left += ` (%${was?.name ?? ''})`
      right += ` (%${is?.name ?? ''})`
    }
    return `${left} → ${right}`
  }

  private isSameOrigin(was: ModelValue, is: ModelValue): boolean {
    if (was.position !== is.position) return false
    if (was.producer >= 0) return this.matching.after[was.producer] === is.producer
    if (is.producer >= 0) return false
    return matchingBlock(this.before, this.after, this.matching, was.group) === is.group
  }

  graph(): string[] {
    const { before, after } = this
    const changes: string[] = []
    const was = before.groups[0]?.inputs ?? []
    const is = after.groups[0]?.inputs ?? []
    for (let index = 0; index < Math.max(was.length, is.length); index += 1) {
      const a = before.values[was[index] ?? -1]
      const b = after.values[is[index] ?? -1]
      if (!a || !b) changes.push(b ? `input ${b.name} added` : `input ${a?.name ?? ''} removed`)
      else {
        const change = typeChange(a, b)
        if (change !== undefined) changes.push(`input ${b.name}: ${change}`)
      }
    }
    for (const change of this.returns(0, 0)) changes.push(`output ${change}`)
    return changes
  }
}

function blockName(model: GraphModel, block: number): string {
  const group = model.groups[block]
  if (!group || group.kind === 'root') return 'the graph'
  return `${model.nodes[group.node]?.kind ?? ''} ${group.label}`
}

function originText(
  model: GraphModel,
  value: ModelValue | undefined,
  constant: string | null,
): string {
  if (!value) return 'none'
  if (constant !== null) return constant
  const producer = model.nodes[value.producer]
  if (!producer) return `%${value.name}`
  return producer.outputs.length > 1 ? `${producer.kind} output ${value.position}` : producer.kind
}

/** A trace holds as a tensor of no dimensions, "int64[] = 2", what a script holds as the number 2. */
function isSameConstant(was: string, is: string): boolean {
  if (was === is) return true
  const [tensor, number] = was.includes('[] = ') ? [was, is] : [is, was]
  const value = /^\w+\[\] = (.+)$/.exec(tensor)?.[1]
  return value === number || (value !== undefined && Number(value) === Number(number))
}
