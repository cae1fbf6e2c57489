import { graphForm, graphPass } from '../../../electron/contract/graph'
import { changeChoice, firstChoice, graphStore, type CompareWith, type GraphChoice } from './graph'

/** What is kept of the choice between two starts. Files outside the project have to be chosen anew. */
export function savedChoice(): Partial<GraphChoice> | null {
  const { choice } = graphStore.getState()
  if (choice.entry === '') return null
  const { file, compare, ...rest } = choice
  const kept: Partial<GraphChoice> = { ...rest }
  if (compare.kind !== 'file') kept.compare = compare
  // Without its file an entry means nothing.
  return file === null ? kept : { view: choice.view, showConstants: choice.showConstants }
}

/** Takes what an earlier window kept, as far as it still means something. */
export function restoreChoice(saved: unknown): void {
  if (typeof saved !== 'object' || saved === null) return
  const from = saved as Record<string, unknown>
  const change: Partial<GraphChoice> = {}
  const form = graphForm.safeParse(from['form'])
  if (form.success && form.data !== 'export') change.form = form.data
  const passes = graphPass.array().safeParse(from['passes'])
  if (passes.success) change.passes = passes.data
  if (typeof from['entry'] === 'string') change.entry = from['entry']
  if (typeof from['argsText'] === 'string') change.argsText = from['argsText']
  if (typeof from['callIndex'] === 'number') change.callIndex = from['callIndex']
  if (typeof from['step'] === 'number') change.step = from['step']
  if (typeof from['beside'] === 'boolean') change.beside = from['beside']
  if (typeof from['showConstants'] === 'boolean') change.showConstants = from['showConstants']
  const view = oneOf(from['view'], ['graph', 'text', 'both'] as const)
  if (view) change.view = view
  const overlay = oneOf(from['overlay'], ['none', 'time', 'memory', 'values', 'device'] as const)
  if (overlay) change.overlay = overlay
  const compare = compareOf(from['compare'])
  if (compare) change.compare = compare
  changeChoice({ ...firstChoice, ...change })
}

function compareOf(saved: unknown): CompareWith | null {
  if (typeof saved !== 'object' || saved === null) return null
  const from = saved as Record<string, unknown>
  const kind = oneOf(from['kind'], ['auto', 'none', 'build', 'step'] as const)
  if (kind) return { kind }
  const form = graphForm.safeParse(from['form'])
  if (from['kind'] === 'form' && form.success) return { kind: 'form', form: form.data }
  if (from['kind'] === 'entry' && typeof from['entry'] === 'string') {
    return { kind: 'entry', entry: from['entry'] }
  }
  return null
}

function oneOf<T extends string>(value: unknown, known: readonly T[]): T | null {
  return known.find((item) => item === value) ?? null
}
