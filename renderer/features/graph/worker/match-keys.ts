import { matchGraphs } from '../../../../graph/diff/match'
import { idOfKey, keyOf, kindOfKey, type GraphLayout } from '../../../../graph/layout/layout'
import type { GraphModel } from '../../../../graph/model'
import { groupPaths } from './group-paths'

/** Which key of the model that is shown now a key of the one before has become; -1 for none. */
export function matchKeys(before: GraphModel, now: GraphModel): (key: number) => number {
  if (before === now) return (key) => key
  const nodes = matchGraphs(before, now).after
  const oldPaths = groupPaths(before)
  const newPaths = new Map(groupPaths(now).map((path, group) => [path, group]))
  const returns = new Map(now.returns.map((entry, i) => [`${entry.group} ${entry.position}`, i]))
  return (key) => {
    const id = idOfKey(key)
    switch (kindOfKey(key)) {
      case 'node': {
        const node = nodes[id] ?? -1
        return node < 0 ? -1 : keyOf('node', node)
      }
      case 'group': {
        const group = newPaths.get(oldPaths[id] ?? '')
        return group === undefined ? -1 : keyOf('group', group)
      }
      case 'input': {
        const old = before.values[id]
        const group = newPaths.get(oldPaths[old?.group ?? 0] ?? '')
        const value = now.groups[group ?? -1]?.inputs[old?.position ?? -1]
        return value === undefined ? -1 : keyOf('input', value)
      }
      case 'output': {
        const old = before.returns[id]
        const group = newPaths.get(oldPaths[old?.group ?? 0] ?? '')
        const found = returns.get(`${group ?? -1} ${old?.position ?? -1}`)
        return found === undefined ? -1 : keyOf('output', found)
      }
    }
  }
}

/** Whether enough of the old picture is in the new one for it to keep its places. */
export function isSamePicture(old: GraphLayout, match: (key: number) => number): boolean {
  let found = 0
  for (let i = 0; i < old.items.count; i += 1) if (match(old.items.key[i] ?? 0) >= 0) found += 1
  return found > 0.3 * old.items.count
}

/** How far the held box (or frame) has gone from one layout to the next, measured at its upper edge. */
export function shiftOf(
  old: GraphLayout,
  now: GraphLayout,
  before: number | null,
  after: number | null,
): { dx: number; dy: number } {
  const from = before === null ? null : cornerOf(old, before)
  const to = after === null ? null : cornerOf(now, after)
  return from && to ? { dx: to.x - from.x, dy: to.y - from.y } : { dx: 0, dy: 0 }
}

function cornerOf(layout: GraphLayout, key: number): { x: number; y: number } | null {
  // The frame first: a node with open blocks has its header inside of it.
  for (const list of [layout.frames, layout.items]) {
    const at = list.key.indexOf(key)
    if (at >= 0) return { x: (list.x[at] ?? 0) + (list.w[at] ?? 0) / 2, y: list.y[at] ?? 0 }
  }
  return null
}
