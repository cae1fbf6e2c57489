// `npm run package`: release/opsmith_VERSION_amd64.deb and release/opsmith-VERSION-linux-x64.tar.gz.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { buildBundles } from './build.mjs'
import { findOnPath } from './lib/command.mjs'
import { readJson, removeLeftovers } from './lib/files.mjs'
import { root } from './lib/paths.mjs'
import { refuse } from './lib/refuse.mjs'
import { makeAppFolder } from './package/app-folder.mjs'
import { makeDeb, makeTar } from './package/archives.mjs'

const say = (line) => console.log(line)

function tell(file) {
  const bytes = fs.readFileSync(file)
  const size = (bytes.length / 1e6).toFixed(1)
  say(`${path.relative(root, file)}  ${size} MB`)
  say(`  sha256 ${createHash('sha256').update(bytes).digest('hex')}`)
}

if (process.platform !== 'linux') refuse('Packages are made on Linux only.')
removeLeftovers(path.join(root, 'release', 'deb'))
await buildBundles()
const description = readJson(path.join(root, 'package.json'))
const app = await makeAppFolder(say)
tell(await makeTar(app, description))
if (findOnPath('dpkg-deb') === '')
  say('made no .deb, because dpkg-deb is not installed (apt-get install dpkg)')
else tell(await makeDeb(app, description))
