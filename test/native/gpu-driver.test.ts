import fs from 'node:fs'
import path from 'node:path'

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'

import { gpuCheckNames, gpuReport } from '../../electron/contract/gpu-check'
import type { GpuCheckName, GpuReport } from '../../electron/contract/gpu-check'
import { unwrap } from '../../electron/contract/outcome'
import { changeSettings } from '../../electron/engine/project/settings-file'
import { addonLibtorch } from '../../electron/engine/toolchain/addon-location'
import { opsmith } from '../support/command-line'
import { makeTestCache, testInstallation } from '../support/installation'
import type { TestCache } from '../support/installation'
import { buildStandIns, scriptFolder } from '../support/stand-ins'
import type { StandIns } from '../support/stand-ins'
import { useWorkbench } from '../support/workbench'

/** What `opsmith doctor --gpu` says of drivers that this machine does not have: libraries and programs stand in for them. */

const hasGpu = fs.existsSync('/dev/nvidia0')
let cache: TestCache
let driver: StandIns

beforeAll(() => {
  cache = makeTestCache()
  driver = buildStandIns(cache, ['driver'])
})
afterAll(() => {
  cache.remove()
})
afterEach(() => {
  vi.unstubAllEnvs()
  driver.state({})
})

const gpu = "echo 'NVIDIA H100, 570.86, 81559 MiB, 9.0, Disabled'"
/** nvidia-smi where it lists one card. */
const smiOf = (script: string): string => scriptFolder(cache, 'nvidia-smi', script)
/** An nvcc that only says what it is. */
const nvccOf = (version: string, otherwise = 'exit 1'): string =>
  scriptFolder(
    cache,
    'nvcc',
    `case "$1" in --version) echo 'release ${version}, V${version}.48';; --list-gpu-arch) echo compute_75;; *) ${otherwise};; esac`,
  )

/** The libtorch here, as a build for CUDA has it on disk. */
function libtorchForCuda(cuda: string): string {
  const folder = fs.mkdtempSync(path.join(cache.home, 'libtorch-'))
  const real = addonLibtorch(testInstallation(cache))
  fs.mkdirSync(path.join(folder, 'lib'))
  for (const name of fs.readdirSync(path.join(real, 'lib')))
    fs.symlinkSync(path.join(real, 'lib', name), path.join(folder, 'lib', name))
  fs.symlinkSync(path.join(real, 'include'), path.join(folder, 'include'))
  fs.writeFileSync(path.join(folder, 'lib', 'libtorch_cuda.so'), '')
  fs.writeFileSync(path.join(folder, 'version.py'), `__version__ = '2.13.0'\ncuda = '${cuda}'\n`)
  return folder
}

/** @param more folders that come first on PATH */
async function check(
  standIns: StandIns | undefined,
  more: readonly string[] = [],
): Promise<GpuReport> {
  // Neither the nvcc nor the nvidia-smi of this machine.
  vi.stubEnv('PATH', [...more, '/usr/bin', '/bin'].join(':'))
  vi.stubEnv('CUDA_HOME', '/nowhere')
  for (const [name, value] of Object.entries(standIns?.environment ?? {})) vi.stubEnv(name, value)
  const { stdout, stderr } = await opsmith(cache, 'doctor', '--gpu', '--json')
  expect(stderr).toMatch(/Driver and devices/)
  return gpuReport.parse(JSON.parse(stdout))
}

/** "passed: It has …" */
async function driverOf(standIns: StandIns | undefined, more?: readonly string[]): Promise<string> {
  const { checks } = await check(standIns, more)
  const found = checks.find(({ name }) => name === 'driver')
  return `${found?.status ?? ''}: ${found?.reason ?? ''}`
}

describe.skipIf(hasGpu)('doctor --gpu where there is no driver', () => {
  it('each check is skipped and says what is missing', async () => {
    const { checks } = await check(undefined)
    expect(checks.map(({ name }) => name)).toEqual(gpuCheckNames)
    expect(checks.map(({ status }) => status)).toEqual(checks.map(() => 'skipped'))
    const reasons = checks.filter(({ name }) => name !== 'toolchain').map(({ reason }) => reason)
    for (const reason of reasons)
      expect(reason).toContain('libcuda.so.1 (NVIDIA’s driver) is not on this machine')
    expect(checks.find(({ name }) => name === 'toolchain')?.reason).toMatch(/^nvcc was not found/)
  })

  it('a card that nvidia-smi lists is one that cannot be used', async () => {
    expect(await driverOf(undefined, [smiOf(gpu)])).toBe(
      'failed: NVIDIA H100 cannot be used: libcuda.so.1 (NVIDIA’s driver) is not on this machine.',
    )
  })
})

