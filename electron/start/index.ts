import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { Script } from 'node:vm'

import { findPlaces } from '../engine/places'
import { setWasmFlags } from '../engine/language/syntax/wasm-flags'

/** The bundle, "cli.bundle.cjs", and a hash of its bytes; the build writes both here. */
declare const bundleName: string
declare const bundleHash: string

/** Files of compiled code that are kept: a clone and a package have their own, and so has each version. */
const mostKept = 8
/** Milliseconds after which the app has called most of the functions that a start needs. */
const settled = 5_000

const folder = path.join(findPlaces().cacheFolder, 'code')
const codeFile = path.join(
  folder,
  `${bundleName}-${bundleHash}-${process.versions.v8}-${process.arch}.bin`,
)

function compiledCode(): Buffer | undefined {
  try {
    return fs.readFileSync(codeFile)
  } catch {
    return undefined
  }
}

/** Without a place to write, the next start compiles as this one did. */
function keepCode(script: Script): void {
  try {
    fs.mkdirSync(folder, { recursive: true })
    const written = `${codeFile}.${process.pid}`
    fs.writeFileSync(written, script.createCachedData())
    fs.renameSync(written, codeFile)
    const files = fs.readdirSync(folder).map((name) => path.join(folder, name))
    const newestFirst = files
      .map((file) => ({ file, time: fs.statSync(file).mtimeMs }))
      .sort((a, b) => b.time - a.time)
    for (const { file } of newestFirst.slice(mostKept)) fs.rmSync(file, { force: true })
  } catch {
    // It is a cache.
  }
}

/**
 * Runs the bundle as Node would: V8 takes its functions from the cache, or compiles those that are called.
 * @param file the function of a module, in ASCII (scripts/lib/node-bundle.mjs): as Latin 1, V8 takes its text as it is
 */
function runBundle(file: string): void {
  setWasmFlags()
  const cachedData = compiledCode()
  const source = fs.readFileSync(file, 'latin1')
  const script = new Script(source, { filename: file, ...(cachedData ? { cachedData } : {}) })
  if (cachedData === undefined || script.cachedDataRejected === true) {
    // By then the functions that a start needs are compiled, and go into the cache.
    let isKept = false
    const keep = (): void => {
      if (!isKept) keepCode(script)
      isKept = true
    }
    process.once('exit', keep)
    setTimeout(keep, settled).unref()
  }
  const run = script.runInThisContext() as (...words: unknown[]) => void
  const made = { exports: {} }
  run.call(made.exports, made.exports, createRequire(file), made, file, path.dirname(file))
}

runBundle(path.join(__dirname, bundleName))
