import { describeItem, valueLabel as labelOf } from '../../../../graph/describe'
import type { LayoutItem } from '../../../../graph/layout/layout'
import type { Group, GraphModel } from '../../../../graph/model'

/** What is written into a box. */
export type Words = {
  /** "my_ops::", dimmed. */
  prefix: string
  title: string
  /** Attributes, one a line. */
  details: string[]
  custom: boolean
  /** A group, or a node with blocks: it opens when it is folded. */
  folded: boolean
}

/** More lines make boxes taller than they are worth; the inspector shows them all. */
const mostDetails = 3

export function boxWords(model: GraphModel, item: LayoutItem, showConstants: boolean): Words {
  const { title, namespace, custom, attributes } = describeItem(model, item, showConstants)
  const isNode = item.kind === 'node'
  return {
    prefix: namespace === '' ? '' : `${namespace}::`,
    // Values of removed nodes carry a mark of the graph library's own.
    title: title.replace(/^before\//, ''),
    details:
      attributes.length > mostDetails
        ? [...attributes.slice(0, mostDetails - 1), `… ${attributes.length - mostDetails + 1} more`]
        : attributes,
    custom,
    folded: item.kind === 'group' || (isNode && model.blocksOf.has(item.node.id)),
  }
}

export function frameName(group: Group): string {
  return group.label
}

/** The type of a value as lines carry it; "" for what says nothing. */
export function shownValueLabel(model: GraphModel, value: number): string {
  const entry = model.values[value]
  if (!entry) return ''
  const label = labelOf(entry)
  return label === 'Tensor' ? '' : label
}
