import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { describeLibtorch, findLibtorchs } from './libtorch'
import type { Libtorch, LibtorchHints } from './libtorch'

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

/** Of a project of the user's: the folder itself, or an environment in it. */
const environmentsOf = (folder: string): string[] => [
  folder,
  path.join(folder, '.venv'),
  path.join(folder, 'venv'),
]

/** Where environments of Python usually are; not all of these folders exist. */
function environments(home: string): string[] {
  const conda = condaNames.map((name) => path.join(home, name)).concat('/opt/conda')
  const parents = ['.virtualenvs', '.venvs', 'venvs', '.local/share/virtualenvs', '.pyenv/versions']
  return [
    ...condaEnvironments(home),
    ...conda.flatMap((folder) => [folder, ...foldersIn(path.join(folder, 'envs'))]),
    ...parents.flatMap((name) => foldersIn(path.join(home, name))),
    ...environmentsOf(home),
    ...foldersIn(home).flatMap(environmentsOf),
    path.join(home, '.local'),
    '/usr/local',
    '/usr',
  ]
}

/** The torch of an environment, found without running its Python. */
export function torchFolders(environment: string): string[] {
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

/** Every libtorch of this machine, those first that findLibtorchs() prefers. */
export async function allLibtorchs(hints: LibtorchHints): Promise<Libtorch[]> {
  const all = [...(await findLibtorchs(hints)), ...libtorchsInUsualPlaces(os.homedir())]
  return all.filter(
    ({ identity }, index) => all.findIndex((one) => one.identity === identity) === index,
  )
}
