// `npm run generate [-- --check]`: writes the files that are made from declarations in the sources, for
// example docs/reference/cli.md from the verbs. Each file of scripts/generators exports
//   file: the path of what it writes, relative to the clone
//   write(load): its text; load(FILE) gives the exports of a TypeScript file
// With --check nothing is written, and the exit code is 1 where a file is stale.
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { writeWhole } from './lib/files.mjs'
import { loadTypeScript } from './lib/load-typescript.mjs'
import { root } from './lib/paths.mjs'

const generators = path.join(root, 'scripts', 'generators')

/**
 * The generated files of a clone, whether they are written or not.
 * @returns {Promise<{ file: string, text: string, isStale: boolean }[]>} `file` relative to the clone
 */
export async function generatedFiles(base = root) {
  const loaded = new Map()
  const load = (name) => {
    if (!loaded.has(name)) loaded.set(name, loadTypeScript(name, base))
    return loaded.get(name)
  }
  const names = fs.readdirSync(generators).filter((name) => name.endsWith('.mjs'))
  return await Promise.all(
    names.sort().map(async (name) => {
      const { file, write } = await import(pathToFileURL(path.join(generators, name)).href)
      const text = await write(load)
      const target = path.join(base, file)
      const before = fs.existsSync(target) ? fs.readFileSync(target, 'utf8') : undefined
      return { file, text, isStale: text !== before }
    }),
  )
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const isCheck = process.argv.includes('--check')
  const stale = (await generatedFiles()).filter(({ isStale }) => isStale)
  for (const { file, text } of stale) {
    if (!isCheck) writeWhole(path.join(root, file), text)
    console.log(isCheck ? `${file} is stale: run npm run generate` : `wrote ${file}`)
  }
  if (stale.length === 0) console.log('up to date')
  else if (isCheck) process.exitCode = 1
}
