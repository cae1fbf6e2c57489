import type { GraphObservation } from '../../../../electron/contract/graph'
import { parseQuery, searchGraph } from '../../../../graph/search'
import type { ShownHits } from '../graph-messages'
import type { SceneHits } from '../scene'
import type { ShownView } from './shown-view'

/** More are found than anybody steps through: the rest is seen in the picture. */
const mostKeys = 5_000

/** Boxes that a query holds for; a folded group is found when something inside is. */
export function searchView(
  view: ShownView,
  text: string,
): { result: ShownHits; hits: SceneHits | null } {
  const { model, layout } = view
  if (!model || !layout || text.trim() === '') {
    return { result: { ok: true, keys: [], total: 0 }, hits: null }
  }
  const parsed = parseQuery(text)
  if (!parsed.ok) return { result: parsed, hits: null }
  const found = searchGraph(model, parsed.query, {
    observation: observationOf(view),
    constants: view.showConstants,
  })
  if (!found.ok) return { result: found, hits: null }
  const keys = [...new Set(found.nodes.map((node) => view.keyOfNode(node)))]
  const wanted = new Set(keys)
  const marks = new Uint8Array(layout.items.count)
  for (let i = 0; i < marks.length; i += 1) if (wanted.has(layout.items.key[i] ?? -1)) marks[i] = 1
  return {
    result: { ok: true, keys: keys.slice(0, mostKeys), total: found.nodes.length },
    hits: { scene: view.sceneId, found: marks },
  }
}

/** What a run saw, by the ids of the picture's model. */
function observationOf(view: ShownView): GraphObservation | undefined {
  const { observation } = view
  if (!observation) return undefined
  if (!view.comparison) return observation
  const nodes = observation.nodes.flatMap((node) => {
    const id = view.shownNode(node.id)
    return id === null ? [] : [{ ...node, id }]
  })
  return { ...observation, nodes }
}
