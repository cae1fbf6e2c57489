import type { Installation } from '../installation'
import type { Toolchain } from '../toolchain/choose'
import { snapshotIncludes } from './include-snapshot'
import type { IncludeSnapshot } from './include-snapshot'

/** What every run of a compiler needs, whatever it compiles. */
export interface CompileTools {
  installation: Installation
  toolchain: Toolchain
  /** Our headers, as they are now. */
  includes: IncludeSnapshot
}

export function compileTools(installation: Installation, toolchain: Toolchain): CompileTools {
  return { installation, toolchain, includes: snapshotIncludes(installation) }
}
