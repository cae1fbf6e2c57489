// Which bundles are out of date: each is stamped with the files that its bundler read, so that no folder can be
// forgotten in a list.
import fs from 'node:fs'
import path from 'node:path'

import { hashOf, hashTree, listFiles, readJson, writeJson } from './files.mjs'
import { root } from './paths.mjs'
import { packagesOf } from './third-party.mjs'

/** What decides how all bundles are made; the lock file covers the packages that they contain. */
const common = [
  'package.json',
  'package-lock.json',
  'scripts/build.mjs',
  'scripts/lib',
  'tsconfig.base.json',
  'vite.config.ts',
]

/**
 * The files of the clone among those that a bundler names, sorted, relative to the clone.
 * @param {Iterable<string>} names absolute, or relative to the clone; of modules, which may have a query
 */
function filesOfClone(names) {
  const files = new Set()
  for (const name of names) {
    const [plain = ''] = name.split('?')
    // Modules that the bundler makes up have a zero byte in their name.
    if (plain.includes('\0') || /(^|[\\/])node_modules[\\/]/.test(plain)) continue
    const file = path.resolve(root, plain)
    if (fs.existsSync(file) && fs.statSync(file).isFile()) files.add(path.relative(root, file))
  }
  return [...files].sort()
}

/** Documentation is in no bundle, except for the pages of docs that the window shows. */
const isPage = (name) => name.endsWith('.md')

/**
 * All names in the folders that the files come from, two levels below the clone at most: a new file may be
 * found by a glob, or by an import before the file that was found until now.
 */
function namesAround(files) {
  const folders = new Set(
    files.map((file) => path.dirname(file).split(path.sep).slice(0, 2).join(path.sep)),
  )
  return [...folders].flatMap((folder) => {
    const hasPages = files.some((file) => isPage(file) && path.dirname(file) === folder)
    const found = hasPages
      ? fs.readdirSync(path.join(root, folder)).filter(isPage)
      : listFiles(path.join(root, folder), isPage)
    return found.map((name) => path.join(folder, name))
  })
}

function hashOfInputs(files) {
  const present = files.filter((file) => fs.existsSync(path.join(root, file)))
  const names = namesAround(files)
  // What bundlers read without a module for it: tsconfig.json, a style sheet that another imports.
  const others = names.filter((name) => !/\.tsx?$/.test(name) && !present.includes(name))
  return hashOf({
    texts: [hashTree(root, common, isPage), ...present, ...names],
    files: [...present, ...others].map((file) => path.join(root, file)),
  })
}

/** Whether a bundle was made of what is there now. @param {string} stamp the file that stampBundle wrote */
export function isUpToDate(stamp) {
  const made = readJson(stamp)
  return (
    Array.isArray(made?.files) &&
    Array.isArray(made.packages) &&
    made.hash === hashOfInputs(made.files)
  )
}

/**
 * Notes what a bundle was made of. A file that changed after `started` may have been read before: the bundle
 * counts as out of date then.
 * @param {string} stamp where to note it
 * @param {string[]} modules as the bundler names them
 * @param {number} started milliseconds, as from Date.now()
 */
export function stampBundle(stamp, modules, started) {
  const files = filesOfClone(modules)
  const changed = files.some((file) => {
    const stat = fs.statSync(path.join(root, file), { throwIfNoEntry: false })
    return !stat || stat.mtimeMs >= started
  })
  const hash = changed ? '' : hashOfInputs(files)
  writeJson(stamp, { hash, files, packages: packagesOf(modules) })
}
