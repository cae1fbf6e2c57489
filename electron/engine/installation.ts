import fs from 'node:fs'
import path from 'node:path'

import { findPlaces } from './places'
import type { Places } from './places'

/** What the window runs in. */
export interface Runtime {
  version: string
  /** The version that Opsmith is made for. */
  named: string
}

/** Where the parts of this Opsmith are; everything the engine reads besides projects and tools. */
export interface Installation extends Places {
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
  /** A Node whose allocator a preloaded library can replace, which Electron's cannot; "" where none was found. */
  plainNode: string
  /** Absent on the command line. */
  runtime?: Runtime
}

interface SetupEnvironment {
  libtorch?: string
  python?: string
  compiler?: string
  addon?: string
}

/** Whether this is a clone of the repository, not a package. */
export function isClone(root: string): boolean {
  return fs.existsSync(path.join(root, 'scripts', 'setup.mjs'))
}

/**
 * The command that sets up this Opsmith, for messages: a package has no npm.
 * @param libtorch the libtorch that it is to be set up for; "" for any
 */
export function setupCommand(root: string, libtorch = ''): string {
  const words = libtorch === '' ? '' : ` --libtorch ${libtorch}`
  if (!isClone(root)) return `opsmith setup${words}`
  return words === '' ? 'npm run setup' : `npm run setup --${words}`
}

/** The words that start the command line of this Opsmith, also on a node that shares its files. */
export function ownCommand({ hostEntry }: Pick<Installation, 'hostEntry'>): string[] {
  const program = path.join(path.dirname(hostEntry), 'cli.cjs')
  return ['env', 'ELECTRON_RUN_AS_NODE=1', process.execPath, program]
}

/** The version of Opsmith. */
export function ownVersion(root: string): string {
  try {
    const text = fs.readFileSync(path.join(root, 'package.json'), 'utf8')
    return /"version": *"([\w.-]+)"/.exec(text)?.[1] ?? 'unknown'
  } catch {
    return 'unknown'
  }
}

/**
 * Where set-up notes what it found: in the clone, or in the cache folder, apart for each version of a package.
 */
export function setupEnvironmentFile(root: string, cache = findPlaces().cacheFolder): string {
  const name = 'environment.json'
  return isClone(root)
    ? path.join(root, '.setup', name)
    : path.join(cache, 'setup', ownVersion(root), name)
}

/** What set-up found; empty when set-up has not run. */
export function readSetupEnvironment(
  root: string,
  cache = findPlaces().cacheFolder,
): SetupEnvironment {
  try {
    const text = fs.readFileSync(setupEnvironmentFile(root, cache), 'utf8')
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
    ...findPlaces(),
    // In a package the command line is run by Electron.
    plainNode: /^node(js)?$/.test(path.basename(process.execPath)) ? process.execPath : '',
  }
}
