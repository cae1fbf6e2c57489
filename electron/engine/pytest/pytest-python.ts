import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { askPython } from '../toolchain/ask-python'
import { describeLibtorch } from '../toolchain/libtorch'
import type { Libtorch } from '../toolchain/libtorch'
import { whyNoFit } from '../toolchain/libtorch-fit'
import { probeLimits, runProcess } from '../toolchain/run-command'

/** Found without importing it. */
const findPytest =
  "import importlib.util, sys; sys.exit(importlib.util.find_spec('pytest') is None)"

/**
 * Makes sure that a Python can run a project's tests on a library that was built.
 * Errors: it has no torch or no pytest (toolchain.missing), or a torch that the library is not built for
 * (toolchain.mismatch).
 */
export async function judgePytestPython(python: string, built: Libtorch): Promise<Result<null>> {
  const [torch, pytest] = await Promise.all([
    askPython(python),
    runProcess(python, ['-c', findPytest], { limits: { ...probeLimits, seconds: 60 } }),
  ])
  const folder = torch?.torchFolder ?? ''
  const loaded = folder === '' ? undefined : describeLibtorch(folder, python)
  if (!loaded) {
    return err('toolchain.missing', `${python} has no torch, which the tests need.`, {
      hint: 'Activate the environment with your torch, or choose the Python of that environment: opsmith test --python PATH.',
    })
  }
  if (pytest.exitCode !== 0) {
    return err('toolchain.missing', `${python} has no pytest.`, {
      hint: `Install pytest: ${python} -m pip install pytest`,
    })
  }
  const why = whyNoFit(built, loaded, python)
  if (why === '') return ok(null)
  return err('toolchain.mismatch', why, {
    hint: `Build with that torch ("toolchain": { "libtorch": ${JSON.stringify(loaded.folder)} } in opsmith.json), or choose another Python: opsmith test --python PATH.`,
  })
}
