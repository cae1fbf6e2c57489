import fs from 'node:fs/promises'
import path from 'node:path'

import type { TextEdit } from '../../../contract/diagnostics'
import type { FilePlace } from '../../../contract/language'
import { withoutComments } from '../../project/scan-source'
import { describeProject } from '../../project/describe-project'

/** The identifier at or before a place, 1-based; "" where there is none. */
export function wordAt(text: string, line: number, column: number): string {
  const content = text.split(/\r\n|\r|\n/)[line - 1] ?? ''
  for (const match of content.matchAll(/[A-Za-z_]\w*/g)) {
    if (match.index <= column - 1 && column - 1 <= match.index + match[0].length) return match[0]
  }
  return ''
}

/**
 * The project's C++ and CUDA files in whose text a word stands: no other file can refer to what has that
 * name, macros that paste names together excepted. This is what an index of the whole project would be
 * asked for, without its cost: libtorch's headers once for every source.
 */
export async function filesThatMention(folder: string, word: string): Promise<string[]> {
  const project = await describeProject(folder)
  if (!project.ok || word === '') return []
  const pattern = new RegExp(`\\b${word}\\b`)
  const candidates = project.value.files.filter(
    (file) => file.role === 'source' || file.role === 'header',
  )
  const found = await Promise.all(
    candidates.map(async ({ path: relative }) => {
      const file = path.join(folder, relative)
      const text = await fs.readFile(file, 'utf8').catch(() => '')
      return pattern.test(text) ? file : ''
    }),
  )
  return found.filter((file) => file !== '')
}

/** Where a word stands in the code of a text, and no edit of it does. */
export function mentionsLeft(
  file: string,
  text: string,
  word: string,
  edits: readonly TextEdit[],
): FilePlace[] {
  const lines = withoutComments(text).split(/\r\n|\r|\n/)
  return lines.flatMap((content, index) =>
    [...content.matchAll(new RegExp(`\\b${word}\\b`, 'g'))]
      .map(({ index: start }) => ({
        file,
        line: index + 1,
        column: start + 1,
        endLine: index + 1,
        endColumn: start + 1 + word.length,
      }))
      .filter(
        (place) =>
          !edits.some(
            (edit) =>
              edit.file === file && edit.line === place.line && edit.column === place.column,
          ),
      ),
  )
}
