import type { GraphNode } from '../../../../electron/contract/graph'
import {
  argumentName,
  attributeText,
  constantText,
  describeItem,
  workingNodes,
} from '../../../../graph/describe'
import { idOfKey, itemOfKey, keyOf, kindOfKey } from '../../../../graph/layout/layout'
import { inputsOf, outputsOf, type GraphModel } from '../../../../graph/model'
import type { InspectedValue, Inspection } from '../graph-messages'
import { changeKind } from '../scene'
import type { ShownView } from './shown-view'

/** More are counted, not listed. */
const mostOthers = 200

/** Everything that is known of a box. */
export function inspect(view: ShownView, key: number): Inspection | null {
  const { model } = view
  const item = model && itemOfKey(model, key)
  if (!model || !item) return null
  const { title, namespace, custom } = describeItem(model, item, true)
  const base: Inspection = {
    key,
    kind: item.kind,
    title,
    prefix: namespace === '' ? '' : `${namespace}::`,
    custom,
    node: null,
    schema: '',
    inputs: [],
    outputs: [],
    attributes: [],
    scope: '',
    blocks: [],
    source: null,
    lines: null,
    change: null,
    size: 1,
    alike: 1,
    folded: view.isFolded(key),
    observed: null,
  }
  switch (item.kind) {
    case 'node':
      return { ...base, ...nodeParts(view, model, item.node) }
    case 'group':
      return {
        ...base,
        size: workingNodes(model, item.group.index),
        alike: model.groups.filter((group) => group.shapeHash === item.group.shapeHash).length,
        blocks: blocksAround(model, item.group.parent),
      }
    case 'input': {
      const value = item.value.index
      return {
        ...base,
        outputs: [valueAt(view, model, value, '', 'users')],
        ...placeOf(model, key),
      }
    }
    case 'output': {
      const value = item.value.index
      return { ...base, inputs: [valueAt(view, model, value, '', 'producer')] }
    }
  }
}

function placeOf(model: GraphModel, key: number): Partial<Inspection> {
  if (kindOfKey(key) !== 'input') return {}
  const group = model.values[idOfKey(key)]?.group ?? 0
  return { blocks: group === 0 ? [] : blocksAround(model, group) }
}

function nodeParts(view: ShownView, model: GraphModel, node: GraphNode): Partial<Inspection> {
  // Lines from removed nodes come as inputs that the node has no more.
  const gone = view.comparison?.oldInputs.get(node.id) ?? 0
  const taken = [...inputsOf(model, node.id)]
  const inputs = taken
    .slice(0, taken.length - gone)
    .map((value, index) => valueAt(view, model, value, argumentName(node, index), 'producer'))
  const outputs = outputsOf(model, node.id).map((value) => valueAt(view, model, value, '', 'users'))
  const blocks = model.blocksOf.get(node.id) ?? []
  const own = view.documentNode(node.id)
  const observed = own === null ? undefined : view.observed(own)
  return {
    prefix: node.kind.includes('::') ? node.kind.slice(0, node.kind.lastIndexOf('::') + 2) : '',
    title: node.kind.slice(node.kind.lastIndexOf('::') + (node.kind.includes('::') ? 2 : 1)),
    node: own,
    schema: node.schema ?? '',
    inputs,
    outputs,
    attributes: Object.entries(node.attributes).map(([name, value]) => [
      name,
      attributeText(
        value,
        typeof value === 'string' &&
          model.values[outputsOf(model, node.id)[0] ?? -1]?.type === 'str',
      ),
    ]),
    scope: (node.scope ?? []).join(' › '),
    blocks: blocksAround(model, model.blockOf[node.id] ?? 0),
    source: node.source ?? null,
    lines: own === null ? null : node.lines,
    change: changeOf(view, node.id),
    size: 1 + blocks.reduce((sum, block) => sum + workingNodes(model, block), 0),
    observed: observed ?? null,
  }
}

/** "if · then", outermost first. */
export function blocksAround(model: GraphModel, group: number): string[] {
  const names: string[] = []
  for (let at = group; at > 0; at = model.groups[at]?.parent ?? 0) {
    const entry = model.groups[at]
    if (!entry) break
    const owner = model.nodes[entry.node]
    names.push(
      owner ? `${owner.kind.slice(owner.kind.lastIndexOf(':') + 1)} ${entry.label}` : entry.label,
    )
  }
  return names.reverse()
}

function valueAt(
  view: ShownView,
  model: GraphModel,
  value: number,
  argument: string,
  whose: 'producer' | 'users',
): InspectedValue {
  const entry = model.values[value]
  if (!entry) return { argument, name: '', type: '', others: [], constant: null }
  const constant = whose === 'producer' ? constantText(model, value) : null
  const nodes = whose === 'producer' ? [entry.producer] : entry.uses
  const others = nodes
    .filter((node) => node >= 0)
    .slice(0, mostOthers)
    .map((node) => ({ key: view.keyOfNode(node), title: titleOf(model, node) }))
  if (whose === 'producer' && entry.producer < 0) {
    others.push({ key: keyOf('input', value), title: `input ${entry.name}` })
  }
  if (whose === 'users') {
    for (const [index, returned] of model.returns.entries()) {
      if (returned.value === value) {
        const inside =
          returned.group === 0 ? 'output' : `result of ${model.groups[returned.group]?.label ?? ''}`
        others.push({ key: keyOf('output', index), title: inside })
      }
    }
  }
  return { argument, name: entry.name, type: entry.type, others, constant }
}

export function titleOf(model: GraphModel, node: number): string {
  const entry = model.nodes[node]
  if (!entry) return ''
  return describeItem(model, { kind: 'node', node: entry }, true).title
}

function changeOf(view: ShownView, node: number): Inspection['change'] {
  const { comparison } = view
  const mark = comparison?.marks[node] ?? 0
  if (!comparison || mark === changeKind.same) return null
  const kind =
    mark === changeKind.added ? 'added' : mark === changeKind.removed ? 'removed' : 'changed'
  return { kind, words: comparison.wordsOf(node) }
}
