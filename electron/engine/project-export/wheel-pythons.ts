import os from 'node:os'
import path from 'node:path'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { findOnPath } from '../toolchain/find-on-path'
import { askPython } from '../toolchain/ask-python'
import { describeLibtorch } from '../toolchain/libtorch'

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

/** The file that a text names: a path, also with ~, or a program on PATH. */
export function pythonFile(named: string): string {
  return findOnPath(named) ?? named.replace(/^~(?=\/)/, os.homedir())
}

/** A Python with its torch. Errors: as of readWheelPythons(). */
export async function readWheelPython(named: string): Promise<Result<WheelPython>> {
  const python = pythonFile(named)
  if (!path.isAbsolute(python))
    return err('request.invalid', `${named} is neither a full path nor a program on PATH.`, {
      hint: 'Write the full path of a Python.',
    })
  const found = await askPython(python)
  if (!found)
    return err('request.invalid', `${python} is not a Python that runs on this machine.`, {
      hint: `Check the path: ${python} --version`,
    })
  const install = { hint: `${python} -m pip install torch setuptools wheel ninja` }
  const torch = describeLibtorch(found.torchFolder, '')
  if (!torch)
    return err(
      'request.invalid',
      `${python} has no torch, so no wheel can be built for it.`,
      install,
    )
  if (torch.judgement === 'unusable')
    return err(
      'request.invalid',
      `No wheel can be built with the torch of ${python}: ${torch.why}.`,
      {
        hint: `${python} -m pip install --upgrade torch`,
      },
    )
  return ok({ python, torch: torch.version })
}

/**
 * The Pythons that an export names, each with its torch. Errors: one does not run, has no torch, or has the torch of
 * another (`request.invalid`).
 */
export async function readWheelPythons(
  named: readonly string[],
): Promise<Result<readonly WheelPython[]>> {
  const pythons: WheelPython[] = []
  for (const read of await Promise.all(named.map(readWheelPython))) {
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
