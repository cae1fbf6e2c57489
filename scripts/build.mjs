// Bundles the app: four CommonJS files for Node and Electron, and the renderer.
//   node scripts/build.mjs [main|preload|host|cli|renderer …] [--force]
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { isUpToDate, stampBundle } from './lib/bundle-inputs.mjs'
import { runCommand } from './lib/command.mjs'
import { makeTemporaryFolder, readJson, removeLeftovers, replaceFolder } from './lib/files.mjs'
import { root } from './lib/paths.mjs'
import { noticesOf, packagesOf } from './lib/third-party.mjs'

const dist = path.join(root, 'dist')
export const bundles = ['main', 'preload', 'host', 'cli', 'renderer']

/** What the engine's parser reads at run time. */
const grammars = [
  'web-tree-sitter/web-tree-sitter.wasm',
  'tree-sitter-cuda/tree-sitter-cuda.wasm',
].map((file) => path.join(root, 'node_modules', file))

const stampOf = (name) => path.join(dist, `.${name}.json`)
const outputNames = { renderer: 'renderer/index.html', development: 'main.development.cjs' }
const outputName = (name) => outputNames[name] ?? `${name}.cjs`
/** Bundles that electron/start loads. */
const cachedBundles = ['main', 'cli']

/** Bundles whose inputs changed since they were made. */
export function outdatedBundles(names = bundles) {
  return names.filter(
    (name) => !fs.existsSync(path.join(dist, outputName(name))) || !isUpToDate(stampOf(name)),
  )
}

/** What starts the shells of terminals. */
const terminalBinary = path.join(
  root,
  'node_modules/@lydell',
  `node-pty-${process.platform}-${process.arch}`,
  'pty.node',
)

/** @returns {Promise<Map<string, string[]>>} the modules that each bundle is made of */
async function buildForNode(names) {
  // Not before npm's packages are installed.
  const { bundleForNode, bundleStart } = await import('./lib/node-bundle.mjs')
  const temporary = makeTemporaryFolder(path.join(dist, 'bundle'))
  const modules = await Promise.all(
    names.map(async (name) => {
      const outfile = path.join(temporary, outputName(name))
      if (!cachedBundles.includes(name)) return await bundleForNode(name, outfile)
      const bundle = path.join(temporary, `${name}.bundle.cjs`)
      const inputs = await bundleForNode(name, bundle, { isFunction: true })
      return [...inputs, ...(await bundleStart(bundle, outfile))]
    }),
  )
  const target = path.join(dist, 'grammars')
  fs.mkdirSync(target, { recursive: true })
  for (const file of grammars) fs.copyFileSync(file, path.join(target, path.basename(file)))
  // A window that is open has it loaded: its bytes must not change below it.
  const binary = path.join(temporary, path.basename(terminalBinary))
  if (fs.existsSync(terminalBinary)) fs.copyFileSync(terminalBinary, binary)
  for (const file of fs.readdirSync(temporary)) {
    fs.renameSync(path.join(temporary, file), path.join(dist, file))
  }
  fs.rmSync(temporary, { recursive: true, force: true })
  return new Map(names.map((name, index) => [name, modules[index]]))
}

/** @returns {Promise<string[]>} the modules that it is made of */
async function buildRenderer() {
  const target = path.join(dist, 'renderer')
  removeLeftovers(target)
  const temporary = makeTemporaryFolder(target)
  const { output } = await runCommand(
    [process.execPath, path.join(root, 'scripts', 'lib', 'bundle-renderer.mjs'), temporary],
    { cwd: root, timeoutSeconds: 600, env: { ...process.env, NO_COLOR: '1' } },
  )
  replaceFolder(temporary, target)
  return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '')
}

/** What a package compiles the native addon with. */
const addonHeaders = ['node-addon-api/napi.h', 'node-api-headers/include/node_api.h'].map((file) =>
  path.join(root, 'node_modules', file),
)

/** The folders in node_modules of the packages whose code is in the bundles, or is packed with them. */
export function bundledPackages() {
  const packages = bundles.flatMap((name) => readJson(stampOf(name))?.packages ?? [])
  const files = packagesOf([...grammars, ...addonHeaders, terminalBinary])
  return [...new Set([...packages, ...files])].sort()
}

/** Beside the bundles, and packed with them. */
function writeNotices() {
  fs.writeFileSync(path.join(dist, 'THIRD-PARTY-NOTICES.txt'), noticesOf(bundledPackages()))
}

/**
 * Makes what is out of date.
 * @param {string[]} names of `bundles`, or `development`: main as `npm run dev` starts it
 * @returns {Promise<string[]>} what was made
 */
export async function buildBundles(names = bundles, { force = false } = {}) {
  const wanted = force ? names : outdatedBundles(names)
  const started = Date.now()
  fs.mkdirSync(dist, { recursive: true })
  removeLeftovers(path.join(dist, 'bundle'))
  const forNode = wanted.filter((name) => name !== 'renderer')
  if (forNode.length > 0) {
    for (const [name, modules] of await buildForNode(forNode))
      stampBundle(stampOf(name), modules, started)
  }
  if (wanted.includes('renderer')) stampBundle(stampOf('renderer'), await buildRenderer(), started)
  if (wanted.length > 0) writeNotices()
  return wanted
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const given = process.argv.slice(2).filter((argument) => !argument.startsWith('-'))
  const unknown = given.filter((name) => !bundles.includes(name))
  if (unknown.length > 0) {
    console.error(`unknown bundle ${unknown.join(', ')}: the bundles are ${bundles.join(', ')}`)
    process.exit(2)
  }
  const started = performance.now()
  try {
    const made = await buildBundles(given.length > 0 ? given : bundles, {
      force: process.argv.includes('--force'),
    })
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(made.length > 0 ? `built ${made.join(', ')} in ${seconds} s` : 'up to date')
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
