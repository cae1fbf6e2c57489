// `npm run generate [-- --check]`: writes the files that are made from declarations in the sources, for
// example docs/reference/cli.md from the verbs. Each file of scripts/generators exports
//   file: the path of what it writes, relative to the clone
//   write(load): its text; load(FILE) gives the exports of a TypeScript file
//   needsAddon: true where the declarations are in C++; --check leaves the file to a native test
//   obstacle(): why the file cannot be written now, or ""
// With --check nothing is written, and the exit code is 1 where a file is stale.
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { writeWhole } from './lib/files.mjs'
import { loadTypeScript } from './lib/load-typescript.mjs'
import { root } from './lib/paths.mjs'

const isCheck = process.argv.includes('--check')
const loaded = new Map()
/** The exports of a TypeScript file of the clone; it is bundled once. */
function load(file) {
  if (!loaded.has(file)) loaded.set(file, loadTypeScript(file))
  return loaded.get(file)
}

/** @returns {Promise<{ file: string, text: string }[]>} what is not as the sources declare it */
async function staleFiles() {
  const folder = path.join(root, 'scripts', 'generators')
  const names = fs.readdirSync(folder).filter((name) => name.endsWith('.mjs'))
  const generators = await Promise.all(
    names.sort().map((name) => import(pathToFileURL(path.join(folder, name)).href)),
  )
  const files = await Promise.all(
    generators
      .filter(({ needsAddon, obstacle, file }) => {
        if (isCheck && needsAddon) return false
        const reason = obstacle?.() ?? ''
        if (reason !== '') console.log(`did not write ${file}: ${reason}`)
        return reason === ''
      })
      .map(async ({ file, write }) => ({ file, text: await write(load) })),
  )
  return files.filter(({ file, text }) => {
    const target = path.join(root, file)
    return !fs.existsSync(target) || fs.readFileSync(target, 'utf8') !== text
  })
}

const stale = await staleFiles()
for (const { file, text } of stale) {
  if (!isCheck) writeWhole(path.join(root, file), text)
  console.log(isCheck ? `${file} is stale: run npm run generate` : `wrote ${file}`)
}
if (stale.length === 0) console.log('up to date')
else if (isCheck) process.exitCode = 1
