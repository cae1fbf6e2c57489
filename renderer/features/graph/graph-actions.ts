/** What the graph's view does for commands; set by the panel while it is there. */
export type GraphActions = {
  fit(): void
  fold(what: 'all' | 'none' | 'alike' | 'toggle'): void
  search(): void
  nextHit(step: 1 | -1): void
  exportAs(
    format: 'svg' | 'png' | 'dot' | 'json' | 'text' | 'diff',
    path?: string,
  ): Promise<string | null>
  /** Selects the node that the editor's cursor is on. */
  goToCursor(): void
  hasSelection(): boolean
}

let actions: GraphActions | null = null

export function serveGraphActions(by: GraphActions): void {
  actions = by
}

export function graphActions(): GraphActions | null {
  return actions
}
