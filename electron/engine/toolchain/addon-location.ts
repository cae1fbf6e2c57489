import fs from 'node:fs'
import path from 'node:path'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Installation } from '../installation'
import type { Libtorch } from './libtorch'

/** The folder that the addon in `addonFolder` was linked against, as set-up noted it beside the addon. */
export function addonLibtorch(installation: Installation): string {
  try {
    const note: unknown = JSON.parse(
      fs.readFileSync(path.join(installation.addonFolder, 'addon.json'), 'utf8'),
    )
    if (
      typeof note === 'object' &&
      note !== null &&
      'libtorch' in note &&
      typeof note.libtorch === 'string'
    ) {
      return note.libtorch
    }
  } catch {
    // An addon without a note was made by hand; there is nothing to compare it with.
  }
  return ''
}

/** One process can hold one libtorch: the op host's addon and the operators must agree on it. */
export function checkAddon(installation: Installation, libtorch: Libtorch): Result<string> {
  const addon = path.join(installation.addonFolder, 'opsmith_native.node')
  if (installation.addonFolder === '' || !fs.existsSync(addon)) {
    return err('toolchain.missing', 'The native addon has not been built.', {
      hint: 'npm run setup',
    })
  }
  const linked = addonLibtorch(installation)
  if (linked !== '' && path.resolve(linked) !== path.resolve(libtorch.folder)) {
    return err(
      'toolchain.mismatch',
      `The op host's addon is linked with the libtorch in ${linked}, but the one chosen is ${libtorch.folder} (${libtorch.version}).`,
      { hint: 'Start Opsmith again (npm start): set-up builds the addon for the chosen libtorch.' },
    )
  }
  return ok(addon)
}
