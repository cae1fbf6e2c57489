import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type {
  CaptureReport,
  GraphArchive,
  GraphForm,
  GraphPass,
  GraphPlace,
} from '../../../electron/contract/graph'

/** What the shown graph is marked against. */
export type CompareWith =
  /** The step before, of the first step the last build's graph. */
  | { kind: 'auto' }
  | { kind: 'none' }
  | { kind: 'build' }
  | { kind: 'step' }
  | { kind: 'form'; form: GraphForm }
  | { kind: 'entry'; entry: string }
  | { kind: 'file'; path: string }

export type GraphOverlay = 'none' | 'time' | 'memory' | 'values' | 'device'

/** What the user chose to see; kept over a close of the panel and of the app. */
export type GraphChoice = {
  /** A saved model instead of the project's program. */
  file: GraphArchive | null
  /** A function, an operator, a method of the file; "" until something is known. */
  entry: string
  /** The call of opsmith.json whose arguments are taken. */
  callIndex: number | null
  /** Arguments as typed; null takes those of the call, else inputs by their names. */
  argsText: string | null
  form: GraphForm
  passes: GraphPass[]
  /** Which step's graph is shown: 0 as captured; null the last. */
  step: number | null
  compare: CompareWith
  beside: boolean
  view: 'graph' | 'text' | 'both'
  overlay: GraphOverlay
  showConstants: boolean
}

/** A graph that the view's worker holds, and its text as PyTorch prints it. */
export type LoadedGraph = { doc: number; text: string }

/** A capture (or a file read) with those of its steps that were looked at. */
export type Shot = {
  /** What was asked for: equal for captures of the same thing after different builds. */
  key: string
  /** The entry, of the project or of a file: equal in all forms and after all passes. */
  model: string
  title: string
  /** Null for a file whose graph is read and not captured. */
  report: CaptureReport | null
  steps: Map<number, LoadedGraph>
  stepCount: number
  /** Sources and program it was captured from. */
  stamp: string
  /** The op host that holds the capture. */
  generation: number
}

export type ShownGraph = {
  shot: Shot
  step: number
  graph: LoadedGraph
  compare: { graph: LoadedGraph; title: string } | null
}

type GraphState = {
  choice: GraphChoice
  /** Where the selected node came from, for the editor. */
  selectedPlace: GraphPlace | null
  /** Until the panel is open nothing is captured. */
  isPanelOpen: boolean
  /** The panel was opened during a build, which brings its graph. */
  waitsForBuild: boolean
  /** Captures of other entries and forms that graphs were compared with, by what was asked for. */
  otherShots: ReadonlyMap<string, Shot>
  /** Graphs of files that graphs were compared with, by path. */
  otherFiles: ReadonlyMap<string, LoadedGraph>
}

export const firstChoice: GraphChoice = {
  file: null,
  entry: '',
  callIndex: null,
  argsText: null,
  form: 'script',
  passes: [],
  step: null,
  compare: { kind: 'auto' },
  beside: false,
  view: 'graph',
  overlay: 'none',
  showConstants: false,
}

export const graphStore = createStore<GraphState>(() => ({
  choice: firstChoice,
  selectedPlace: null,
  isPanelOpen: false,
  waitsForBuild: false,
  otherShots: new Map(),
  otherFiles: new Map(),
}))

export function useGraph<T>(select: (state: GraphState) => T): T {
  return useStore(graphStore, select)
}

export function changeChoice(change: Partial<GraphChoice>): void {
  graphStore.setState((state) => ({ choice: { ...state.choice, ...change } }))
}

/** How the view's workers are reached; set by the panel, since stores know no view. */
export type GraphEngine = {
  /** Takes a graph's JSON; the number names it from then on. */
  load(doc: number, graph: string): Promise<unknown>
  drop(docs: number[]): void
}

let engine: GraphEngine | null = null
export function serveGraphs(by: GraphEngine): void {
  engine = by
}

let documents = 0

export async function loadDocument(graph: string, text: string): Promise<LoadedGraph> {
  documents += 1
  const doc = documents
  await engine?.load(doc, graph)
  return { doc, text }
}

export function dropDocuments(docs: number[]): void {
  if (docs.length > 0) engine?.drop(docs)
}

export const formNames: Record<GraphForm, string> = {
  script: 'Script',
  trace: 'Trace',
  autograd: 'Autograd',
  executed: 'Executed',
  export: 'Export',
}

export const passNames: Record<GraphPass, string> = {
  inline: 'inline',
  constant_propagation: 'constant propagation',
  common_subexpressions: 'common subexpressions',
  dead_code: 'dead code',
  peephole: 'peephole',
  freeze: 'freeze',
  canonicalize: 'canonicalize',
  alias_analysis: 'alias analysis',
}
