// How one bundle for Node and Electron is made.
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

import { build } from 'esbuild'

import { hashOf } from './files.mjs'
import { importMetaGlob } from './import-meta-glob.mjs'
import { root } from './paths.mjs'

/** node-pty's binary lies next to the bundle (scripts/build.mjs copies it), which no package is packed with. */
const terminalBinary = {
  name: 'terminal-binary',
  setup: ({ onLoad }) => {
    onLoad({ filter: /node-pty[\\/]requireBinary\.js$/ }, () => ({
      contents: `const path = require('node:path')
exports.requireBinary = (file) => require(path.join(__dirname.replace(/app\\.asar(?=[\\\\/])/, 'app.asar.unpacked'), file))`,
      loader: 'js',
    }))
  },
}

/** zod has its messages in fifty languages, and every process would parse them at its start. We use the English ones. */
const zodInEnglish = {
  name: 'zod-in-english',
  setup: ({ onLoad }) => {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
      loader: 'js',
    }))
  },
}

/** electron/start runs bundles as scripts, which cannot import(): the imports of the parser are made static. */
const parserWithoutImports = {
  name: 'parser-without-imports',
  setup: ({ onLoad }) => {
    onLoad({ filter: /web-tree-sitter[\\/]web-tree-sitter\.js$/ }, ({ path: file }) => ({
      contents: `import * as nodeFiles from 'node:fs/promises'
import * as nodeModules from 'node:module'
${fs
  .readFileSync(file, 'utf8')
  .replaceAll('await import("fs/promises")', 'nodeFiles')
  .replaceAll('await import("module")', 'nodeModules')}`,
      loader: 'js',
    }))
  },
}

/**
 * Node's modules, each required once. Without this, every file that imports one copies all its functions into an object
 * of its own: ten thousands of them at each start.
 */
const builtinsOnce = {
  name: 'builtins-once',
  setup: ({ onResolve, onLoad }) => {
    const namespace = 'builtin'
    onResolve({ filter: /^node:/ }, ({ path: name, kind, namespace: from }) =>
      kind === 'import-statement' && from !== namespace ? { path: name, namespace } : undefined,
    )
    onLoad({ filter: /^node:/, namespace }, ({ path: name }) => {
      const exported = Object.keys(createRequire(import.meta.url)(name)).filter((one) =>
        /^[A-Za-z]\w*$/.test(one),
      )
      const lines = exported.map(
        (one) =>
          `const _${one} = /* @__PURE__ */ (() => builtin.${one})()\nexport { _${one} as ${one} }`,
      )
      return {
        contents: `const builtin = require(${JSON.stringify(name)})\nexport default builtin\n${lines.join('\n')}`,
        loader: 'js',
      }
    })
  },
}

/** The modules that a bundle is made of: whatever its entry leads to. @param {import('esbuild').Metafile} metafile */
function inputsOf(entry, metafile) {
  const found = new Set([entry])
  for (const file of found)
    for (const imported of metafile.inputs[file]?.imports ?? []) found.add(imported.path)
  return [...found]
}

/** What all bundles for Node and Electron have in common. @satisfies {import('esbuild').BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  // Electron 25, the oldest runtime the app supports, has Node 18.
  target: 'node18',
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
}

/** The function that Node makes of a module: electron/start reads the text and compiles it as it is. */
const asFunction = {
  banner: { js: '(function(exports,require,module,__filename,__dirname){' },
  footer: { js: '})' },
}

/**
 * Writes what is not ASCII as escapes; esbuild leaves it in regular expressions. One letter outside of Latin 1 makes
 * V8 keep the whole text with two bytes a letter. The source map does not know of the escapes: behind one it is a few
 * columns off.
 */
function writeInAscii(file) {
  const text = fs.readFileSync(file, 'utf8')
  const escape = (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  fs.writeFileSync(file, text.replaceAll(/[^\0-\x7f]/g, escape))
}

/**
 * Bundles one process of the app.
 * @param {string} name its folder in electron/; or `development`: main as `npm run dev` starts it
 * @param {string} outfile where the bundle goes, with its source map
 * @param {{ isFunction?: boolean }} options isFunction: electron/start runs it
 * @returns {Promise<string[]>} the files of the clone that it was made of
 */
export async function bundleForNode(name, outfile, { isFunction = false } = {}) {
  const entry = `electron/${name === 'development' ? 'main' : name}/index.ts`
  const mode = name === 'development' ? 'development' : 'production'
  // A sandboxed preload has no node:url, and nothing in it asks for import.meta.
  const hasImportMeta = name !== 'preload'
  const { metafile } = await build({
    ...common,
    entryPoints: [entry],
    outfile,
    // Every start reads its bundle: without comments and blanks there is less to read. Names stay, for stack traces.
    minifyWhitespace: name !== 'development',
    // jsonc-parser's main is UMD, which hides its requires from the bundler.
    mainFields: ['module', 'main'],
    external: ['electron'],
    sourcemap: 'linked',
    plugins: [builtinsOnce, importMetaGlob, terminalBinary, zodInEnglish, parserWithoutImports],
    // Without this, import.meta where nothing replaces it is undefined at run time.
    logOverride: { 'empty-import-meta': 'error' },
    define: {
      'process.env.NODE_ENV': JSON.stringify(mode),
      ...(hasImportMeta ? { 'import.meta.url': 'importMetaUrl' } : {}),
    },
    inject: hasImportMeta ? ['scripts/lib/import-meta-url.js'] : [],
    ...(isFunction ? asFunction : {}),
  })
  if (name !== 'development') writeInAscii(outfile)
  return inputsOf(entry, metafile)
}

/** The file that starts a bundle, with compiled code from the user's cache folder. @returns {Promise<string[]>} as above */
export async function bundleStart(bundle, outfile) {
  const entry = 'electron/start/index.ts'
  const code = fs.readFileSync(bundle, 'utf8')
  const [imports] = /.{0,80}[^\w.]import\(.{0,80}/.exec(code) ?? []
  if (imports !== undefined)
    throw new Error(
      `${bundle} must not call import() at run time, but contains: ${imports.trim()}. Write a static import instead.`,
    )
  const { metafile } = await build({
    ...common,
    entryPoints: [entry],
    outfile,
    define: {
      bundleName: JSON.stringify(path.basename(bundle)),
      bundleHash: JSON.stringify(hashOf({ files: [bundle] })),
    },
  })
  return inputsOf(entry, metafile)
}
