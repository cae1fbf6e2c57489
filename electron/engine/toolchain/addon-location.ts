import fs from 'node:fs'
import path from 'node:path'

import { z } from 'zod'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { setupCommand } from '../installation'
import type { Installation } from '../installation'
import type { Libtorch } from './libtorch'

/** What set-up notes beside an addon it built: electron/engine/setup/native-addon.ts. */
const addonNote = z.object({
  /** The folder of the libtorch that it is linked with. */
  libtorch: z.string(),
  /** Hash of the sources in native/ it was made from. */
  sources: z.string(),
})
type AddonNote = z.infer<typeof addonNote>

export const addonFile = 'opsmith_native.node'

/** The program in the addon's folder that starts op hosts, and asks CUDA's driver. */
export const launcherName = 'opsmith_launcher'

/** "" before set-up. */
export function launcherOf({ addonFolder }: Pick<Installation, 'addonFolder'>): string {
  return addonFolder === '' ? '' : path.join(addonFolder, launcherName)
}

function readNote(folder: string): AddonNote | undefined {
  try {
    const text = fs.readFileSync(path.join(folder, 'addon.json'), 'utf8')
    const parsed = addonNote.safeParse(JSON.parse(text))
    return parsed.success && fs.existsSync(path.join(folder, addonFile)) ? parsed.data : undefined
  } catch {
    return undefined
  }
}

/** The libtorch that the addon of this installation is linked with; "" when there is no addon. */
export function addonLibtorch(installation: Installation): string {
  return readNote(installation.addonFolder)?.libtorch ?? ''
}

/** Absolute, without symbolic links; as it is given where it does not exist. */
function realFolder(folder: string): string {
  try {
    return fs.realpathSync(folder)
  } catch {
    return path.resolve(folder)
  }
}

/**
 * The folder of an addon that is linked with `libtorch`: one process can hold one libtorch, so the
 * op host and the operators must agree on it. Set-up keeps an addon for each libtorch it was asked for.
 */
export function findAddon(installation: Installation, libtorch: Libtorch): Result<string> {
  const own = readNote(installation.addonFolder)
  if (!own) {
    return err(
      'toolchain.missing',
      'The native addon, the part of Opsmith that calls libtorch, has not been built.',
      {
        hint: setupCommand(installation.root),
      },
    )
  }
  // Two names of one folder, through a link, are one libtorch.
  const wanted = realFolder(libtorch.folder)
  const fits = (note: AddonNote | undefined): boolean =>
    note !== undefined && realFolder(note.libtorch) === wanted && note.sources === own.sources
  if (fits(own)) return ok(installation.addonFolder)
  const siblings = path.dirname(installation.addonFolder)
  const other = fs
    .readdirSync(siblings)
    .map((name) => path.join(siblings, name))
    .find((folder) => fits(readNote(folder)))
  if (other !== undefined) return ok(other)
  return err(
    'toolchain.mismatch',
    `Opsmith has no native addon for the libtorch in ${libtorch.folder} (${libtorch.version}). The existing native addon is only for ${own.libtorch}.`,
    { hint: setupCommand(installation.root, libtorch.folder) },
  )
}
