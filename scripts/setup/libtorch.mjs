// Finds libtorch without importing torch, or installs it into a Python environment of this clone.
import fs from 'node:fs'
import path from 'node:path'

import { ask, findOnPath, runCommand, tail } from '../lib/command.mjs'
import { readJson, writeJson } from '../lib/files.mjs'
import { cacheFolder, settingsFile, setupFolder } from '../lib/paths.mjs'
import { confirm } from '../lib/confirm.mjs'
import { SetupFailure } from '../lib/steps.mjs'
import { engineSetup } from './engine-setup.mjs'
import { runTool, valueOf } from './native-addon.mjs'

/** The same as in electron/engine/setup/install-torch.ts, which installs it. */
const torchVersion = '2.13.0'
/** @type {[number, number]} */
const oldest = [2, 6]
/** What `import torch`, torch.utils.cpp_extension and the tests of cases need; only tests and benchmarks do that. */
const pythonPackages = [
  'numpy',
  'sympy',
  'networkx',
  'jinja2',
  'fsspec',
  'filelock',
  'typing-extensions',
  // wheel: setuptools builds wheels by itself from 70.1 on, and Python brings an older one.
  'ninja',
  'pytest',
  'setuptools',
  'wheel',
]
/** For exported notebooks; without it their cells are run in order. */
const jupyterPackages = ['nbclient', 'ipykernel']
const allPackages = [...pythonPackages, ...jupyterPackages]

const environmentFolder = path.join(setupFolder, 'python')
const environmentPython = path.join(environmentFolder, 'bin', 'python')
/** Written last, so an environment without it was interrupted. */
const environmentNote = path.join(environmentFolder, 'opsmith.json')

/**
 * @typedef {{ folder: string, version: string, python: string, origin: string }} Libtorch
 *   python: the interpreter whose torch this is; "" when it belongs to none
 */

function readVersion(folder) {
  const read = (file) => {
    try {
      return fs.readFileSync(path.join(folder, file), 'utf8')
    } catch {
      return ''
    }
  }
  return (
    /__version__[^=]*=\s*'([^']+)'/.exec(read('version.py'))?.[1] ??
    /TORCH_VERSION\s+"([^"]+)"/.exec(
      read('include/torch/headeronly/version.h') +
        read('include/torch/csrc/api/include/torch/version.h'),
    )?.[1] ??
    read('build-version').trim()
  )
}

/** @returns {Libtorch | string} why the folder cannot be used */
function judge(folder, origin, python) {
  if (!fs.existsSync(path.join(folder, 'lib', 'libtorch_cpu.so'))) {
    return `${folder} (${origin}) has no lib/libtorch_cpu.so`
  }
  if (!fs.existsSync(path.join(folder, 'include', 'torch', 'library.h'))) {
    return `${folder} (${origin}) has no header include/torch/library.h`
  }
  const version = readVersion(folder)
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
    return `${folder} (${origin}) is libtorch ${version || 'of unknown version'}; ${oldest.join('.')} or newer is needed`
  }
  return { folder, version, origin, python }
}

/** A libtorch named by hand. @returns {Libtorch} */
export function namedLibtorch(folder) {
  const judged = judge(path.resolve(folder), 'named by --libtorch', pythonOf(path.resolve(folder)))
  if (typeof judged === 'string') throw new SetupFailure(`${judged}.`)
  return judged
}

const findTorch = [
  'import importlib.util, sys',
  "spec = importlib.util.find_spec('torch')",
  "print(sys.executable or '')",
  "print(list(spec.submodule_search_locations)[0] if spec and spec.submodule_search_locations else '')",
].join('\n')

/** The torch that a Python would import. */
function askPython(python) {
  const [executable = '', folder = ''] = ask([python, '-c', findTorch]).split('\n')
  return folder ? { executable, folder } : undefined
}

/** The interpreter of the environment that a libtorch folder lies in, "" when it lies in none. */
function pythonOf(folder) {
  const candidate = path.resolve(folder, '..', '..', '..', '..', 'bin', 'python3')
  return askPython(candidate)?.folder === folder ? candidate : ''
}

/** @type {{ found: Libtorch | undefined, refused: string[] } | undefined} */
let known

/**
 * The libtorch to use: chosen in the settings, the active Python's, $LIBTORCH, set-up's own.
 * @returns {{ found: Libtorch | undefined, refused: string[] }}
 */
export function findLibtorch() {
  known ??= search()
  return known
}

