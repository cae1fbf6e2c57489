// What the packages hold next to npm packages.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { ask } from '../lib/command.mjs'
import { hashTree, listFiles } from '../lib/files.mjs'
import { root } from '../lib/paths.mjs'
import { resolveElectron } from '../setup/electron-runtime.mjs'

const sha256 = (file) => createHash('sha256').update(fs.readFileSync(file)).digest('hex')

/** Electron with what it is made of, as it names it. */
function electronParts() {
  const electron = resolveElectron()
  if (!electron) throw new Error('Electron was not found: run npm run setup')
  const { executable } = electron
  const names = ask([executable, '-p', 'JSON.stringify(process.versions)'], {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
  })
  const versions = JSON.parse(names || '{}')
  const version = versions.electron ?? electron.version
  const chromium = /Chrome\/(\d+\.[\d.]+)/.exec(fs.readFileSync(executable, 'latin1'))?.[1] ?? 'unknown'
  const description = `in Electron ${version}`
  return [
    {
      type: 'framework',
      name: 'electron',
      version,
      license: 'MIT',
      purl: `pkg:github/electron/electron@v${version}`,
      sha256: sha256(executable),
    },
    { type: 'framework', name: 'chromium', version: chromium, license: 'BSD-3-Clause', description },
    { type: 'platform', name: 'node', version: versions.node ?? 'unknown', license: 'MIT', description },
  ]
}

/** Fonts come with monaco-editor, whose icons have a licence of their own. */
const fontLicenses = { codicon: 'CC-BY-4.0' }

function fontParts() {
  const folder = path.join(root, 'dist', 'renderer')
  const fonts = listFiles(folder).filter((name) => /\.(ttf|otf|woff2?)$/.test(name))
  return fonts.map((name) => {
    const family = path.basename(name).split(/[-.]/)[0] ?? ''
    const license = fontLicenses[family]
    if (license === undefined)
      throw new Error(
        `the licence of the font ${name} is not known: add it to fontLicenses in scripts/release/parts.mjs`,
      )
    return { type: 'file', name, version: '', license, sha256: sha256(path.join(folder, name)) }
  })
}

/** What set-up compiles on the user's machine, and what operators include. */
const sources = {
  'native/runtime': 'op host: calls, graphs, gradcheck, checks, timing, profile',
  'native/binding': 'op host: N-API',
  'native/operator_addon': 'loads a library of operators into Node',
  'native/launcher': 'starts op hosts in their sandbox',
  'native/compile_server': 'clang as a server',
  'native/virtual_gpu': 'runs CUDA kernels on the CPU',
  'native/gpu_check': 'self-test of a GPU',
  'native/include': 'headers for operators',
  'native/python': 'scripts that run in the Python of the user',
  kernels: 'reference kernels',
}

function nativeParts(version) {
  const folders = fs
    .readdirSync(path.join(root, 'native'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `native/${entry.name}`)
  const unknown = folders.filter((name) => sources[name] === undefined)
  if (unknown.length > 0)
    throw new Error(
      `"sources" in scripts/release/parts.mjs does not list ${unknown.join(', ')}: add it, with a description`,
    )
  return Object.entries(sources).map(([name, description]) => ({
    type: 'library',
    name: `opsmith/${name}`,
    version,
    license: 'MIT',
    description: `${description}; sources, hash ${hashTree(root, [name])}`,
  }))
}

/** @returns {import('./sbom.mjs').Part[]} */
export function bundledParts(version) {
  const table = {
    type: 'data',
    name: 'Opcodes',
    version: '',
    license: 'BSD-2-Clause',
    purl: 'pkg:github/Maratyszcza/Opcodes',
    description: 'meanings of x86 instructions',
  }
  return /** @type {any[]} */ ([
    ...electronParts(),
    ...fontParts(),
    ...nativeParts(version),
    table,
  ])
}
