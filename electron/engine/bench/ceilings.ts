import fs from 'node:fs/promises'
import path from 'node:path'

import { machineCeilings } from '../../contract/bench'
import type { MachineCeilings, MachineFacts } from '../../contract/bench'
import { hashOfJson } from '../build-history'
import type { HostClient } from '../host/host-client'
import { writeAtomically } from '../project/files'

const timeout = 120

/**
 * What the machine can do with so many threads, measured once and then kept in the cache folder.
 * undefined where it could not be measured.
 */
export async function ceilingsOf(
  cacheFolder: string,
  host: HostClient,
  machine: MachineFacts,
  libtorch: string,
  threads: number,
  signal?: AbortSignal,
): Promise<MachineCeilings | undefined> {
  const { processor, cores, cacheBytes } = machine
  const key = hashOfJson([processor, cores, cacheBytes, libtorch, threads])
  const file = path.join(cacheFolder, 'bench', 'ceilings', `${key}.json`)
  try {
    return machineCeilings.parse(JSON.parse(await fs.readFile(file, 'utf8')))
  } catch {
    // Not measured yet.
  }
  const measured = await host.call(
    'bench.ceilings',
    { threads },
    { timeout, signal, phase: 'measure the machine' },
  )
  if (!measured.ok) return undefined
  await writeAtomically(file, JSON.stringify(measured.value))
  return measured.value
}
