import fs from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { watch } from 'chokidar'

import { manifestFileName } from '../../contract/manifest'
import { deepest, isIgnoredName, isLinkedFolder, mostFiles } from './list-tree'
import { versionOfFile } from './files'
import { isManifestElsewhere, manifestFileOf } from './manifest-place'

/** Editors and compilers write in steps: a file is read when it has been as it is for so long, in milliseconds. */
const stillTime = 60
const lookAgainAfter = 20

/** What changes with every write to a file; undefined for what is no file. */
async function stateOf(file: string): Promise<string | undefined> {
  const stat = await fs.stat(file).catch(() => undefined)
  if (stat?.isFile() !== true) return undefined
  return [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(' ')
}

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
  const manifest = manifestFileOf(folder)
  const isElsewhere = isManifestElsewhere(folder, manifestFileName)
  /** As list-tree.ts lists them. chokidar asks many times of each. */
  const isWatched = (file: string): boolean => {
    if (watched.has(file)) return true
    if (watched.size >= mostFiles || isLinkedFolder(file)) return false
    watched.add(file)
    return true
  }
  // The kernel's clock for files runs a few milliseconds behind.
  const started = Date.now() - 20
  const watcher = watch(isElsewhere ? [folder, manifest] : folder, {
    ignoreInitial: true,
    depth: deepest,
    ignored: (file) =>
      file !== folder &&
      file !== manifest &&
      (isIgnoredName(path.basename(file)) || !isWatched(file)),
  })
  const relative = (file: string): string =>
    file === manifest ? manifestFileName : path.relative(folder, file).split(path.sep).join('/')
  let isClosed = false
  /** Files that are being looked at; true: an event came meanwhile. */
  const looks = new Map<string, boolean>()
  const reported = new Map<string, string>()

  const look = async (file: string): Promise<void> => {
    let state = await stateOf(file)
    let stillFor = 0
    while (state !== undefined && stillFor < stillTime && !isClosed) {
      await sleep(lookAgainAfter)
      const now = await stateOf(file)
      stillFor = now === state ? stillFor + lookAgainAfter : 0
      state = now
    }
    // What is gone has its own event; what is no file has no version.
    if (state === undefined || isClosed || reported.get(file) === state) return
    const version = await versionOfFile(file).catch(() => '')
    if (isClosed) return
    reported.set(file, state)
    onChange(relative(file), version)
  }
  /** Looks at a file until no event came during the look. */
  const changed = (file: string): void => {
    const isLookedAt = looks.has(file)
    looks.set(file, isLookedAt)
    if (isLookedAt) return
    void look(file).finally(() => {
      const hasNews = looks.get(file) === true
      looks.delete(file)
      if (hasNews && !isClosed) changed(file)
    })
  }
  watcher.on('add', changed)
  watcher.on('change', changed)
  // chokidar drops the event of a write that leaves the time of change as it was: one long write sets that
  // time when it begins, and a copy that keeps times sets it back.
  watcher.on('raw', (_event, _name, details) => {
    changed((details as { watchedPath: string }).watchedPath)
  })
  watcher.on('unlink', (file) => {
    watched.delete(file)
    reported.delete(file)
    onChange(relative(file), '')
  })
  // Between the start and the moment when every file is watched, nothing is told: what changed then is now.
  const catchUp = async (): Promise<void> => {
    for (const [within, names] of Object.entries(watcher.getWatched())) {
      for (const name of names) {
        const file = path.join(within, name)
        const stat = await fs.stat(file).catch(() => undefined)
        if (stat?.isFile() === true && stat.ctimeMs >= started) changed(file)
      }
    }
  }
  watcher.on('ready', () => void catchUp())
  // A watch that fails (too many files) costs the notice, not the editor: conflicts are still found on save.
  watcher.on('error', () => undefined)
  return {
    close: async () => {
      isClosed = true
      await watcher.close()
    },
  }
}
