import fs from 'node:fs/promises'
import path from 'node:path'

import { deviceCeilings } from '../../contract/timing-device'
import type { TimingReport } from '../../contract/timing-report'
import type { InputSpec } from '../../contract/manifest'
import { hashOfJson } from '../builds/build-history'
import type { HostClient } from '../host/host-client'
import { writeAtomically } from '../project/files'
import { areDoubtful, doubtOfDevice } from './device-noise'

export type TimedDevice = TimingReport['devices'][number]

/** The device of a point's inputs; "cpu" where all are there. */
export function deviceOf(inputs: Readonly<Record<string, InputSpec>>): string {
  return Object.values(inputs).find(({ device }) => device !== 'cpu')?.device ?? 'cpu'
}

/** What a device can do at most takes seconds to measure: some products of matrices in each dtype. */
const timeout = 120

/**
 * What is known of the devices that rows will be timed on, and what they can do at most: measured once,
 * then kept in the cache folder. A device that is not there has no ceilings: the rows say why. One that was
 * disturbed has none either, since they would make true times look impossible; it is measured again next time.
 */
export async function timedDevices(
  cacheFolder: string,
  host: HostClient,
  names: readonly string[],
  { libtorch, again, signal }: { libtorch: string; again: boolean; signal?: AbortSignal },
): Promise<TimedDevice[]> {
  const devices: TimedDevice[] = []
  for (const device of new Set(names)) {
    if (device === 'cpu') continue
    const limits = { timeout, signal, phase: `measuring ${device}` }
    const facts = await host.call('timing.device', { device }, limits)
    if (!facts.ok) continue
    const { name, cacheBytes, multiprocessors } = facts.value
    const key = hashOfJson([device, name, cacheBytes, multiprocessors, libtorch])
    const file = path.join(cacheFolder, 'bench', 'ceilings', `${key}.json`)
    const kept = again ? undefined : await readCeilings(file)
    const measured = kept ?? (await host.call('timing.deviceCeilings', { device }, limits))
    const isGood = measured.ok && !areDoubtful(measured.value)
    const ceilingsMissing = isGood
      ? ''
      : measured.ok
        ? doubtOfDevice(measured.value)
        : measured.error.message.replace(/\.$/, '')
    if (isGood && !kept) await writeAtomically(file, JSON.stringify(measured.value))
    // By the name that the inputs give it: libtorch may know it by another.
    devices.push({
      ...facts.value,
      device,
      ceilingsMissing,
      ...(isGood ? { ceilings: measured.value } : {}),
    })
  }
  return devices
}

async function readCeilings(
  file: string,
): Promise<{ ok: true; value: NonNullable<TimedDevice['ceilings']> } | undefined> {
  try {
    return { ok: true, value: deviceCeilings.parse(JSON.parse(await fs.readFile(file, 'utf8'))) }
  } catch {
    // Not measured yet.
    return undefined
  }
}
