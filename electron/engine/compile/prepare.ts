import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { measureCompile } from './compile-times'
import { preludes } from './flags'
import { findClangLibraries } from './hot/clang-libraries'
import { makeServerProgram, makingServer } from './hot/server-program'
import type { CompileTools } from './compile-tools'
import { makePrecompiled } from './precompiled-headers'

/**
 * Makes what builds with these tools start from: the precompiled headers, and the compile server where clang's own
 * libraries are installed. What is there already is not made again.
 * @returns the compilers' seconds together, and how many things were made
 */
export async function prepareTools(
  tools: CompileTools,
  options: {
    /** At a time: one, so that whoever works meanwhile has the other cores. */
    compilers: number
    signal: AbortSignal
    /** Nobody waits for it. */
    isBackground?: boolean
    /** `done` from 0 to 1, -1 where nobody knows. */
    onProgress?: (title: string, done: number, detail: string) => void
    /** What was found damaged, for people; it is made again. */
    onRemark?: (text: string) => void
  },
): Promise<Result<{ seconds: number; made: number }>> {
  const title = "precompiling libtorch's headers"
  const { compilers, signal, isBackground = false, onProgress, onRemark } = options
  const pending = [...preludes]
  let seconds = 0
  let made = 0
  let done = 0
  const worker = async (): Promise<Result<null>> => {
    for (let prelude = pending.shift(); prelude; prelude = pending.shift()) {
      onProgress?.(title, done / preludes.length, prelude)
      const result = await makePrecompiled(tools, prelude, 'plain', { signal, isBackground })
      if (!result.ok) {
        pending.length = 0
        return result
      }
      done += 1
      seconds += result.value.seconds
      if (result.value.made) made += 1
      if (result.value.wasDamaged) {
        onRemark?.(
          `the precompiled header "${prelude}" was damaged in the cache: Opsmith made it again`,
        )
      }
    }
    return ok(null)
  }
  const ends = await Promise.all(Array.from({ length: compilers }, worker))
  onProgress?.(title, 1, '')
  const failed = ends.find((end) => !end.ok)
  if (failed && !failed.ok) return failed
  await measureCompile(tools, made > 0, signal)
  const libraries = findClangLibraries(tools.toolchain.compiler)
  if (!libraries.found) return ok({ seconds, made })
  onProgress?.(makingServer, -1, '')
  const program = await makeServerProgram(tools, libraries.found, signal, isBackground)
  onProgress?.(makingServer, 1, '')
  if (!program.ok) return program
  seconds += program.value.seconds
  return ok({ seconds, made: made + (program.value.made ? 1 : 0) })
}
