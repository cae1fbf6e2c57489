import type { GraphObservation } from '../../../../electron/contract/graph'
import { keyOf, kindOfKey, idOfKey, type GraphLayout } from '../../../../graph/layout/layout'
import { layoutInSteps } from '../../../../graph/layout/layout-graph'
import type { GraphModel } from '../../../../graph/model'
import type { ObservedNode, ShowRequest, ShowResult } from '../graph-messages'
import type { PaintedScene } from '../scene'
import { compareModels, type GraphComparison } from './compare'
import { firstFolds, groupPaths } from './group-paths'
import { isSamePicture, matchKeys, shiftOf } from './match-keys'
import { makeScene, type BoxMaker } from './make-scene'

export type PostScene = (
  scene: PaintedScene,
  shift: { dx: number; dy: number },
  isFinal: boolean,
) => void

/** A layout before, and what its keys are called now. */
type Places = { layout: GraphLayout; match: (key: number) => number }

let scenes = 0

/** One of the pictures: what is shown of which graph, folded how, laid out where. */
export class ShownView {
  doc = 0
  compared: number | null = null
  /** The document's model, or with what was removed drawn into it. */
  model: GraphModel | null = null
  comparison: GraphComparison | null = null
  layout: GraphLayout | null = null
  sceneId = 0
  showConstants = false
  observation: GraphObservation | null = null
  private folded = new Set<number>()
  private indexed: {
    of: GraphObservation | null
    byId: Map<number, GraphObservation['nodes'][number]>
  } | null = null

  /** Folds by the names of their groups: they outlive a build. */
  private foldedPaths: Set<string> | null = null
  private lastTitle = ''

  constructor(
    private readonly boxes: () => BoxMaker,
    private readonly post: PostScene,
  ) {}

  show(request: ShowRequest, model: GraphModel, other: GraphModel | null): ShowResult {
    const started = performance.now()
    const { model: oldModel, layout: oldLayout } = this
    const comparison =
      other === null || request.compare === null
        ? null
        : compareModels(model, other, request.compare.removed, request.isBefore)
    const shownModel = comparison?.model ?? model
    const title = `${model.graph.name} ${model.graph.form}`
    const isOther = title !== this.lastTitle
    // Another function starts as if nothing had been folded.
    if (this.foldedPaths === null || isOther) this.folded = firstFolds(shownModel)
    else this.folded = this.foldsOf(shownModel)
    this.lastTitle = title
    this.doc = request.doc
    this.compared = request.compare?.doc ?? null
    this.model = shownModel
    this.comparison = comparison
    this.showConstants = request.showConstants
    this.observation = null
    this.rememberFolds()
    const match = oldModel && oldLayout && !isOther ? matchKeys(oldModel, shownModel) : null
    const keeps = match !== null && oldLayout !== null && isSamePicture(oldLayout, match)
    const now = (key: number | null): number | null => {
      const found = key === null || match === null ? -1 : match(key)
      return found < 0 ? null : found
    }
    const hold = { before: request.hold, after: now(request.hold) }
    const result = this.lay(started, keeps ? { layout: oldLayout, match } : null, hold)
    return { ...result, selected: now(request.selected) }
  }

  fold(what: 'toggle' | 'alike' | 'all' | 'none', key: number | null): ShowResult | null {
    const { model } = this
    if (!model) return null
    const started = performance.now()
    const groups = model.groups.filter((group) => group.index !== 0)
    const chosen = key === null ? [] : this.groupsOf(key)
    let hold = key
    if (what === 'all') for (const group of groups) this.folded.add(group.index)
    else if (what === 'none') this.folded.clear()
    // A plain node has nothing to fold: it stays selected.
    else if (chosen.length > 0) {
      const close = !chosen.every((group) => this.folded.has(group))
      const hashes = new Set(chosen.map((group) => model.groups[group]?.shapeHash))
      const all =
        what === 'alike'
          ? groups.filter((group) => hashes.has(group.shapeHash)).map((group) => group.index)
          : chosen
      for (const group of all) {
        if (close) this.folded.add(group)
        else this.folded.delete(group)
      }
      hold = this.boxKeyOf(key ?? 0)
    }
    this.rememberFolds()
    const result = this.lay(started, this.samePlaces(), { before: key, after: hold })
    return { ...result, selected: hold }
  }

  /** Opens everything that a node is folded into. */
  open(node: number): boolean {
    const { model } = this
    if (!model) return false
    let changed = false
    for (let at = model.groupOf[node] ?? 0; at > 0; at = model.groups[at]?.parent ?? 0) {
      if (this.folded.delete(at)) changed = true
      // A block is inside the group of its owner, which its parent chain already names.
    }
    if (!changed) return false
    this.rememberFolds()
    this.lay(performance.now(), this.samePlaces(), { before: null, after: null })
    return true
  }

  /** The box that shows a node: its own, or the folded group's it is in. */
  keyOfNode(node: number): number {
    const { model } = this
    let key = keyOf('node', node)
    if (!model) return key
    for (let at = model.groupOf[node] ?? 0; at > 0; at = model.groups[at]?.parent ?? 0) {
      if (this.folded.has(at)) key = this.keyOfFolded(at)
    }
    return key
  }

  /** A node whose blocks are all folded is one box, its own. */
  private keyOfFolded(group: number): number {
    const entry = this.model?.groups[group]
    if (!entry || entry.kind !== 'block') return keyOf('group', group)
    const blocks = this.model?.blocksOf.get(entry.node) ?? []
    const isWhole = blocks.every((block) => this.folded.has(block))
    return isWhole ? keyOf('node', entry.node) : keyOf('group', group)
  }

