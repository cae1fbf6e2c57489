import type { GraphForm, GraphObservation, GraphPlace } from '../../../electron/contract/graph'
import type { ViewId } from './paint/paint-messages'
import type { PaintedScene, SceneHits, SceneOverlay } from './scene'

/** A graph that the worker holds; its text is with the window. */
export type DocumentSummary = {
  name: string
  form: GraphForm
  nodes: number
  groups: number
  custom: number
}

/** How a graph is shown; keys are those of graph/layout, for the model that is shown. */
export type ShowRequest = {
  view: ViewId
  doc: number
  /** Marked against this one: its removed nodes drawn in (overlay), or only what is here marked. */
  compare: { doc: number; removed: boolean } | null
  /** This is the older side: what is gone from it is marked "removed" and not "added". */
  isBefore: boolean
  showConstants: boolean
  /** The box that stays where it is on the screen, and the one that stays selected. */
  hold: number | null
  selected: number | null
}

export type ShowResult = {
  doc: number
  boxes: number
  lines: number
  /** Groups that can be folded, and those that are. */
  groups: number
  folded: number
  layoutSeconds: number
  /** From the request to the first picture that was handed out. */
  firstSeconds: number
  selected: number | null
  changes: Changes | null
}

export type ChangeEntry = {
  kind: 'added' | 'removed' | 'changed'
  /** Null for what no box stands for. */
  key: number | null
  /** Which picture the key is of: what is gone is only in the older one. */
  view: 'main' | 'before'
  title: string
  /** "scale: 2 → 3" */
  words: string[]
}

export type Changes = {
  summary: string
  added: number
  removed: number
  changed: number
  /** The first of them; a rewritten graph of ten thousand nodes is not read line by line. */
  entries: ChangeEntry[]
}

/** A value at a node: click leads to the others. */
export type InspectedValue = {
  /** The argument's name in the schema, or "" where there is none. */
  argument: string
  name: string
  type: string
  /** Where it comes from (of inputs), who takes it (of outputs). */
  others: { key: number; title: string }[]
  /** Written out where the value is a constant. */
  constant: string | null
}

export type Inspection = {
  key: number
  kind: 'node' | 'group' | 'input' | 'output'
  title: string
  prefix: string
  custom: boolean
  /** Of the graph that is shown, as its text names it; absent for groups and values. */
  node: number | null
  schema: string
  inputs: InspectedValue[]
  outputs: InspectedValue[]
  attributes: [name: string, value: string][]
  scope: string
  /** Where it is nested: "If · then", outermost first. */
  blocks: string[]
  source: GraphPlace | null
  /** Lines of the text, from 0, the last one included. */
  lines: [number, number] | null
  change: { kind: ChangeEntry['kind']; words: string[] } | null
  /** Of a group: how many nodes (constants are not counted, as on its box), and how many are like it. */
  size: number
  alike: number
  /** A group, or a node with blocks, that is one box now. */
  folded: boolean
  observed: ObservedNode | null
}

export type ObservedNode = GraphObservation['nodes'][number] & { share: number }

export type ShownHits = { ok: true; keys: number[]; total: number } | { ok: false; message: string }

export type OverlayResult = {
  kind: SceneOverlay['kind']
  /** The ends of the scale, as words; "" where there is no scale. */
  low: string
  high: string
  /** The devices seen, or what alarms there are. */
  notes: string[]
  /** The nodes that stand out, the first first. */
  first: { key: number; title: string; text: string }[]
}

export type ExportFormat = 'svg' | 'dot' | 'json' | 'diff'

/** What the window asks the graph worker; every question has one answer. */
export type GraphCalls = {
  load: { input: { doc: number; graph: string }; output: DocumentSummary }
  drop: { input: { docs: number[] }; output: null }
  show: { input: ShowRequest; output: ShowResult }
  hide: { input: { view: ViewId }; output: null }
  /** Folds or opens; `alike` does it to every group of the same structure. */
  fold: {
    input: { view: ViewId; what: 'toggle' | 'alike' | 'all' | 'none'; key: number | null }
    output: ShowResult
  }
  /** Opens whatever a node is folded into; answers its key. */
  reveal: { input: { view: ViewId; node: number }; output: number | null }
  search: { input: { view: ViewId; query: string }; output: ShownHits }
  inspect: { input: { view: ViewId; key: number }; output: Inspection | null }
  path: { input: { view: ViewId; from: number; to: number }; output: number[] | null }
  /** Keys of the boxes of the nodes that a source line became. */
  atLine: { input: { view: ViewId; file: string; line: number }; output: number[] }
  /** The innermost node that a line of the text belongs to. */
  atText: { input: { view: ViewId; line: number }; output: number | null }
  overlay: {
    input: { view: ViewId; kind: SceneOverlay['kind']; observation: GraphObservation | null }
    output: OverlayResult
  }
  export: { input: { view: ViewId; format: ExportFormat; dark: boolean }; output: string }
}
export type GraphCallName = keyof GraphCalls

export type ToGraphWorker =
  | { type: 'ask'; id: number; name: GraphCallName; input: GraphCalls[GraphCallName]['input'] }
  | { type: 'fonts'; ui: string; mono: string }

export type FromGraphWorker =
  | { type: 'answer'; id: number; value: unknown }
  | { type: 'failed'; id: number; message: string }
  /** A picture; `shift` is how far what is held on to has moved since the one before. */
  | {
      type: 'scene'
      view: ViewId
      scene: PaintedScene
      shift: { dx: number; dy: number }
      isFinal: boolean
    }
  | { type: 'overlay'; view: ViewId; overlay: SceneOverlay | null }
  | { type: 'hits'; view: ViewId; hits: SceneHits | null }
