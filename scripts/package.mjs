// `npm run package`: the packages of docs/package.md, in release/.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { root } from './lib/paths.mjs'
import { makePackages } from './package/make-packages.mjs'

const say = (line) => console.log(line)
for (const file of await makePackages(say)) {
  const bytes = fs.readFileSync(file)
  const size = (bytes.length / 1e6).toFixed(1)
  say(`${path.relative(root, file)}  ${size} MB`)
  say(`  sha256 ${createHash('sha256').update(bytes).digest('hex')}`)
}
