import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** What the window runs in. */
export interface Runtime {
  version: string
  /** The version that Opsmith is made for. */
  named: string
}

/** Where the parts of this Opsmith are; everything the engine reads besides projects and tools. */
export interface Installation {
  /** The folder with native/, kernels/, samples/ and dist/. */
  root: string
  /** Bundled op host, which StartHost starts as a process. */
  hostEntry: string
  /** Folder with opsmith_native.node and operator_addon.node. */
  addonFolder: string
  /** Headers that user sources compile against; first on the include path. */
  includeFolder: string
  kernelsInclude: string
  samplesFolder: string
  templatesFolder: string
  /** The one folder outside projects that Opsmith writes to. */
  cacheFolder: string
  /** A Node whose allocator a preloaded library can replace; "" where none was found. */
  plainNode: string
  /** Absent on the command line. */
  runtime?: Runtime
}

export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const base = environment['XDG_CACHE_HOME']
  return path.join(
    base && path.isAbsolute(base) ? base : path.join(os.homedir(), '.cache'),
    'opsmith',
  )
}

interface SetupEnvironment {
  libtorch?: string
  python?: string
  compiler?: string
  addon?: string
}

/** What set-up found, as it left it in .setup/environment.json; empty when set-up has not run. */
export function readSetupEnvironment(root: string): SetupEnvironment {
  try {
    const text = fs.readFileSync(path.join(root, '.setup', 'environment.json'), 'utf8')
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

/**
 * In a package main runs from an archive, app.asar. What compilers and op hosts read lies as files in the folder beside
 * it, under the same names.
 */
function unpacked(folder: string): string {
  return path.basename(folder) === 'app.asar' ? `${folder}.unpacked` : folder
}

/** @param dist the folder of the running bundle: dist/main.cjs, dist/cli.cjs */
export function findInstallation(dist: string): Installation {
  const root = unpacked(path.resolve(dist, '..'))
  const addon = process.env['OPSMITH_ADDON'] ?? readSetupEnvironment(root).addon ?? ''
  return {
    root,
    hostEntry: path.join(root, 'dist', 'host.cjs'),
    addonFolder: addon,
    includeFolder: path.join(root, 'native', 'include'),
    kernelsInclude: path.join(root, 'kernels', 'include'),
    samplesFolder: path.join(root, 'samples'),
    templatesFolder: path.join(root, 'templates'),
    cacheFolder: cacheFolder(),
    plainNode: process.execPath,
  }
}
