import os from 'node:os'

import { describeLibtorch, findLibtorchs } from '../toolchain/libtorch'
import type { Libtorch } from '../toolchain/libtorch'
import { libtorchsInUsualPlaces, torchFolders } from '../toolchain/libtorch-places'

export interface LibtorchSearch {
  /** Chosen in the settings; "" for none. */
  chosen: string
  /** The environment that set-up makes. */
  own: string
}

const newestFirst = (a: Libtorch, b: Libtorch): number =>
  b.version.localeCompare(a.version, 'en', { numeric: true })

/** The one that set-up has installed. */
export function installedLibtorch(own: string): Libtorch | undefined {
  return torchFolders(own)
    .map((folder) => describeLibtorch(folder, "set-up's own"))
    .find((libtorch) => libtorch !== undefined && libtorch.judgement !== 'unusable')
}

/**
 * The libtorch to use: chosen, a Python's on PATH, $LIBTORCH, else the newest of the other environments of this
 * machine, else the one that set-up has installed.
 * @returns with it why others were refused
 */
export async function findLibtorch(
  search: LibtorchSearch,
): Promise<{ found: Libtorch | undefined; refused: string[] }> {
  const { chosen, own } = search
  const named = process.env['OPSMITH_LIBTORCH'] ?? ''
  const first = await findLibtorchs({ chosen: chosen === '' ? named : chosen, setup: '' })
  const others = libtorchsInUsualPlaces(os.homedir()).sort(newestFirst)
  const installed = torchFolders(own).map((folder) => describeLibtorch(folder, "set-up's own"))
  const all = [...first, ...others, ...installed].filter((libtorch) => libtorch !== undefined)
  return {
    found: all.find(({ judgement }) => judgement !== 'unusable'),
    refused: all
      .filter(({ judgement }) => judgement === 'unusable')
      .map(
        ({ folder, version, why }) => `Opsmith cannot use libtorch ${version} in ${folder}: ${why}`,
      ),
  }
}
