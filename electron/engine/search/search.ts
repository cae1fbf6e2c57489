import fs from 'node:fs/promises'
import path from 'node:path'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { SearchQuery, SearchReport } from '../../contract/search'
import { matchesIn, patternOf } from './matches'
import { filesWithMatches } from './ripgrep'
import { searchedFiles } from './searched-files'

/** More matches are not listed. */
const mostMatches = 2_000
/** Bytes. */
const largestFile = 8 << 20

/** The text of a file that can be searched; undefined for a binary file, a large one, and one that is gone. */
async function textOf(file: string): Promise<string | undefined> {
  try {
    const { size } = await fs.lstat(file)
    if (size > largestFile) return undefined
    const bytes = await fs.readFile(file)
    // Without the byte order mark, as the editor counts columns.
    return bytes.includes(0) ? undefined : bytes.toString('utf8').replace(/^\uFEFF/, '')
  } catch {
    return undefined
  }
}

/**
 * Searches the files of a project. Files that are open and not saved are searched as they are in the editor.
 * Errors: those of patternOf(); the expression takes too long (request.invalid); cancelled.
 */
export async function searchProject(
  folder: string,
  query: SearchQuery,
  unsaved: readonly { path: string; text: string }[],
  signal: AbortSignal,
): Promise<Result<SearchReport>> {
  const pattern = patternOf(query)
  if (!pattern.ok) return pattern
  const open = new Map(unsaved.map(({ path: name, text }) => [name, text]))
  const { paths, isCut } = await searchedFiles(folder, query)
  const closed = paths.filter((name) => !open.has(name))
  const worthReading = await filesWithMatches(folder, closed, query, signal)
  const report: SearchReport = { files: [], searched: paths.length, isCut }
  let room = mostMatches
  for (const name of paths) {
    if (signal.aborted) return err('cancelled', 'Stopped.')
    const typed = open.get(name)
    if (typed === undefined && worthReading?.has(name) === false) continue
    const text = typed ?? (await textOf(path.join(folder, name)))
    if (text === undefined) continue
    const matches = matchesIn(text, pattern.value, query, room)
    if (matches === undefined) {
      return err('request.invalid', `The regular expression takes too long in ${name}.`, {
        path: 'query.text',
        hint: 'Avoid nested repetition: (a+)+ tries every way to split a word.',
      })
    }
    if (matches.length > 0) report.files.push({ path: name, matches })
    room -= matches.length
    if (room <= 0) {
      report.isCut = true
      break
    }
  }
  return ok(report)
}
