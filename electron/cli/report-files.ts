import type { BuildReport } from '../contract/build'
import type { Result } from '../contract/outcome'
import { ioError, writeAtomically } from '../engine/project/files'
import { callerPath, progress } from './print'

/** The lines below a report's title: what it was made with, and when. */
export function reportFacts(build: BuildReport): string[] {
  return [
    `${build.compiler}, libtorch ${build.libtorch}`,
    `${new Date().toISOString()}, build ${build.key}`,
  ]
}

/** Writes the reports that were asked for; a file named "" was not. */
export async function writeReports(
  wanted: readonly (readonly [file: string, text: () => string])[],
): Promise<Result<null>> {
  for (const [name, text] of wanted) {
    if (name === '') continue
    const file = callerPath(name)
    try {
      await writeAtomically(file, text())
      progress(file)
    } catch (error) {
      return ioError(error, `write ${file}`)
    }
  }
  return { ok: true, value: null }
}
