/** The virtual GPU's folders in the cache, and how large each may become. */
import fs from 'node:fs'
import path from 'node:path'

import { pruneFolder } from '../result-cache'

const megabyte = 2 ** 20

/** Bytes. Each entry of a folder is of one state of our sources, of a project or of a program. */
const limits = {
  devices: 64 * megabyte,
  prelude: 256 * megabyte,
  programs: 512 * megabyte,
  runtime: 64 * megabyte,
  sources: 64 * megabyte,
}

type GpuCacheFolder = keyof typeof limits

export const gpuCacheFolder = (cacheFolder: string, name: GpuCacheFolder): string =>
  path.join(cacheFolder, 'virtual-gpu', name)

/** Notes that an entry, which is a folder, is used now: what was used last is pruned last. */
export function touchEntry(entry: string): void {
  const now = new Date()
  try {
    fs.utimesSync(entry, now, now)
  } catch {
    // Another user's, or pruned a moment ago: whoever needs it makes it again.
  }
}

/** Deletes what was not used for the longest time, from each folder that is over its limit. */
export function pruneGpuCache(
  cacheFolder: string,
  names = Object.keys(limits) as GpuCacheFolder[],
): void {
  for (const name of names) pruneFolder(gpuCacheFolder(cacheFolder, name), limits[name])
}
