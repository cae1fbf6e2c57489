import { buildModel } from '../../../../graph/build-model'
import { describeItem } from '../../../../graph/describe'
import { diffGraphs, type GraphDiff } from '../../../../graph/diff/diff-graphs'
import { mergeForOverlay } from '../../../../graph/diff/overlay'
import { keyOf } from '../../../../graph/layout/layout'
import type { GraphModel } from '../../../../graph/model'
import type { ChangeEntry, Changes } from '../graph-messages'
import { changeKind } from '../scene'

/** A graph against another one. */
export type GraphComparison = {
  /** What is shown: the graph, with what was removed drawn in where that was asked for. */
  model: GraphModel
  /** `changeKind` of each node of `model`. */
  marks: Uint8Array
  changes: Changes
  /** For each node of `model` its id in the document; -1 for what only the other graph has. */
  ownOf: Int32Array
  /** Inputs at the end of a node's list that it had before and has no more. */
  oldInputs: ReadonlyMap<number, number>
  diff: GraphDiff
  wordsOf(node: number): string[]
}

/** More are counted, not listed. */
const mostEntries = 400

/**
 * Marks `model` against `other`. `isBefore`: `model` is the older of the two, and what is gone from it
 * is marked "removed". `withRemoved`: what only the older graph has is drawn into the newer one.
 */
export function compareModels(
  model: GraphModel,
  other: GraphModel,
  withRemoved: boolean,
  isBefore: boolean,
): GraphComparison {
  return isBefore ? olderSide(model, other) : newerSide(model, other, withRemoved)
}

function newerSide(after: GraphModel, before: GraphModel, withRemoved: boolean): GraphComparison {
  const diff = diffGraphs(before, after)
  if (!withRemoved || diff.removed.length === 0) {
    const marks = new Uint8Array(after.nodes.length)
    diff.nodes.forEach((node, id) => {
      marks[id] = changeKind[node.status]
    })
    const removed = diff.removed.map((id): ChangeEntry => {
      return {
        kind: 'removed',
        key: keyOf('node', id),
        view: 'before',
        title: titleOf(before, id),
        words: [],
      }
    })
    const wordsOf = (node: number): string[] => diff.nodes[node]?.changes ?? []
    return {
      model: after,
      marks,
      changes: changesOf(after, diff, marks, wordsOf, removed),
      ownOf: Int32Array.from(after.nodes.keys()),
      oldInputs: new Map(),
      diff,
      wordsOf,
    }
  }
  const overlay = mergeForOverlay(before, after, diff)
  const model = buildModel(overlay.graph)
  const marks = Uint8Array.from(overlay.status, (status) => changeKind[status])
  const wordsOf = (node: number): string[] => {
    const origin = overlay.origin[node] ?? -1
    return origin < 0 ? [] : (diff.nodes[origin]?.changes ?? [])
  }
  return {
    model,
    marks,
    changes: changesOf(model, diff, marks, wordsOf, []),
    ownOf: overlay.origin.map((origin) => Math.max(origin, -1)),
    oldInputs: overlay.oldInputs,
    diff,
    wordsOf,
  }
}

function olderSide(before: GraphModel, after: GraphModel): GraphComparison {
  const diff = diffGraphs(before, after)
  const marks = new Uint8Array(before.nodes.length)
  for (const node of diff.removed) marks[node] = changeKind.removed
  diff.after.forEach((now, old) => {
    if (now >= 0 && diff.nodes[now]?.status === 'changed') marks[old] = changeKind.changed
  })
  const wordsOf = (node: number): string[] => diff.nodes[diff.after[node] ?? -1]?.changes ?? []
  return {
    model: before,
    marks,
    changes: changesOf(before, diff, marks, wordsOf, []),
    ownOf: Int32Array.from(before.nodes.keys()),
    oldInputs: new Map(),
    diff,
    wordsOf,
  }
}

const kinds = ['same', 'added', 'changed', 'removed'] as const

function changesOf(
  model: GraphModel,
  diff: GraphDiff,
  marks: Uint8Array,
  wordsOf: (node: number) => string[],
  unseen: ChangeEntry[],
): Changes {
  const entries: ChangeEntry[] = diff.changes.map((words) => {
    return {
      kind: 'changed',
      key: null,
      view: 'main',
      title: 'inputs and outputs',
      words: [words],
    }
  })
  for (let id = 0; id < marks.length && entries.length < mostEntries; id += 1) {
    const kind = kinds[marks[id] ?? 0] ?? 'same'
    // A constant that changed has changed its users: they say so.
    if (kind === 'same' || model.constant[id] === 1) continue
    const key = keyOf('node', id)
    const title = titleOf(model, id)
    entries.push({ kind, key, view: 'main', title, words: wordsOf(id) })
  }
  const { added, removed, changed } = diff.counts
  return {
    summary: diff.summary,
    added,
    removed,
    changed: changed + diff.changes.length,
    entries: [...entries, ...unseen].slice(0, mostEntries),
  }
}

function titleOf(model: GraphModel, id: number): string {
  const node = model.nodes[id]
  if (!node) return ''
  const { title, namespace } = describeItem(model, { kind: 'node', node }, true)
  return namespace === '' ? title : `${namespace}::${title}`
}
