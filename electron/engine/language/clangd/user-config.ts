import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

import { writeAtomically } from '../../project/files'

/**
 * An index of the whole standard library keeps a core busy for ten seconds and more after each start, for names that
 * libtorch's headers include anyway. There is no option for it, only this.
 */
const own = 'Index:\n  StandardLibrary: No\n'

/**
 * Where clangd finds its user's configuration: ours, then the user's own, which counts where both say something
 * (https://clangd.llvm.org/config: fragments of one file are applied in order).
 * @returns what XDG_CONFIG_HOME is to be for clangd; undefined where it cannot be written
 */
export async function configHome(cacheFolder: string): Promise<string | undefined> {
  const home = process.env['XDG_CONFIG_HOME'] ?? path.join(os.homedir(), '.config')
  const users = await fs
    .readFile(path.join(home, 'clangd', 'config.yaml'), 'utf8')
    .catch(() => undefined)
  const folder = path.join(cacheFolder, 'clangd', 'config')
  try {
    const text = users === undefined ? own : `${own}---\n${users}`
    await writeAtomically(path.join(folder, 'clangd', 'config.yaml'), text)
    return folder
  } catch {
    return undefined
  }
}
