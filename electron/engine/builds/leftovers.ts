import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

import type { Places } from '../places'
import { listTree } from '../project/list-tree'
import { endOrphans } from '../toolchain/process-tree'
import { hasOtherUsers, longAgo } from './cache-users'

/** Folders of the cache in which something is made under a temporary name; "." for the cache itself. */
const folders = [
  '.',
  'objects',
  'builds',
  'precompiled',
  'compile-server',
  'generated',
  'virtual-gpu/runtime',
  'virtual-gpu/devices',
]

/** Folders that are large, or not ours, and hold nothing that writeAtomically() writes. */
const withoutTexts = [
  ...folders,
  'addon-work',
  'addons',
  'electron',
  'chromium',
  'hosts',
  'include',
  'libtorch',
  'pip',
  'projects',
  // Workers on other machines write there.
  'runs',
  'virtual-gpu',
]

/** "tmp.PID-ID", "NAME.PID-ID", as temporaryBeside() makes them. */
const temporaryName = /\.(\d+)-[0-9a-f]{8}(\.d)?$/
/** ".NAME.opsmith-PID-ID" of writeAtomically(). In a project, a name that says less may be a user's. */
const halfWrittenName = /\.opsmith-(\d+)-[0-9a-f]{8}$/
/** "PID-GENERATION-ID" of op hosts, "WORD-PID-ID" of what they write for us. */
const hostName = /^(?:[a-z]+-)?(\d+)-/

/** Of proofs of exports, of compilers that are asked for code, of setup.py and of pytest, among the system's temporary files. */
const scratchName = /^opsmith-(?:abi|assembly|init|proof|pytest)-(\d+)-/

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Of file systems that other machines may write to: NFS, Lustre, GPFS, BeeGFS, Ceph, CIFS, SMB 2, FUSE. */
const sharedFileSystems = new Set([
  0x6969, 0x0bd00bd0, 0x47504653, 0x19830326, 0x00c36400, 0xff534d42, 0xfe534d42, 0x65735546,
])

/** A number of a process says nothing of processes of other machines and containers. */
async function mayBeOfAnotherMachine(file: string, isShared: boolean): Promise<boolean> {
  try {
    if (!isShared && !sharedFileSystems.has((await fs.statfs(file)).type)) return false
    return Date.now() - (await fs.lstat(file)).mtimeMs < longAgo
  } catch {
    // It is gone.
    return true
  }
}

interface Searched {
  /** Relative to the folder; what is directly in it otherwise. */
  names?: readonly string[]
  /** Other machines or containers write there too. */
  isShared?: boolean
}

async function removeOfTheDead(
  folder: string,
  pattern: RegExp,
  { names, isShared = false }: Searched = {},
): Promise<void> {
  for (const name of names ?? (await fs.readdir(folder).catch(() => []))) {
    const [, pid] = pattern.exec(name) ?? []
    if (pid === undefined || isAlive(Number(pid))) continue
    if (await mayBeOfAnotherMachine(path.join(folder, name), isShared)) continue
    await fs.rm(path.join(folder, name), { recursive: true, force: true }).catch(() => undefined)
  }
}

async function removeHalfWritten(place: string, isShared: boolean): Promise<void> {
  await removeOfTheDead(place, halfWrittenName, { isShared })
  for (const name of await fs.readdir(place).catch(() => [])) {
    if (withoutTexts.includes(name)) continue
    const folder = path.join(place, name)
    const names = await fs.readdir(folder, { recursive: true }).catch(() => [])
    await removeOfTheDead(folder, halfWrittenName, { names, isShared })
  }
}

/**
 * Ends processes and removes temporary files of windows and commands that were killed. Called at each start; nobody
 * waits for it.
 */
export async function removeLeftovers(installation: Places): Promise<void> {
  const { cacheFolder, configFolder, dataFolder, stateFolder } = installation
  await endOrphans()
  const isShared = hasOtherUsers(cacheFolder)
  for (const folder of folders) {
    await removeOfTheDead(path.join(cacheFolder, folder), temporaryName, { isShared })
  }
  for (const place of [cacheFolder, configFolder, dataFolder, stateFolder])
    await removeHalfWritten(place, isShared)
  await removeOfTheDead(path.join(cacheFolder, 'hosts'), hostName, { isShared })
  await removeOfTheDead(os.tmpdir(), scratchName)
}

/** Removes what saves that were cut short have left in a project's folder. */
export async function removeProjectLeftovers(
  folder: string,
  { cacheFolder }: Places,
): Promise<void> {
  const { hidden } = await listTree(folder)
  const isShared = hasOtherUsers(cacheFolder)
  await removeOfTheDead(folder, halfWrittenName, { names: hidden, isShared })
}