  get foldedGroups(): ReadonlySet<number> {
    return this.folded
  }

  /** The document's node that a node of the picture is; null for what only the other graph has. */
  documentNode(node: number): number | null {
    const own = this.comparison ? (this.comparison.ownOf[node] ?? -1) : node
    return own < 0 ? null : own
  }

  /** The other way round. */
  shownNode(own: number): number | null {
    if (!this.comparison) return own
    const at = this.comparison.ownOf.indexOf(own)
    return at < 0 ? null : at
  }

  /** The node whose box shows a node: constants are written into their users. */
  boxedNode(node: number): number {
    const { model } = this
    if (!model || this.showConstants) return node
    let at = node
    for (let turn = 0; turn < 64 && model.constant[at] === 1; turn += 1) {
      const user = model.values[model.firstOutput[at] ?? -1]?.uses[0]
      if (user === undefined) return at
      at = user
    }
    return at
  }

  /** What a run saw of a node of the document. */
  observed(own: number): ObservedNode | undefined {
    const found = this.observedById().get(own)
    if (!found) return undefined
    const whole = this.observation?.seconds ?? 0
    return { ...found, share: whole > 0 ? found.seconds / whole : 0 }
  }

  /** The same for a node of the picture. */
  observedOf(node: number): ObservedNode | undefined {
    const own = this.documentNode(node)
    return own === null ? undefined : this.observed(own)
  }

  private observedById(): Map<number, GraphObservation['nodes'][number]> {
    if (this.indexed?.of !== this.observation) {
      const entries = (this.observation?.nodes ?? []).map((node) => [node.id, node] as const)
      this.indexed = { of: this.observation, byId: new Map(entries) }
    }
    return this.indexed?.byId ?? new Map<number, GraphObservation['nodes'][number]>()
  }

  /** Nodes that a box stands for, or that take an input, or that an output comes from. */
  nodesOfKey(key: number): number[] {
    const { model } = this
    const id = idOfKey(key)
    if (!model) return []
    switch (kindOfKey(key)) {
      case 'node':
        return [id]
      case 'input':
        return model.values[id]?.uses ?? []
      case 'output': {
        const producer = model.values[model.returns[id]?.value ?? -1]?.producer ?? -1
        return producer < 0 ? [] : [producer]
      }
      case 'group':
        return model.groups[id]?.nodes ?? []
    }
  }

  groupsOf(key: number): number[] {
    if (kindOfKey(key) === 'group') {
      const group = this.model?.groups[idOfKey(key)]
      return group && group.index !== 0 ? [group.index] : []
    }
    if (kindOfKey(key) === 'node') return this.model?.blocksOf.get(idOfKey(key)) ?? []
    return []
  }

  isFolded(key: number): boolean {
    const groups = this.groupsOf(key)
    return groups.length > 0 && groups.every((group) => this.folded.has(group))
  }

  /** The box under which a group or node can be found after folding. */
  private boxKeyOf(key: number): number {
    if (kindOfKey(key) !== 'group') return key
    const group = idOfKey(key)
    return this.folded.has(group) ? this.keyOfFolded(group) : key
  }

  private samePlaces(): Places | null {
    return this.layout && { layout: this.layout, match: (key) => key }
  }

  private lay(
    started: number,
    old: Places | null,
    hold: { before: number | null; after: number | null },
  ): ShowResult {
    const { model } = this
    if (!model) throw new Error('no graph is shown')
    const boxes = this.boxes()
    const folded: ReadonlySet<number> = this.folded
    const places = new Map<number, number>()
    if (old) {
      for (const list of [old.layout.items, old.layout.frames]) {
        for (const key of list.key) places.set(old.match(key), key)
      }
    }
    const steps = layoutInSteps(model, {
      folded,
      showConstants: this.showConstants,
      measure: (item) => boxes.size(boxes.words(model, item, this.showConstants), item),
      previous: old ? { layout: old.layout, match: (key) => places.get(key) ?? -1 } : undefined,
    })
    const marks = this.comparison?.marks ?? null
    let first = 0
    const publish = (layout: GraphLayout, isFinal: boolean): void => {
      scenes += 1
      const scene = makeScene(scenes, model, layout, boxes, this.showConstants, marks)
      const shift = old ? shiftOf(old.layout, layout, hold.before, hold.after) : { dx: 0, dy: 0 }
      this.sceneId = scenes
      this.post(scene, shift, isFinal)
      if (first === 0) first = performance.now() - started
    }
    const layoutStarted = performance.now()
    let step = steps.next()
    while (!step.done) {
      publish(step.value, false)
      step = steps.next()
    }
    const layoutSeconds = (performance.now() - layoutStarted) / 1_000
    this.layout = step.value
    publish(step.value, true)
    return {
      doc: this.doc,
      boxes: step.value.items.count,
      lines: step.value.edges.count,
      groups: model.groups.length - 1,
      folded: this.folded.size,
      layoutSeconds,
      firstSeconds: first / 1_000,
      selected: null,
      changes: this.comparison?.changes ?? null,
    }
  }

  private rememberFolds(): void {
    if (!this.model) return
    const paths = groupPaths(this.model)
    this.foldedPaths = new Set([...this.folded].map((group) => paths[group] ?? ''))
  }

  private foldsOf(model: GraphModel): Set<number> {
    const wanted = this.foldedPaths
    if (!wanted || wanted.size === 0) return new Set()
    const found = new Set<number>()
    groupPaths(model).forEach((path, group) => {
      if (group > 0 && wanted.has(path)) found.add(group)
    })
    return found
  }
}
