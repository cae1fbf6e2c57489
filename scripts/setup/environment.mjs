// What set-up found, for everything that runs after it.
import path from 'node:path'

import { readJson, writeJson } from '../lib/files.mjs'
import { setupFolder } from '../lib/paths.mjs'
import { resolveElectron } from './electron-runtime.mjs'

const file = path.join(setupFolder, 'environment.json')

/** Leaves .setup/environment.json for the engine (electron/engine/installation.ts) and for tests run by hand. */
export function keepEnvironment(context) {
  const found = {
    libtorch: context.libtorch.folder,
    libtorchVersion: context.libtorch.version,
    python: context.libtorch.python,
    compiler: context.compiler.path,
    addon: context.addon,
    electron: resolveElectron()?.executable ?? '',
  }
  if (JSON.stringify(readJson(file)) !== JSON.stringify(found)) writeJson(file, found)
}

/** The same as variables, for child processes. */
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
