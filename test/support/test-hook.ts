import type { OpsmithTest } from '../../renderer/editor/test-hook'
import type { BuildTest } from '../../renderer/features/build/test-hook'
import type { GraphTest } from '../../renderer/features/graph/test-hook'

declare global {
  interface Window {
    /** What the renderer offers to tests. Each part is declared where it is written. */
    opsmithTest?: OpsmithTest & {
      build: BuildTest
      graph: GraphTest
      terminal: { text(name: string): string }
      tests: { marks(path: string): { line: number; kind: string }[] }
    }
  }
}

export type GraphState = ReturnType<GraphTest['state']>
