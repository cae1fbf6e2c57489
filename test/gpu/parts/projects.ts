import path from 'node:path'

import { beforeAll, expect } from 'vitest'

import type { InputSpec, Manifest } from '../../../electron/contract/manifest'
import { unwrap } from '../../../electron/contract/outcome'
import { timingInput } from '../../../electron/contract/timing-entry'
import type { TimingReport, TimingRequest } from '../../../electron/contract/timing-report'
import { readManifest } from '../../../electron/engine/project/read-manifest'
import { launcherOf } from '../../../electron/engine/toolchain/addon-location'
import { askDriver } from '../../../electron/engine/toolchain/gpus'
import type { DriverDevice, DriverReport } from '../../../electron/engine/toolchain/driver-report'
import { copyProject, root, testInstallation } from '../../support/installation'
import { useWorkbench } from '../../support/workbench'
import type { TestWorkbench } from '../../support/workbench'

export interface BuiltSample extends TestWorkbench {
  folder: () => string
  manifest: () => Manifest
  /** The manifest's inputs on the GPU; floating ones with `more`. */
  onGpu: (more?: Partial<InputSpec>) => Record<string, InputSpec>
}

/** A sample that is built once for the tests of a file. */
export function useSample(name: string): BuiltSample {
  const { workbench, cache } = useWorkbench()
  let folder = ''
  let manifest: Manifest
  beforeAll(async () => {
    folder = copyProject(path.join(root, 'samples', name), cache)
    manifest = unwrap(await readManifest(folder))
    expect(unwrap(await workbench.builds.build(folder)).ok).toBe(true)
  })
  const onGpu = (more: Partial<InputSpec> = {}): Record<string, InputSpec> =>
    Object.fromEntries(
      Object.entries(manifest.inputs).map(([input, spec]) => [
        input,
        { ...spec, device: 'cuda', ...(spec.dtype.startsWith('float') ? more : {}) },
      ]),
    )
  return { workbench, cache, folder: () => folder, manifest: () => manifest, onGpu }
}

/** A forward on x and y, on the GPU. */
export const requestOf = (
  op: string,
  args: TimingRequest['args'],
  shape: number[],
  more: Partial<TimingRequest> = {},
): TimingRequest => ({
  op,
  args,
  builds: [],
  directions: ['forward'],
  seconds: 1,
  inputs: {
    x: timingInput.parse({ shape, device: 'cuda', seed: 0 }),
    y: timingInput.parse({ shape, device: 'cuda', seed: 1 }),
  },
  ...more,
})

export const timed = async (
  { workbench, folder }: BuiltSample,
  requests: TimingRequest[],
): Promise<TimingReport> => unwrap(await workbench.timings.run(folder(), requests, {}))

export async function driverHere({ cache }: TestWorkbench): Promise<DriverReport> {
  const driver = await askDriver(launcherOf(testInstallation(cache)))
  if (!driver) throw new Error('set-up has not built the program that asks the driver')
  return driver
}

/** cuda:0 by the driver. */
export async function gpuHere(sample: TestWorkbench): Promise<DriverDevice> {
  const [device] = (await driverHere(sample)).devices
  if (!device) throw new Error('the driver has no device')
  return device
}
