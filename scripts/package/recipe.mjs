// The recipes of docs/how-to/ci.md, which are run as they are written.
import fs from 'node:fs'
import path from 'node:path'

import { root } from '../lib/paths.mjs'

/** The block of a recipe. @param {'container' | 'actions'} name */
export function readRecipe(name, file = path.join(root, 'docs', 'how-to', 'ci.md')) {
  const text = fs.readFileSync(file, 'utf8')
  const block = new RegExp(`^<!-- recipe: ${name} -->\\n\`\`\`\\w+\\n([^]*?)\\n\`\`\``, 'm')
  const found = block.exec(text)?.[1]
  if (found === undefined) throw new Error(`${file} has no recipe "${name}"`)
  return found
}

/**
 * The first image that a Dockerfile makes. Only what the recipe uses is understood: an instruction a line.
 * @returns {{ name: string, value: string }[]} such as `{ name: 'RUN', value: 'opsmith build .' }`
 */
export function instructionsOf(dockerfile) {
  const [image = ''] = dockerfile.split(/^(?=FROM )/m).filter((part) => part !== '')
  return image
    .trim()
    .split('\n')
    .map((line) => /^([A-Z]+) (.*)$/.exec(line))
    .map((match) => ({ name: match?.[1] ?? '', value: match?.[2] ?? '' }))
}

/** The commands of a workflow's steps in their order: `- run: COMMAND` and `- run: |` with a block of lines. */
export function commandsOf(workflow) {
  const step = /^( *)- run: (?:\|\n((?:\1 {4}.*\n?)+)|(.*))$/gm
  return [...workflow.matchAll(step)].map(([, indent = '', block, line]) =>
    block === undefined ? (line ?? '') : block.replaceAll(`${indent}    `, '').trim(),
  )
}
