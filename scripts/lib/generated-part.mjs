// Parts of Markdown files that commands write, each between two comments.
import fs from 'node:fs'
import path from 'node:path'

import { root } from './paths.mjs'

/**
 * @param {string} file relative to the clone
 * @param {string} name of the part
 * @returns {{ before: string, part: string, after: string }} the text before the part, in it, and after it
 */
export function readGeneratedPart(file, name) {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`]
  const [before, rest] = fs.readFileSync(path.join(root, file), 'utf8').split(begin)
  const [part, after] = rest?.split(end) ?? []
  if (part === undefined || after === undefined) throw new Error(`${file} has no ${begin} … ${end}`)
  return { before: before + begin, part, after: end + after }
}

/** Reads the file again first: another command may have written its own part meanwhile. */
export function writeGeneratedPart(file, name, part) {
  const { before, after } = readGeneratedPart(file, name)
  fs.writeFileSync(path.join(root, file), `${before}\n\n${part}\n\n${after}`)
}
