import fs from 'node:fs'
import path from 'node:path'

import { probeLimits, runProcess } from './run-command'

export interface PythonTorch {
  python: string
  version: string
  /** "" when this Python has no torch. */
  torchFolder: string
}

/** Prints its version, the folder of its torch, and where it looks for modules. */
const findTorch = [
  'import importlib.util, json, os, site, sys',
  "spec = importlib.util.find_spec('torch')",
  "print('%d.%d.%d' % sys.version_info[:3])",
  "print(list(spec.submodule_search_locations)[0] if spec and spec.submodule_search_locations else '')",
  // Packages can be installed into folders that do not exist yet.
  "packages = getattr(site, 'getsitepackages', list)() + [getattr(site, 'getusersitepackages', str)()]",
  "folders = [folder for folder in dict.fromkeys(sys.path + packages) if folder != '']",
  "settings = os.path.join(sys.prefix, 'pyvenv.cfg')",
  'print(json.dumps([os.path.realpath(sys.executable), settings, *folders]))',
].join('\n')

interface Answer {
  torch: PythonTorch
  /** The executable, and the files and folders that its answer depends on. */
  places: string[]
  /** What these places were like when it answered. */
  stamp: string
}

/** By executable. */
const known = new Map<string, Answer>()

const variables = [
  'HOME',
  'PATH',
  'PYTHONHOME',
  'PYTHONNOUSERSITE',
  'PYTHONPATH',
  'PYTHONUSERBASE',
  'VIRTUAL_ENV',
]
/** Milliseconds. A place that changed so shortly before the question may have changed during it. */
const unsettled = 2_000

/** 0 for what does not exist or may not be read. */
function changedAt(place: string): { time: number; inode: number } {
  try {
    const { mtimeMs, ino } = fs.statSync(place)
    return { time: mtimeMs, inode: ino }
  } catch {
    return { time: 0, inode: 0 }
  }
}

const stampOf = (places: readonly string[]): string =>
  [
    ...places.map((place) => JSON.stringify([place, changedAt(place)])),
    ...variables.map((name) => process.env[name] ?? ''),
  ].join('\n')

/**
 * Which torch a Python would import, found without importing it. It is asked again after an installation: that changes
 * one of the folders in which it looks for modules.
 */
export async function askPython(python: string): Promise<PythonTorch | undefined> {
  const before = known.get(python)
  if (before && before.stamp === stampOf(before.places)) return before.torch
  const started = Date.now()
  // One that is late on a busy machine is a Python all the same.
  const limits = { ...probeLimits, seconds: 60 }
  // A list of what is here may be made again after any build: what was asked for comes first.
  const result = await runProcess(python, ['-c', findTorch], { limits, isBackground: true })
  if (result.exitCode !== 0) return undefined
  const lines = result.stdout.split('\n').map((line) => line.trim())
  const [version = '', torchFolder = '', listed = ''] = lines
  const torch = { python, version, torchFolder }
  const places = placesOf(python, listed)
  if (places?.every((place) => changedAt(place).time < started - unsettled)) {
    known.set(python, { torch, places, stamp: stampOf(places) })
  }
  return torch
}

/** @returns nothing for a script that chooses a Python by what else is on the machine, such as pyenv's */
function placesOf(python: string, listed: string): string[] | undefined {
  try {
    const places: unknown = JSON.parse(listed)
    if (!Array.isArray(places) || places[0] !== fs.realpathSync(python)) return undefined
    return [path.resolve(python), ...places.map(String)]
  } catch {
    return undefined
  }
}
