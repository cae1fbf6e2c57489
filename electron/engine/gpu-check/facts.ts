import fs from 'node:fs'

import type { Result } from '../../contract/outcome'
import type { Installation } from '../installation'
import { launcherOf } from '../toolchain/addon-location'
import type { Toolchain } from '../toolchain/choose'
import { askDriver, searchGpus } from '../toolchain/gpus'
import { findOnPath } from '../toolchain/find-on-path'
import { runProcess } from '../toolchain/run-command'
import type { DriverFacts } from './judge-tools'

/** What the checks know before an op host is started. */
export interface GpuFacts extends DriverFacts {
  toolchain: Result<Toolchain>
}

async function askSmi(field: string): Promise<string> {
  const smi = findOnPath('nvidia-smi')
  if (smi === undefined) return ''
  const query = [`--query-gpu=${field}`, '--format=csv,noheader,nounits']
  const { exitCode, stdout } = await runProcess(smi, query)
  return exitCode === 0 ? (stdout.split('\n')[0] ?? '').trim() : ''
}

/** Bytes of the first GPU that are in use; NaN where nvidia-smi does not say. */
export async function usedBytes(): Promise<number> {
  const used = await askSmi('memory.used')
  return /^\d+$/.test(used) ? Number(used) * 2 ** 20 : Number.NaN
}

function isWsl(): boolean {
  try {
    return /microsoft/i.test(fs.readFileSync('/proc/version', 'utf8'))
  } catch {
    return false
  }
}

export async function gatherFacts(
  installation: Installation,
  toolchain: Result<Toolchain>,
): Promise<GpuFacts> {
  const launcher = launcherOf(installation)
  const [driver, { gpus, why }, persistence] = await Promise.all([
    askDriver(launcher),
    searchGpus(launcher),
    askSmi('persistence_mode'),
  ])
  const { libtorch, cuda } = toolchain.ok
    ? toolchain.value
    : { libtorch: undefined, cuda: undefined }
  return {
    driver,
    gpus,
    unlisted: why,
    libtorchCuda: libtorch?.hasCuda ? libtorch.cuda : '',
    nvcc: cuda?.version ?? '',
    isWsl: isWsl(),
    persistence,
    toolchain,
  }
}

/** "Linux 6.1, driver for CUDA 12.8, NVIDIA H100, libtorch 2.13.0 (CUDA 12.8), nvcc 12.8, clang 19.1.7" */
export function machineLine(platform: string, { driver, toolchain, nvcc }: GpuFacts): string {
  const version = driver && driver.version > 0 ? driver.version : 0
  const names = driver?.devices.map(({ name }) => name) ?? []
  const parts = [platform]
  parts.push(
    version === 0
      ? 'no driver'
      : `driver for CUDA ${Math.floor(version / 1000)}.${Math.floor((version % 1000) / 10)}`,
  )
  parts.push(names.length === 0 ? 'no GPU' : names.join(', '))
  if (toolchain.ok) {
    const { libtorch, compiler } = toolchain.value
    const build = libtorch.hasCuda ? `CUDA ${libtorch.cuda}` : 'CPU build'
    parts.push(`libtorch ${libtorch.version} (${build})`, `${compiler.family} ${compiler.version}`)
  }
  parts.push(nvcc === '' ? 'no nvcc' : `nvcc ${nvcc}`)
  return parts.join(', ')
}
