import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

import type { Installation } from '../installation'
import { endOrphans } from '../toolchain/process-tree'

/** Folders of the cache in which something is made under a temporary name; "." for the cache itself. */
const folders = ['.', 'objects', 'builds', 'precompiled', 'compile-server', 'generated']

/** "tmp.PID-ID", "NAME.PID-ID", as temporaryBeside() makes them. */
const temporaryName = /\.(\d+)-[0-9a-f]{8}(\.d)?$/
/** "PID-GENERATION-ID" of op hosts, "WORD-PID-ID" of what they write for us. */
const hostName = /^(?:[a-z]+-)?(\d+)-/

/** Of proofs of exports and of compilers that are asked for code, among the system's temporary files. */
const scratchName = /^opsmith-(?:abi|assembly|proof)-(\d+)-/

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function removeOfTheDead(folder: string, pattern: RegExp): Promise<void> {
  const names = await fs.readdir(folder).catch(() => [])
  for (const name of names) {
    const pid = Number(pattern.exec(name)?.[1] ?? process.pid)
    if (isAlive(pid)) continue
    await fs.rm(path.join(folder, name), { recursive: true, force: true }).catch(() => undefined)
  }
}

/**
 * Ends processes and removes temporary files of windows and commands that were killed. Called at each start; nobody
 * waits for it.
 */
export async function removeLeftovers({ cacheFolder }: Installation): Promise<void> {
  await endOrphans()
  for (const folder of folders) {
    await removeOfTheDead(path.join(cacheFolder, folder), temporaryName)
  }
  await removeOfTheDead(path.join(cacheFolder, 'hosts'), hostName)
  await removeOfTheDead(os.tmpdir(), scratchName)
}
