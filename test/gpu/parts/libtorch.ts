import { expect, it } from 'vitest'

import { unwrap } from '../../../electron/contract/outcome'
import { chosenTools, chooseToolchain } from '../../../electron/engine/toolchain/choose'
import { cudaMismatches } from '../../../electron/engine/toolchain/cuda-versions'
import { cudaVersionOf } from '../../../electron/engine/toolchain/driver-report'
import { defaultSettings } from '../../../electron/contract/settings'
import { testInstallation } from '../../support/installation'
import { useWorkbench } from '../../support/workbench'
import { driverHere } from './projects'

export function testLibtorch(): void {
  const { workbench, cache } = useWorkbench()

  it('a libtorch for CUDA loads in the op host, and sees the devices of a driver that is new enough', async () => {
    const driver = await driverHere({ workbench, cache })
    expect(driver).toMatchObject({ why: '', code: 'CUDA_SUCCESS' })
    const told = unwrap(
      await workbench.hosts.call('device.libtorch', {}, { timeout: 120, phase: '' }),
    )
    expect(told.isCudaBuild).toBe(true)
    expect(told.devices).toBe(driver.devices.length)
    const choice = chosenTools(defaultSettings, undefined)
    const { libtorch, cuda } = unwrap(await chooseToolchain(testInstallation(cache), choice))
    const versions = {
      libtorch: libtorch.cuda,
      nvcc: cuda?.version ?? '',
      driver: cudaVersionOf(driver.version),
    }
    expect(cudaMismatches(versions).filter(({ kind }) => kind === 'blocks')).toEqual([])
  })

  it('its first device has the name that the driver gives', async () => {
    const [first] = (await driverHere({ workbench, cache })).devices
    const limits = { timeout: 120, phase: '' }
    const facts = unwrap(await workbench.hosts.call('timing.device', { device: 'cuda:0' }, limits))
    expect(facts).toMatchObject({ name: first?.name, missing: '' })
    expect(facts.cacheBytes).toBeGreaterThan(0)
  })
}
