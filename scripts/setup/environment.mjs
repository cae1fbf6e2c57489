// What set-up found, for everything that runs after it.
import fs from 'node:fs'
import path from 'node:path'

import { hashOf, readJson, writeJson } from '../lib/files.mjs'
import { cacheFolder, settingsFile, setupFolder } from '../lib/paths.mjs'
import { resolveElectron } from './electron-runtime.mjs'

const file = path.join(setupFolder, 'environment.json')

function stampOf(name) {
  try {
    const stat = fs.statSync(name)
    return `${fs.realpathSync(name)} ${stat.size} ${stat.mtimeMs}`
  } catch {
    return 'none'
  }
}

/** Changes when set-up might find other tools than the ones in `found`. */
function surroundings(found) {
  const variables = ['PATH', 'LIBTORCH', 'VIRTUAL_ENV', 'CONDA_PREFIX']
  const settings = readJson(settingsFile())
  return hashOf({
    texts: [
      ...variables.map((name) => process.env[name] ?? ''),
      settings?.compiler ?? '',
      settings?.libtorch ?? '',
      cacheFolder(),
      ...[found.compiler.path, path.join(found.libtorch.folder, 'lib', 'libtorch_cpu.so')].map(
        stampOf,
      ),
    ],
  })
}

/** Leaves .setup/environment.json for the engine (electron/engine/installation.ts) and for tests run by hand. */
export function keepEnvironment(context) {
  const found = {
    libtorch: context.libtorch.folder,
    libtorchVersion: context.libtorch.version,
    python: context.libtorch.python,
    compiler: context.compiler.path,
    addon: context.addon,
    electron: resolveElectron()?.executable ?? '',
    found: { libtorch: context.libtorch, compiler: context.compiler },
    surroundings: surroundings(context),
  }
  if (JSON.stringify(readJson(file)) !== JSON.stringify(found)) writeJson(file, found)
}

/**
 * The libtorch and compiler of the last set-up, for commands that are run many times a minute; undefined when
 * something changed that they depend on. A torch newly installed into the active Python is seen by the next
 * `npm start`, `npm test` or `npm run setup`, which look everywhere.
 */
export function rememberedTools() {
  const kept = readJson(file)
  return kept?.found && kept.surroundings === surroundings(kept.found) ? kept.found : undefined
}

/** The environment as variables, for child processes. */
export function environmentVariables() {
  const found = readJson(file) ?? {}
  const names = {
    OPSMITH_LIBTORCH: found.libtorch,
    OPSMITH_PYTHON: found.python,
    OPSMITH_COMPILER: found.compiler,
    OPSMITH_ADDON: found.addon,
    OPSMITH_ELECTRON: found.electron,
  }
  return Object.fromEntries(Object.entries(names).filter(([, value]) => value))
}
