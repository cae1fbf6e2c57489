import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import type { SandboxBound } from '../../contract/sandbox'
import type { WorkbenchError } from '../../contract/outcome'
import type { Installation } from '../installation'
import { launcherName } from '../toolchain/addon-location'

/** What the user has chosen for op hosts. */
export interface SandboxChoice {
  isOn: boolean
  /** Absolute; what is in them can be written, besides the project. */
  writableFolders: readonly string[]
}

/** The sandbox of one op host. */
export interface HostSandbox {
  isOn: boolean
  /** Absolute; what is in them can be written. */
  folders: readonly string[]
}

export function isSameSandbox(one: HostSandbox, other: HostSandbox): boolean {
  if (one.isOn !== other.isOn) return false
  return !one.isOn || one.folders.join('\0') === other.folders.join('\0')
}

/**
 * Where op hosts write, besides the project: each has a folder there, and files are there that they leave for us. In
 * the cache, or among temporary files where the cache cannot be written. A name begins with "PID-" or "WORD-PID-", so
 * that what a process leaves which is killed is found at the next start.
 */
export function hostsFolder({ cacheFolder }: Pick<Installation, 'cacheFolder'>): string {
  const folder = path.join(cacheFolder, 'hosts')
  try {
    fs.mkdirSync(folder, { recursive: true })
    fs.accessSync(folder, fs.constants.W_OK)
    return folder
  } catch {
    return os.tmpdir()
  }
}

/** NVIDIA's driver, where it is loaded. */
const driver = '/dev/nvidiactl'
/**
 * CUDA's driver keeps here what it has compiled for the machine's card; without it, each start compiles again. An op
 * host cannot make the folder itself.
 */
const driverCache = path.join(os.homedir(), '.nv')

function makeDriverCache(): void {
  if (!fs.existsSync(driver)) return
  try {
    fs.mkdirSync(driverCache, { recursive: true })
  } catch {
    // A home folder that cannot be written: the driver goes on without its cache.
  }
}

/** The words before an op host's own command: they close what it inherits and put it into the sandbox; [] without a launcher. */
export function launcherWords(
  installation: Pick<Installation, 'cacheFolder' | 'addonFolder'>,
  sandbox: HostSandbox,
): string[] {
  const launcher = path.join(installation.addonFolder, launcherName)
  if (!fs.existsSync(launcher)) return []
  const words = [launcher, '--channel']
  if (!sandbox.isOn) return words
  makeDriverCache()
  const folders = [hostsFolder(installation), driverCache, ...sandbox.folders]
  return [...words, '--sandbox', ...folders.flatMap((folder) => ['--write', folder])]
}

const refusals =
  /permission denied|operation not permitted|OS call failed|\bE(ACCES|PERM)\b|(cannot|can't|could not|couldn't|unable to|failed to) (open|create|write|save|remove|connect|bind|listen|kill|signal)/i

/** What to do where the words of a failure may come from the sandbox; "" elsewhere. */
export function sandboxAdvice(words: string, bounds: readonly SandboxBound[]): string {
  if (bounds.length === 0 || !refusals.test(words)) return ''
  const may = [
    ...(bounds.includes('files')
      ? ['can write only to the project, to its temporary folder and to the folders in Settings']
      : []),
    ...(bounds.includes('network') ? ['has no network access'] : []),
    ...(bounds.includes('signals') ? ['can send signals only to its own processes'] : []),
  ]
  return `Operators run in a sandbox, which may be the cause of the error. The process that runs operators ${may.join('; it ')}. To allow more, add a folder in Settings, "Sandbox", or turn the sandbox off in Settings (--no-sandbox on the command line).`
}

/** Adds to an operator's error what the sandbox may have to do with it. */
export function explainRefusal(
  error: WorkbenchError,
  bounds: readonly SandboxBound[],
): WorkbenchError {
  const advice = sandboxAdvice(`${error.message}\n${error.detail ?? ''}`, bounds)
  if (advice === '') return error
  return { ...error, hint: error.hint ? `${error.hint} ${advice}` : advice }
}
