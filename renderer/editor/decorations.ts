import type { Monaco } from './monaco'

/** The ids of what is decorated in each model. */
export type Decorated = Map<Monaco.editor.ITextModel, string[]>

/** Puts decorations on models in the place of those that `kept` knows. */
export function applyDecorations(
  kept: Decorated,
  wanted: ReadonlyMap<Monaco.editor.ITextModel, Monaco.editor.IModelDeltaDecoration[]>,
): void {
  for (const model of new Set([...kept.keys(), ...wanted.keys()])) {
    if (model.isDisposed()) {
      kept.delete(model)
      continue
    }
    const ids = model.deltaDecorations(kept.get(model) ?? [], wanted.get(model) ?? [])
    if (ids.length > 0) kept.set(model, ids)
    else kept.delete(model)
  }
}
