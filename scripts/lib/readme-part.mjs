// Parts of README.md that commands make, each between two comments.
import fs from 'node:fs'
import path from 'node:path'

import { root } from './paths.mjs'

const file = path.join(root, 'README.md')

/** What stands before the part of that name, in it, and after it. */
export function readmePart(name) {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`]
  const [before, rest] = fs.readFileSync(file, 'utf8').split(begin)
  const [part, after] = rest?.split(end) ?? []
  if (part === undefined || after === undefined)
    throw new Error(`README.md has no ${begin} … ${end}`)
  return { before: before + begin, part, after: end + after }
}

/** The file is read anew: another command may have written a part of its own meanwhile. */
export function writeReadmePart(name, part) {
  const { before, after } = readmePart(name)
  fs.writeFileSync(file, `${before}\n\n${part}\n\n${after}`)
}
