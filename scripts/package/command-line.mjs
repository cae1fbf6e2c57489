// The command line alone: for CI images, which have no display and none of Electron's libraries. It carries the Node
// that packs it. Distributions' Nodes are too old (18 in Debian 12 and Ubuntu 24.04), most images have none, and so
// every machine runs the Node that the tests ran.
import fs from 'node:fs'
import path from 'node:path'

import { ask } from '../lib/command.mjs'
import { makeTemporaryFolder, removeLeftovers } from '../lib/files.mjs'
import { loadTypeScript } from '../lib/load-typescript.mjs'
import { root } from '../lib/paths.mjs'
import { makeTar } from './archives.mjs'
import { setModes } from './shared-parts.mjs'

const commandScript = `#!/bin/sh
# The command line of Opsmith. Without PATH, the shell uses its own PATH and does not export it.
here=$(dirname "$(readlink -f "$0")")/..
export PATH
exec "$here/runtime/node" "$here/dist/cli.cjs" "$@"
`

/** Where Node's licence is: in its own archive, in images of it, in NodeSource's packages. */
function nodeLicense() {
  const folder = path.dirname(fs.realpathSync(process.execPath))
  const places = [path.join(folder, '../LICENSE'), path.join(folder, '../share/doc/nodejs/LICENSE')]
  return places.find((file) => fs.existsSync(file))
}

/** Why this Node cannot be packed; "" if it can. */
export async function nodeProblem() {
  const { commonLibraries } = await engineParts()
  const linked = ask(['ldd', process.execPath])
    .split('\n')
    .map((line) => path.basename(line.trim().split(/\s/)[0] ?? ''))
  const own = linked.filter((name) => name !== '' && !commonLibraries.test(name))
  if (own.length > 0)
    return `${process.execPath} needs ${own.join(', ')}, which other machines may not have: use a Node from nodejs.org`
  return nodeLicense() === undefined
    ? `the licence of ${process.execPath} was not found: use a Node from nodejs.org, which comes with its licence`
    : ''
}

/** The engine that goes to another machine has the same files. */
const engineParts = () => loadTypeScript('electron/engine/remote/engine-files.ts')

async function fill(folder) {
  const { addonHeaders, builtFolders, engineFiles, terminalBinary } = await engineParts()
  const names = [...engineFiles, ...addonHeaders]
  if (fs.existsSync(path.join(root, terminalBinary))) names.push(terminalBinary)
  for (const name of names)
    fs.cpSync(path.join(root, name), path.join(folder, name), {
      recursive: true,
      filter: (file) => !builtFolders.includes(path.basename(file)),
    })
  fs.renameSync(
    path.join(folder, 'dist', 'THIRD-PARTY-NOTICES.txt'),
    path.join(folder, 'THIRD-PARTY-NOTICES.txt'),
  )
  fs.mkdirSync(path.join(folder, 'runtime'))
  fs.copyFileSync(process.execPath, path.join(folder, 'runtime', 'node'))
  fs.copyFileSync(nodeLicense() ?? '', path.join(folder, 'LICENSE.node.txt'))
  fs.mkdirSync(path.join(folder, 'bin'))
  fs.writeFileSync(path.join(folder, 'bin', 'opsmith'), commandScript, { mode: 0o755 })
  setModes(folder)
}

/** @returns {Promise<string>} the tar.gz */
export async function makeCommandLine({ version }) {
  const target = path.join(root, 'release', 'command-line')
  removeLeftovers(target)
  const folder = makeTemporaryFolder(target)
  try {
    await fill(folder)
    return await makeTar(folder, { name: 'opsmith-cli', version })
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}
