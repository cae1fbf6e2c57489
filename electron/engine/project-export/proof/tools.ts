import fs from 'node:fs'
import path from 'node:path'

import { launcherName } from '../../toolchain/addon-location'
import { readSetupEnvironment } from '../../installation'
import type { Installation } from '../../installation'
import { installCommand } from '../../toolchain/pkg-config'
import type { Toolchain } from '../../toolchain/choose'
import { findOnPath } from '../../toolchain/find-on-path'
import { describeLibtorch, findPythons } from '../../toolchain/libtorch'
import { runProcess } from '../../toolchain/run-command'

/** A tool that proofs use, or why there is none and what to do. */
export type Tool = { path: string; problem: '' } | { path: ''; problem: string }

export interface ProofTools {
  /** A Python that imports the torch that the library was built with. */
  python: Tool
  /** That Python again, where it can run notebooks. */
  jupyter: Tool
  cmake: Tool
  make: Tool
  pkgConfig: Tool
  node: Tool
  npm: Tool
  compiler: string
  /** The libtorch of the project. */
  libtorch: string
  /** Words before a command: they close what it would inherit of ours. */
  launcher: string[]
  /** Cuts a command off from the network; [] where that is not allowed. */
  offline: string[]
}

/** The tools that are looked for, by their names here. */
export type ProofToolName = {
  [Name in keyof ProofTools]: ProofTools[Name] extends Tool ? Name : never
}[keyof ProofTools]

function tool(names: readonly string[], packages: readonly string[]): Tool {
  const found = names.map(findOnPath).find((one) => one !== undefined)
  return found === undefined
    ? { path: '', problem: `${names[0] ?? ''} is not installed: ${installCommand(packages)}` }
    : { path: found, problem: '' }
}

/** Of the Pythons that are here, one with the libtorch that the project is built with. */
async function findPython(installation: Installation, toolchain: Toolchain): Promise<Tool> {
  const { libtorch } = toolchain
  const named = [
    process.env['OPSMITH_PYTHON'] ?? '',
    readSetupEnvironment(installation.root, installation.cacheFolder).python ?? '',
    // libtorch of a Python package: lib/python3.11/site-packages/torch.
    path.resolve(libtorch.folder, '../../../../bin/python3'),
  ]
  const pythons = await findPythons(named)
  const wanted = fs.realpathSync(libtorch.folder)
  const fits = (folder: string): boolean =>
    folder !== '' &&
    (fs.realpathSync(folder) === wanted ||
      describeLibtorch(folder, '')?.version === libtorch.version)
  const found = pythons.find((one) => fits(one.torchFolder))
  if (found) return { path: found.python, problem: '' }
  const version = libtorch.version.split('+')[0] ?? libtorch.version
  return {
    path: '',
    problem: `no Python on this machine has torch ${libtorch.version}: run python3 -m venv torch-env && torch-env/bin/pip install torch==${version} setuptools wheel ninja, then set the environment variable OPSMITH_PYTHON to the full path of torch-env/bin/python and start Opsmith again`,
  }
}

const findsJupyter =
  'import importlib.util as u; exit(any(u.find_spec(name) is None for name in ("nbclient", "ipykernel")))'

async function findJupyter(python: Tool): Promise<Tool> {
  if (python.problem !== '') return python
  const { exitCode } = await runProcess(python.path, ['-c', findsJupyter], {
    isBackground: true,
  })
  if (exitCode === 0) return python
  const install = `${python.path} -m pip install nbclient ipykernel`
  return { path: '', problem: `nbclient or ipykernel is not installed: run ${install}` }
}

/** A user namespace without a network, where the kernel lets us have one. */
async function findOffline(): Promise<string[]> {
  const unshare = findOnPath('unshare')
  if (unshare === undefined) return []
  const command = [unshare, '--map-root-user', '--net']
  const [first = '', ...rest] = command
  const tried = await runProcess(first, [...rest, 'true'], { isBackground: true })
  return tried.exitCode === 0 ? command : []
}

/** What is on this machine for proofs. */
export async function findProofTools(
  installation: Installation,
  toolchain: Toolchain,
): Promise<ProofTools> {
  const [python, offline] = await Promise.all([findPython(installation, toolchain), findOffline()])
  const launcher = path.join(installation.addonFolder, launcherName)
  return {
    python,
    jupyter: await findJupyter(python),
    cmake: tool(['cmake'], ['cmake']),
    make: tool(['make'], ['make']),
    pkgConfig: tool(['pkg-config', 'pkgconf'], ['pkg-config']),
    node: tool(['node'], ['nodejs']),
    npm: tool(['npm'], ['npm']),
    compiler: toolchain.compiler.path,
    libtorch: toolchain.libtorch.folder,
    launcher: fs.existsSync(launcher) ? [launcher] : [],
    offline,
  }
}
