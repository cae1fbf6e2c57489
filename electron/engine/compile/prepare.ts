import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Installation } from '../installation'
import type { Toolchain } from '../toolchain/choose'
import { measureCompile } from './compile-times'
import { preludes } from './flags'
import { findClangLibraries } from './hot/clang-libraries'
import { makeServerProgram, makingServer } from './hot/server-program'
import { snapshotIncludes } from './include-snapshot'
import { makePrecompiled } from './precompiled-headers'

/**
 * Makes what builds with these tools start from: the precompiled headers, and the compile server where clang's own
 * libraries are installed. What is there already is not made again.
 * @param compilers at a time
 * @returns the compilers' seconds together, and how many things were made
 */
export async function prepareTools(
  installation: Installation,
  tools: Toolchain,
  compilers: number,
  signal: AbortSignal,
  onProgress?: (title: string, done: number, detail: string) => void,
): Promise<Result<{ seconds: number; made: number }>> {
  const title = "precompiling libtorch's headers"
  const includes = snapshotIncludes(installation)
  const pending = [...preludes]
  let seconds = 0
  let made = 0
  let done = 0
  const worker = async (): Promise<Result<null>> => {
    for (let prelude = pending.shift(); prelude; prelude = pending.shift()) {
      onProgress?.(title, done / preludes.length, prelude)
      const result = await makePrecompiled(installation, tools, includes, prelude, 'plain', signal)
      if (!result.ok) {
        pending.length = 0
        return result
      }
      done += 1
      seconds += result.value.seconds
      if (result.value.made) made += 1
    }
    return ok(null)
  }
  const ends = await Promise.all(Array.from({ length: compilers }, worker))
  onProgress?.(title, 1, '')
  const failed = ends.find((end) => !end.ok)
  if (failed && !failed.ok) return failed
  await measureCompile(installation, tools, includes, made > 0, signal)
  const libraries = findClangLibraries(tools.compiler)
  if (!libraries.found) return ok({ seconds, made })
  onProgress?.(makingServer, -1, '')
  const program = await makeServerProgram(
    { installation, toolchain: tools, includes },
    libraries.found,
    signal,
  )
  onProgress?.(makingServer, 1, '')
  if (!program.ok) return program
  seconds += program.value.seconds
  return ok({ seconds, made: made + (program.value.made ? 1 : 0) })
}
