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
  let seconds = 0
  let made = 0
  let done = 0
  const count = (thing: { seconds: number; made: boolean }): void => {
    seconds += thing.seconds
    if (thing.made) made += 1
  }
  const pending = preludes.map((prelude) => async (): Promise<Result<unknown>> => {
    onProgress?.(title, done / preludes.length, prelude)
    const result = await makePrecompiled(tools, prelude, 'plain', { signal, isBackground })
    if (result.ok) done += 1
    if (!result.ok || done === preludes.length) onProgress?.(title, 1, '')
    if (!result.ok) return result
    count(result.value)
    if (result.value.wasDamaged) {
      onRemark?.(
        `the precompiled header "${prelude}" was damaged in the cache, so Opsmith made the header again`,
      )
    }
    return result
  })
  const libraries = findClangLibraries(tools.toolchain.compiler).found
  const makeServer = async (): Promise<Result<unknown>> => {
    if (!libraries) return ok(null)
    onProgress?.(makingServer, -1, '')
    const program = await makeServerProgram(tools, libraries, signal, isBackground)
    onProgress?.(makingServer, 1, '')
    if (program.ok) count(program.value)
    return program
  }
  // It takes longest and needs no header: last, it would keep the other compilers waiting. A first build needs a
  // header before it needs the server.
  if (compilers > 1) pending.unshift(makeServer)
  else pending.push(makeServer)
  let failed: Result<unknown> | undefined
  const worker = async (): Promise<void> => {
    for (let make = pending.shift(); make; make = pending.shift()) {
      const result = await make()
      if (result.ok) continue
      // Headers serve without a compile server.
      if (make !== makeServer) pending.length = 0
      failed ??= result
      if (make !== makeServer) return
    }
  }
  await Promise.all(Array.from({ length: compilers }, worker))
  await measureCompile(tools, made > 0, signal)
  return failed && !failed.ok ? failed : ok({ seconds, made })
}
