import fs from 'node:fs'
import path from 'node:path'

/** From an environment to the torch in it: lib, python3.12, site-packages, torch. */
const levelsToTorch = 4

const isEnvironment = (folder: string): boolean =>
  fs.existsSync(path.join(folder, 'bin', 'python3'))
const isVirtual = (folder: string): boolean => fs.existsSync(path.join(folder, 'pyvenv.cfg'))

/** The virtual environment whose torch this is; "" where it is in none. */
function environmentOfTorch(libtorch: string): string {
  if (libtorch === '') return ''
  const above = path.resolve(libtorch, ...Array<string>(levelsToTorch).fill('..'))
  return isVirtual(above) ? above : ''
}

/**
 * The Python environment that a shell in the folder of a project gets, in the order in which choosePython() takes them:
 * the one that was active when Opsmith was started, the folder's own, the one that has the chosen libtorch, set-up's.
 * Python itself is not asked: a terminal opens at once.
 * @param chosen.libtorch of opsmith.json or the settings; "" for none
 * @returns "" where the shell's own environment is used
 */
export function projectEnvironment(folder: string, chosen: { libtorch: string }): string {
  if (process.env['VIRTUAL_ENV'] !== undefined || process.env['CONDA_PREFIX'] !== undefined)
    return ''
  const own = ['.venv', 'venv'].map((name) => path.join(folder, name)).find(isEnvironment)
  if (own !== undefined) return own
  const ofTorch = environmentOfTorch(chosen.libtorch)
  if (ofTorch !== '') return ofTorch
  const python = process.env['OPSMITH_PYTHON'] ?? ''
  const ofSetup = path.dirname(path.dirname(python))
  return python !== '' && isVirtual(ofSetup) ? ofSetup : ''
}