describe('doctor --gpu with a driver', () => {
  it('names its device, the CUDA that it takes and what cuInit answers', async () => {
    expect(await driverOf(driver)).toBe(
      'passed: cuInit returns CUDA_SUCCESS; the driver supports CUDA up to 13.0 and has 1 GPU: NVIDIA H100 (stand-in).',
    )
  })

  it('that is broken gives the loader’s reason', async () => {
    const broken = fs.mkdtempSync(path.join(cache.home, 'broken-'))
    fs.writeFileSync(path.join(broken, 'libcuda.so.1'), 'no library')
    const standIns = { ...driver, environment: { LD_LIBRARY_PATH: broken } }
    expect(await driverOf(standIns)).toMatch(
      /libcuda\.so\.1 \(NVIDIA’s driver\) does not load: .*(file too short|invalid ELF header)/,
    )
  })

  it('that refuses to begin is told by name and words', async () => {
    driver.state({ init: 802 })
    expect(await driverOf(driver, [smiOf(gpu)])).toBe(
      'failed: NVIDIA H100 cannot be used: NVIDIA’s driver returns CUDA_ERROR_SYSTEM_NOT_READY (system not yet initialized).',
    )
  })

  it.each([
    ['', 'CUDA_VISIBLE_DEVICES is empty, which hides every GPU'],
    ['7', 'CUDA_VISIBLE_DEVICES=7 may hide the GPU'],
  ])('whose device is hidden by CUDA_VISIBLE_DEVICES "%s" says so', async (visible, words) => {
    driver.state({ init: 100 })
    vi.stubEnv('CUDA_VISIBLE_DEVICES', visible)
    expect(await driverOf(driver, [smiOf(gpu)])).toContain(
      `NVIDIA’s driver returns CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected); ${words}`,
    )
  })

  it('whose device has left the bus has none', async () => {
    driver.state({ devices: 0 })
    expect(await driverOf(driver, [smiOf(gpu)])).toMatch(
      /^failed: NVIDIA H100 cannot be used: NVIDIA’s driver finds no device/,
    )
  })

  it('that is too old for nvcc fails, with what fails later', async () => {
    driver.state({ version: 12040 })
    expect(await driverOf(driver, [nvccOf('13.0')])).toBe(
      'failed: The driver supports CUDA up to 12.4, but nvcc is CUDA 13.0: GPU kernels compile, but their first launch fails with "driver version is insufficient for CUDA runtime version".',
    )
  })

  it('that is too old for libtorch fails, with the driver that helps', async () => {
    driver.state({ version: 12040 })
    await changeSettings(cache.places.configFolder, { libtorch: libtorchForCuda('13.0') })
    const found = await driverOf(driver)
    await changeSettings(cache.places.configFolder, { libtorch: '' })
    expect(found).toBe(
      'failed: The driver supports CUDA up to 12.4, but libtorch was built with CUDA 13.0, so libtorch finds no CUDA device.',
    )
  })

  it('that is a minor version too old for nvcc is doubtful', async () => {
    driver.state({ version: 13000 })
    expect(await driverOf(driver, [nvccOf('13.2')])).toMatch(
      /^warning: The driver supports CUDA up to 13\.0, but nvcc is CUDA 13\.2: .*only PTX fail/,
    )
  })

  it('whose nvidia-smi is late is asked itself, and persistence mode is advised', async () => {
    expect(await driverOf(driver, [smiOf('exec sleep 100')])).toMatch(
      /^warning: nvidia-smi did not answer within 15 s \(persistence mode .*H100 \(stand-in\)/,
    )
  })
})

describe('the time of doctor --gpu', () => {
  const { workbench } = useWorkbench()

  it('has an end, whatever nvcc takes: the check that had none left is named', async () => {
    // A version that never was: what a real nvcc compiled is in the cache. It takes longer than this test may.
    vi.stubEnv('PATH', [nvccOf('12.7', 'exec sleep 1000'), '/usr/bin', '/bin'].join(':'))
    vi.stubEnv('CUDA_HOME', '/nowhere')
    // What the checks before it take here, so that they have time enough: one of them starts an op host.
    const stop = new AbortController()
    const started = performance.now()
    let before = 0
    const onStart = (name: GpuCheckName): void => {
      if (name !== 'toolchain') return
      before = (performance.now() - started) / 1000
      stop.abort()
    }
    unwrap(await workbench.gpuChecks.run({ seconds: 300, signal: stop.signal, onStart }))
    expect(before).toBeGreaterThan(0)
    const { checks } = unwrap(await workbench.gpuChecks.run({ seconds: 3 + 3 * before }))
    const late = checks.filter(({ reason }) =>
      reason.startsWith('Not run, because the time limit was reached.'),
    )
    const said = checks.map(({ name, status, reason }) => `${name}: ${status}, ${reason}`)
    expect(
      late.map(({ name }) => name),
      said.join('\n'),
    ).toEqual(['toolchain'])
  })
})
