import path from 'node:path'

import type { Result } from '../contract/outcome'

/** An operator's own error names the source as it was compiled: relative to the project. */
export function placeError<T>(result: Result<T>, folder: string): Result<T> {
  if (result.ok || !result.error.file) return result
  const file = path.resolve(folder, result.error.file)
  return { ok: false, error: { ...result.error, file } }
}
