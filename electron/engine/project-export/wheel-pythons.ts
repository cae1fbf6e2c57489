import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { findOnPath } from '../toolchain/find-on-path'
import { askPython, describeLibtorch } from '../toolchain/libtorch'

/** A Python whose torch a wheel is built for, and tested with. */
export interface WheelPython {
  python: string
  /** "2.13.0+cpu" */
  torch: string
}

/** Below `dist` of the export: wheels for different torch have the same file name. */
export function wheelFolder({ torch }: WheelPython): string {
  return `torch-${torch}`
}

async function readOne(named: string): Promise<Result<WheelPython>> {
  const python = findOnPath(named) ?? named
  const found = await askPython(python)
  if (!found) return err('request.invalid', `${python} is not a Python that runs on this machine.`)
  const torch = describeLibtorch(found.torchFolder, '')?.version
  if (torch === undefined)
    return err('request.invalid', `${python} has no torch, so no wheel can be built for it.`, {
      hint: `${python} -m pip install torch setuptools wheel ninja`,
    })
  return ok({ python, torch })
}

/**
 * The Pythons that an export names, each with its torch. Errors: one does not run, has no torch, or has the torch of
 * another (`request.invalid`).
 */
export async function readWheelPythons(
  named: readonly string[],
): Promise<Result<readonly WheelPython[]>> {
  const pythons: WheelPython[] = []
  for (const read of await Promise.all(named.map(readOne))) {
    if (!read.ok) return read
    const same = pythons.find(({ torch }) => torch === read.value.torch)
    if (same)
      return err(
        'request.invalid',
        `${same.python} and ${read.value.python} both have torch ${same.torch}.`,
        { hint: 'Name one of them: its wheel works with every Python from 3.9 on.' },
      )
    pythons.push(read.value)
  }
  return ok(pythons)
}
