import type { OpsmithTest } from '../../renderer/editor/test-hook'
import type { BuildTest } from '../../renderer/features/build/test-hook'
import type { GraphTest } from '../../renderer/features/graph/test-hook'

declare global {
  interface Window {
    /** What the renderer offers to tests. Each part is declared where it is written. */
    opsmithTest?: OpsmithTest & { build: BuildTest; graph: GraphTest }
  }
}

export type GraphState = ReturnType<GraphTest['state']>
