// `npm run release -- X.Y.Z`: sets the version and makes what is published with its tag, in release/X.Y.Z. A second run
// at the same commit makes the same again. It commits, tags and pushes nothing: it prints the commands.
import fs from 'node:fs'
import path from 'node:path'

import { root } from './lib/paths.mjs'
import { refuse } from './lib/refuse.mjs'
import { gitCommands, releaseProblems, setVersion } from './release/checks.mjs'

const [version = '', ...rest] = process.argv.slice(2)
if (version === '' || rest.length > 0) refuse('usage: npm run release -- X.Y.Z')
const problems = await releaseProblems(root, version).catch((error) => [error.message])
if (problems.length > 0) refuse(problems.join('\n'))
setVersion(root, version)
// Not before the checks: these need npm's packages.
const { makePackages } = await import('./package/make-packages.mjs')
const { makeReleaseFolder } = await import('./release/artefacts.mjs')
const packages = await makePackages((line) => console.log(line))
if (packages.length < 3)
  refuse('Not all three files of a release could be made. The lines above say why.')
const folder = makeReleaseFolder(version, packages)
for (const name of fs.readdirSync(folder)) {
  const size = (fs.statSync(path.join(folder, name)).size / 1e6).toFixed(1)
  console.log(`${path.join(path.relative(root, folder), name)}  ${size} MB`)
}
const commands = await gitCommands(root, version)
console.log(`\nNext:\n${commands.map((command) => `  ${command}`).join('\n')}`)
