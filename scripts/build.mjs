// Bundles the app: four CommonJS files for Node and Electron, and the renderer.
//   node scripts/build.mjs [main|preload|host|cli|renderer …] [--force]
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { runCommand } from './lib/command.mjs'
import {
  hashTree,
  makeTemporaryFolder,
  readJson,
  removeLeftovers,
  replaceFolder,
  writeJson,
} from './lib/files.mjs'
import { importMetaGlob } from './lib/import-meta-glob.mjs'
import { localCommand, root } from './lib/paths.mjs'

const dist = path.join(root, 'dist')
const nodeBundles = ['main', 'preload', 'host', 'cli']
export const bundles = [...nodeBundles, 'renderer']

/** Files that no bundle takes in. */
const skip = (name) => /\.md$|(^|\/)tsconfig\.json$/.test(name)

/** What the two kinds of bundles are made of; the lock file stands for the packages they take in. */
function inputHashes() {
  const common = [
    'package.json',
    'package-lock.json',
    'scripts/build.mjs',
    'scripts/lib',
    'tsconfig.base.json',
  ]
  return {
    node: hashTree(root, ['electron', ...common], skip),
    renderer: hashTree(root, ['renderer', 'electron/contract', 'vite.config.ts', ...common], skip),
  }
}

/** What the engine's parser reads at run time. */
const grammars = [
  'web-tree-sitter/web-tree-sitter.wasm',
  'tree-sitter-cuda/tree-sitter-cuda.wasm',
].map((file) => path.join(root, 'node_modules', file))

const stampOf = (name) => path.join(dist, `.${name}.json`)
const outputOf = (name) =>
  name === 'renderer' ? path.join(dist, 'renderer', 'index.html') : path.join(dist, `${name}.cjs`)

/** Bundles whose inputs changed since they were made. */
export function outdatedBundles(names = bundles) {
  const hashes = inputHashes()
  return names.filter((name) => {
    const expected = name === 'renderer' ? hashes.renderer : hashes.node
    return readJson(stampOf(name))?.inputs !== expected || !fs.existsSync(outputOf(name))
  })
}

async function buildForNode(names) {
  const { build } = await import('esbuild')
  const temporary = makeTemporaryFolder(path.join(dist, 'bundle'))
  /** @returns {import('esbuild').BuildOptions} */
  const options = (group) => ({
    absWorkingDir: root,
    entryPoints: group.map((name) => ({ in: `electron/${name}/index.ts`, out: name })),
    outdir: temporary,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    // jsonc-parser's main is UMD, which hides its requires from the bundler.
    mainFields: ['module', 'main'],
    format: 'cjs',
    // Electron 25, the oldest runtime the app supports, has Node 18.
    target: 'node18',
    external: ['electron'],
    sourcemap: 'linked',
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [importMetaGlob],
    // Without this, import.meta where nothing replaces it is undefined at run time.
    logOverride: { 'empty-import-meta': 'error' },
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const importMeta = {
    define: { ...options([]).define, 'import.meta.url': 'importMetaUrl' },
    inject: ['scripts/lib/import-meta-url.js'],
  }
  const full = names.filter((name) => name !== 'preload')
  if (full.length > 0) await build({ ...options(full), ...importMeta })
  // A sandboxed preload has no node:url, and nothing in it asks for import.meta.
  if (names.includes('preload')) await build(options(['preload']))
  const target = path.join(dist, 'grammars')
  fs.mkdirSync(target, { recursive: true })
  for (const file of grammars) fs.copyFileSync(file, path.join(target, path.basename(file)))
  for (const file of fs.readdirSync(temporary)) {
    fs.renameSync(path.join(temporary, file), path.join(dist, file))
  }
  fs.rmSync(temporary, { recursive: true, force: true })
}

async function buildRenderer() {
  const target = path.join(dist, 'renderer')
  removeLeftovers(target)
  const temporary = makeTemporaryFolder(target)
  await runCommand(
    [
      localCommand('vite'),
      'build',
      '--configLoader',
      'runner',
      '--logLevel',
      'warn',
      '--outDir',
      temporary,
    ],
    {
      cwd: root,
      timeoutSeconds: 600,
      env: { ...process.env, NO_COLOR: '1' },
    },
  )
  replaceFolder(temporary, target)
}

/** Makes what is out of date. @returns {Promise<string[]>} what was made */
export async function buildBundles(names = bundles, { force = false } = {}) {
  const wanted = force ? names : outdatedBundles(names)
  const hashes = inputHashes()
  fs.mkdirSync(dist, { recursive: true })
  removeLeftovers(path.join(dist, 'bundle'))
  const forNode = wanted.filter((name) => nodeBundles.includes(name))
  if (forNode.length > 0) {
    await buildForNode(forNode)
    for (const name of forNode) writeJson(stampOf(name), { inputs: hashes.node })
  }
  if (wanted.includes('renderer')) {
    await buildRenderer()
    writeJson(stampOf('renderer'), { inputs: hashes.renderer })
  }
  return wanted
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const given = process.argv.slice(2).filter((argument) => !argument.startsWith('-'))
  const unknown = given.filter((name) => !bundles.includes(name))
  if (unknown.length > 0) {
    console.error(`unknown bundle ${unknown.join(', ')}; there are ${bundles.join(', ')}`)
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
