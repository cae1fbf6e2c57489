import { runProcess } from '../toolchain/run-command'
import { findCompilers } from '../toolchain/compilers'
import { findOnPath } from '../toolchain/find-on-path'

/** What set-up needs of the system; the packages that have it, by the name of the package manager. */
interface Need {
  name: string
  isThere: () => Promise<boolean> | boolean
  /** For apt-get: the first that its lists have is installed. */
  apt: readonly string[]
  dnf: string
  pacman: string
}

const needs: readonly Need[] = [
  {
    name: 'a C++20 compiler (clang 16 or newer, or g++ 11 or newer)',
    isThere: async () => (await findCompilers()).some(({ judgement }) => judgement !== 'unusable'),
    apt: ['clang-19', 'clang-18', 'clang-17', 'clang-16', 'g++'],
    dnf: 'clang',
    pacman: 'clang',
  },
  {
    name: 'CMake',
    isThere: () => findOnPath('cmake') !== undefined,
    apt: ['cmake'],
    dnf: 'cmake',
    pacman: 'cmake',
  },
  {
    name: 'ninja',
    isThere: () => findOnPath('ninja') !== undefined || findOnPath('make') !== undefined,
    apt: ['ninja-build'],
    dnf: 'ninja-build',
    pacman: 'ninja',
  },
]

const pythonNeed: Need = {
  name: 'Python 3 with venv (to install torch)',
  isThere: async () => {
    const asked = await runProcess('python3', ['-c', 'import venv, ensurepip'])
    return asked.exitCode === 0
  },
  apt: ['python3-venv'],
  dnf: 'python3-pip',
  pacman: 'python',
}

const managers = {
  apt: ['apt-get', 'install', '-y'],
  dnf: ['dnf', 'install', '-y'],
  pacman: ['pacman', '-S', '--needed'],
} as const

type Manager = keyof typeof managers

function findManager(): Manager | undefined {
  const names: readonly Manager[] = ['apt', 'dnf', 'pacman']
  return names.find((name) => findOnPath(managers[name][0]) !== undefined)
}

/** The first package that the lists of apt have; the last of the names where they have none. */
async function aptPackage(names: readonly string[]): Promise<string> {
  const { stdout } = await runProcess('apt-cache', ['policy', ...names])
  const known = names.find((name) => {
    const entry = stdout.split(/^(?=\S)/m).find((part) => part.startsWith(`${name}:`))
    return /Candidate: (?!\(none\))/.test(entry ?? '')
  })
  return known ?? names.at(-1) ?? ''
}

/** The command that installs what is missing, as a user with root's rights types it; "" where no manager is known. */
async function installCommand(missing: readonly Need[]): Promise<string> {
  const manager = findManager()
  if (manager === undefined) return ''
  const packages = await Promise.all(
    missing.map(async (need) => (manager === 'apt' ? await aptPackage(need.apt) : need[manager])),
  )
  const sudo = process.getuid?.() === 0 ? [] : ['sudo']
  return [...sudo, ...managers[manager], ...packages].join(' ')
}

/**
 * What set-up cannot go on without, and how to get it.
 * @param installsTorch set-up makes an environment of Python
 */
export async function missingNeeds(
  installsTorch: boolean,
): Promise<{ names: string[]; command: string }> {
  const wanted = installsTorch ? [...needs, pythonNeed] : needs
  const isThere = await Promise.all(wanted.map(async (need) => await need.isThere()))
  const missing = wanted.filter((_, index) => !isThere[index])
  return {
    names: missing.map(({ name }) => name),
    command: missing.length === 0 ? '' : await installCommand(missing),
  }
}
