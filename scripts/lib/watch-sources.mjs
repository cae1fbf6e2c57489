import path from 'node:path'

import { buildBundles } from '../build.mjs'
import { root } from './paths.mjs'

/** Milliseconds after an edit: an editor that saves all its files makes one build. */
const settling = 100

/**
 * Builds bundles after each edit of what they are made of, one build at a time.
 * @param {string[]} folders of the clone, to watch
 * @param {string[]} bundles as of buildBundles
 * @param {(made: string[]) => Promise<void> | void} onBuilt called after a build that made some; the next one waits
 *   for it. Errors of sources are printed, and the next edit is waited for.
 * @returns {Promise<() => Promise<void>>} ends it
 */
export async function watchSources(folders, bundles, onBuilt) {
  let edited = false
  let building = false
  let ended = false
  const build = async () => {
    if (building) return
    building = true
    while (edited && !ended) {
      edited = false
      try {
        const made = await buildBundles(bundles)
        if (made.length > 0 && !ended) await onBuilt(made)
      } catch (error) {
        // esbuild prints what is wrong itself.
        if (!Array.isArray(error.errors)) console.error(error.message)
      }
    }
    building = false
  }
  const { watch } = await import('chokidar')
  const watcher = watch(
    folders.map((folder) => path.join(root, folder)),
    { ignoreInitial: true },
  )
  let timer
  watcher.on('all', () => {
    edited = true
    clearTimeout(timer)
    timer = setTimeout(() => void build(), settling)
  })
  return async () => {
    ended = true
    clearTimeout(timer)
    await watcher.close()
  }
}
