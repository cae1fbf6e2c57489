import path from 'node:path'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { readSetupEnvironment } from '../installation'
import type { Installation } from '../installation'
import { findOnPath } from '../toolchain/find-on-path'
import { askPython } from '../toolchain/ask-python'
import { findPythons } from '../toolchain/libtorch'

/**
 * The Python that runs a folder's setup.py and scripts: the one that is named, else the active environment's, else the
 * folder's own, else the first on PATH that has torch, else any.
 * Errors: there is none, or the one that is named is none (toolchain.missing).
 */
export async function choosePython(
  installation: Installation,
  folder: string,
  named: string,
): Promise<Result<string>> {
  if (named !== '') {
    const file = findOnPath(named)
    const answer = file === undefined ? undefined : await askPython(file)
    return answer
      ? ok(answer.python)
      : err('toolchain.missing', `${named} cannot be run as Python on this machine.`, {
          hint: 'Choose a Python executable: --python /path/to/python3.',
        })
  }
  const inEnvironment = (environment: string | undefined): string =>
    environment === undefined ? '' : path.join(environment, 'bin', 'python3')
  const own = [
    inEnvironment(process.env['VIRTUAL_ENV']),
    inEnvironment(process.env['CONDA_PREFIX']),
    path.join(folder, '.venv', 'bin', 'python3'),
    path.join(folder, 'venv', 'bin', 'python3'),
  ]
  const setup = readSetupEnvironment(installation.root, installation.cacheFolder).python ?? ''
  const pythons = await findPythons([...own, process.env['OPSMITH_PYTHON'] ?? '', setup])
  const best =
    pythons.find(({ python }) => own.includes(python)) ??
    pythons.find(({ torchFolder }) => torchFolder !== '') ??
    pythons[0]
  return best
    ? ok(best.python)
    : err('toolchain.missing', 'No Python was found on PATH to run the build files.', {
        hint: 'Install python3, or read the build files without running them: opsmith init --no-run.',
      })
}
