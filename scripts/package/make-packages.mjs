// All packages of this version, in release/.
import fs from 'node:fs'
import path from 'node:path'

import { buildBundles } from '../build.mjs'
import { findOnPath } from '../lib/command.mjs'
import { readJson, removeLeftovers } from '../lib/files.mjs'
import { root } from '../lib/paths.mjs'
import { refuse } from '../lib/refuse.mjs'
import { makeAppFolder } from './app-folder.mjs'
import { makeDeb, makeTar } from './archives.mjs'
import { makeCommandLine, nodeProblem } from './command-line.mjs'

/** Packages of an earlier run must not be taken for new ones. */
function removePackages(version) {
  const release = path.join(root, 'release')
  for (const name of fs.readdirSync(release))
    if (/\.(deb|tar\.gz)$/.test(name) && name.includes(version)) fs.rmSync(path.join(release, name))
}

/**
 * @param {(line: string) => void} say
 * @returns {Promise<string[]>} the files
 */
export async function makePackages(say) {
  if (process.platform !== 'linux') refuse('Packages are made on Linux only.')
  removeLeftovers(path.join(root, 'release', 'deb'))
  fs.mkdirSync(path.join(root, 'release'), { recursive: true })
  await buildBundles()
  const description = readJson(path.join(root, 'package.json'))
  removePackages(description.version)
  const app = await makeAppFolder(say)
  const files = [await makeTar(app, description)]
  if (findOnPath('dpkg-deb') === '')
    say('made no .deb, because dpkg-deb is not installed (apt-get install dpkg)')
  else files.push(await makeDeb(app, description))
  const problem = await nodeProblem()
  if (problem !== '')
    say(`did not make the archive that has only the command line, because ${problem}`)
  else files.push(await makeCommandLine(description))
  return files
}
