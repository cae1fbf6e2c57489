import type { SearchResult } from '../graph-messages'
import type { SceneHits } from '../scene'
import type { ShownView } from './shown-view'

export function searchView(
  view: ShownView,
  query: string,
): { result: SearchResult; hits: SceneHits | null } {
  const { model, layout } = view
  if (!model || !layout || query.trim() === '') {
    return { result: { ok: true, keys: [], total: 0 }, hits: null }
  }
  const nodes = model.nodes
    .filter((node) => node.kind.includes(query.trim()))
    .map((node) => node.id)
  const keys = [...new Set(nodes.map((node) => view.keyOfNode(node)))]
  const wanted = new Set(keys)
  const found = new Uint8Array(layout.items.count)
  for (let i = 0; i < found.length; i += 1) {
    if (wanted.has(layout.items.key[i] ?? -1)) found[i] = 1
  }
  return {
    result: { ok: true, keys: keys.slice(0, 5_000), total: nodes.length },
    hits: { scene: view.sceneId, found },
  }
}
