import fs from 'node:fs/promises'
import path from 'node:path'

import { watch } from 'chokidar'

import { deepest, isIgnoredName, isLinkedFolder, mostFiles } from './list-tree'
import { versionOf } from './files'

export interface ProjectWatcher {
  close(): Promise<void>
}

/**
 * Tells of files that changed on disk, ours and others' alike: who listens compares versions.
 * `version` is "" when the file is gone.
 */
export function watchProject(
  folder: string,
  onChange: (relative: string, version: string) => void,
): ProjectWatcher {
  const watched = new Set<string>()
  /** As list-tree.ts lists them. chokidar asks many times of each. */
  const isWatched = (file: string): boolean => {
    if (watched.has(file)) return true
    if (watched.size >= mostFiles || isLinkedFolder(file)) return false
    watched.add(file)
    return true
  }
  // The kernel's clock for files runs a few milliseconds behind.
  const started = Date.now() - 20
  const watcher = watch(folder, {
    ignoreInitial: true,
    depth: deepest,
    // Editors write in steps; a file is looked at when it has been still this long.
    awaitWriteFinish: { stabilityThreshold: 60, pollInterval: 20 },
    ignored: (file) => file !== folder && (isIgnoredName(path.basename(file)) || !isWatched(file)),
  })
  const relative = (file: string): string => path.relative(folder, file).split(path.sep).join('/')
  const report = (file: string): void => {
    fs.readFile(file).then(
      (bytes) => {
        onChange(relative(file), versionOf(bytes))
      },
      () => {
        onChange(relative(file), '')
      },
    )
  }
  watcher.on('add', report)
  watcher.on('change', report)
  watcher.on('unlink', (file) => {
    watched.delete(file)
    onChange(relative(file), '')
  })
  // Between the start and the moment when every file is watched, nothing is told: what changed then is now.
  const catchUp = async (): Promise<void> => {
    for (const [within, names] of Object.entries(watcher.getWatched())) {
      for (const name of names) {
        const file = path.join(within, name)
        const stat = await fs.stat(file).catch(() => undefined)
        if (stat?.isFile() === true && stat.ctimeMs >= started) report(file)
      }
    }
  }
  watcher.on('ready', () => void catchUp())
  // A watch that fails (too many files) costs the notice, not the editor: conflicts are still found on save.
  watcher.on('error', () => undefined)
  return {
    close: async () => {
      await watcher.close()
    },
  }
}