function search() {
  /** @type {string[]} */
  const refused = []
  const consider = (folder, origin, python) => {
    const answer = judge(folder, origin, python)
    if (typeof answer !== 'string') return answer
    refused.push(answer)
    return undefined
  }
  const chosen = readJson(settingsFile())?.libtorch
  if (chosen) {
    const found = consider(chosen, 'chosen in the settings', pythonOf(chosen))
    if (found) return { found, refused }
  }
  if (findOnPath('python3')) {
    const active = askPython('python3')
    const found = active && consider(active.folder, "python3's torch", active.executable)
    if (found) return { found, refused }
  }
  const variable = process.env['LIBTORCH']
  if (variable) {
    const found = consider(path.resolve(variable), 'LIBTORCH', pythonOf(path.resolve(variable)))
    if (found) return { found, refused }
  }
  if (readJson(environmentNote)?.torch === torchVersion) {
    const own = askPython(environmentPython)
    const found = own && consider(own.folder, "set-up's own", environmentPython)
    if (found) return { found, refused }
  }
  return { found: undefined, refused }
}

/** Tests compare with Python's torch; what that needs is only ever installed into set-up's own environment. */
function lacksPythonPackages(context, found) {
  if (!context.tests || found.python !== environmentPython) return false
  return readJson(environmentNote)?.packages?.join() !== allPackages.join()
}

export function needsPythonEnvironment(context) {
  if (fs.existsSync(environmentNote)) return false
  const { found } = findLibtorch()
  return !found || lacksPythonPackages(context, found)
}

/** `--cuda` takes the place of the CPU build that set-up installed itself, and of no other. */
function isReplaced({ cuda }, found) {
  return cuda === true && found?.python === environmentPython && found.version.endsWith('+cpu')
}

async function pip(args, timeoutSeconds = 3600) {
  const base = ['-m', 'pip', 'install', '--disable-pip-version-check', '--quiet', '--retries', '0']
  await runCommand([environmentPython, ...base, ...args], {
    timeoutSeconds,
    env: {
      ...process.env,
      PIP_CACHE_DIR: path.join(cacheFolder(), 'pip'),
      PIP_ROOT_USER_ACTION: 'ignore',
    },
  })
}

async function installJupyter(say) {
  try {
    await pip(jupyterPackages)
    return jupyterPackages
  } catch (error) {
    say(
      `Jupyter could not be installed, so the proof of an exported notebook runs its cells in plain Python: ${tail(error.message, 1)}`,
    )
    return []
  }
}

/** @param {boolean} wantsCuda torch for CUDA, without asking */
async function makeEnvironment(wantsCuda, say) {
  const { chooseTorch, installTorch } = await engineSetup()
  const asked = { command: 'npm run setup -- --cuda', onRemark: say }
  const cuda = await chooseTorch(wantsCuda, confirm, asked)
  say(`installing torch ${torchVersion}${cuda ? ` for CUDA ${cuda}` : ''} into .setup/python`)
  const place = { folder: environmentFolder, cacheFolder: cacheFolder(), cuda }
  valueOf(await installTorch({ ...place, run: runTool, onRemark: say }))
  writeJson(environmentNote, { torch: torchVersion })
  known = undefined
}

/** @type {import('../lib/steps.mjs').Step} */
export const libtorch = {
  title: 'libtorch',
  check(context) {
    const { found } = findLibtorch()
    if (!found || isReplaced(context, found) || lacksPythonPackages(context, found))
      return undefined
    context.libtorch = found
    return `${found.version}, ${found.origin}`
  },
  async make(context, say) {
    const first = findLibtorch()
    let found = isReplaced(context, first.found) ? undefined : first.found
    if (!found) {
      for (const line of first.refused) say(line)
      try {
        await makeEnvironment(context.cuda === true, say)
      } catch (error) {
        throw new SetupFailure(
          `libtorch could not be installed. Point LIBTORCH to an unpacked libtorch ${oldest.join('.')} or newer, ` +
            `or activate a Python environment with torch.\n${error.message}`,
        )
      }
      found = findLibtorch().found
      if (!found)
        throw new SetupFailure(
          `Set-up installed torch into ${environmentFolder}, but cannot find libtorch there. Remove this folder, then run npm run setup again.`,
        )
    }
    if (lacksPythonPackages(context, found)) {
      try {
        await pip(pythonPackages)
        const packages = [...pythonPackages, ...(await installJupyter(say))]
        writeJson(environmentNote, { torch: torchVersion, packages })
      } catch (error) {
        say(
          `Python packages could not be installed, so tests that compare with Python are skipped: ${tail(error.message, 1)}`,
        )
      }
    }
    context.libtorch = found
    return `${found.version}, ${found.origin}`
  },
}
