import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { describeLibtorch, findLibtorchs } from '../toolchain/libtorch'
import type { Libtorch } from '../toolchain/libtorch'

/** Names below a folder; none where it cannot be read. */
function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder).sort()
  } catch {
    return []
  }
}

const foldersIn = (folder: string): string[] =>
  namesIn(folder).map((name) => path.join(folder, name))

/** Conda notes every environment that it makes. */
function condaEnvironments(home: string): string[] {
  try {
    const text = fs.readFileSync(path.join(home, '.conda', 'environments.txt'), 'utf8')
    return text.split('\n').filter((line) => path.isAbsolute(line))
  } catch {
    return []
  }
}

const condaNames = ['miniconda3', 'anaconda3', 'miniforge3', 'mambaforge', 'micromamba']

/** Where environments of Python usually are; not all of these folders exist. */
function environments(home: string): string[] {
  const conda = condaNames.map((name) => path.join(home, name)).concat('/opt/conda')
  const parents = ['.virtualenvs', '.venvs', 'venvs', '.local/share/virtualenvs', '.pyenv/versions']
  return [
    ...condaEnvironments(home),
    ...conda.flatMap((folder) => [folder, ...foldersIn(path.join(folder, 'envs'))]),
    ...parents.flatMap((name) => foldersIn(path.join(home, name))),
    // A project of the user's, with its environment.
    ...[home, ...foldersIn(home)].flatMap((folder) => [
      folder,
      path.join(folder, '.venv'),
      path.join(folder, 'venv'),
    ]),
    path.join(home, '.local'),
    '/usr/local',
    '/usr',
  ]
}

/** The torch of an environment, found without running its Python. */
function torchFolders(environment: string): string[] {
  const lib = path.join(environment, 'lib')
  return namesIn(lib)
    .filter((name) => /^python3(\.\d+)?$/.test(name))
    .flatMap((name) => [
      path.join(lib, name, 'site-packages', 'torch'),
      path.join(lib, name, 'dist-packages', 'torch'),
    ])
}

/** Every libtorch at the places where environments and unpacked archives usually are. */
export function libtorchsInUsualPlaces(home: string): Libtorch[] {
  const unpacked = [home, path.join(home, 'Downloads'), '/opt', '/usr/local', '/usr/lib']
  const places = [
    ...environments(home).flatMap((environment) =>
      torchFolders(environment).map((folder) => ({ folder, origin: environment })),
    ),
    ...unpacked.map((folder) => ({ folder: path.join(folder, 'libtorch'), origin: folder })),
  ]
  const found = places
    .map(({ folder, origin }) => describeLibtorch(folder, origin))
    .filter((libtorch) => libtorch !== undefined)
  return [...new Map(found.map((libtorch) => [libtorch.identity, libtorch])).values()]
}

export interface LibtorchSearch {
  /** Chosen in the settings; "" for none. */
  chosen: string
  /** The environment that set-up makes. */
  own: string
}

const newestFirst = (a: Libtorch, b: Libtorch): number =>
  b.version.localeCompare(a.version, 'en', { numeric: true })

/**
 * The libtorch to use: chosen, a Python's on PATH, $LIBTORCH, else the newest of the other environments of this
 * machine, else the one that set-up has installed.
 * @returns with it why others were refused
 */
export async function findLibtorch(
  search: LibtorchSearch,
): Promise<{ found: Libtorch | undefined; refused: string[] }> {
  const { chosen, own } = search
  const named = process.env['OPSMITH_LIBTORCH'] ?? ''
  const first = await findLibtorchs({ chosen: chosen === '' ? named : chosen, setup: '' })
  const others = libtorchsInUsualPlaces(os.homedir()).sort(newestFirst)
  const installed = torchFolders(own).map((folder) => describeLibtorch(folder, "set-up's own"))
  const all = [...first, ...others, ...installed].filter((libtorch) => libtorch !== undefined)
  return {
    found: all.find(({ judgement }) => judgement !== 'unusable'),
    refused: all
      .filter(({ judgement }) => judgement === 'unusable')
      .map(({ folder, version, why }) => `${folder} (libtorch ${version}) cannot be used: ${why}`),
  }
}
