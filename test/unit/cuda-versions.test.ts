import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { describeLibtorch } from '../../electron/engine/toolchain/libtorch'
import { cudaMismatches } from '../../electron/engine/toolchain/cuda-versions'
import type { CudaVersions } from '../../electron/engine/toolchain/cuda-versions'
import { chooseHost, hostLimitsOf } from '../../electron/engine/toolchain/nvcc-host'
import type { Compiler } from '../../electron/engine/toolchain/compilers'
import { parseDriverReport } from '../../electron/engine/toolchain/driver-report'
import { askDriver, forgetGpus, recentGpus, searchGpus } from '../../electron/engine/toolchain/gpus'

let folder: string
const { PATH } = process.env
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-cuda-'))
})
afterAll(() => {
  process.env['PATH'] = PATH
  forgetGpus()
  fs.rmSync(folder, { recursive: true, force: true })
})

/** A program in a folder of its own. */
function program(name: string, script: string): string {
  const place = fs.mkdtempSync(path.join(folder, 'bin-'))
  const file = path.join(place, name)
  fs.writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return file
}

describe('versions of driver, toolkit and libtorch', () => {
  const kindsOf = (versions: CudaVersions): string[] =>
    cudaMismatches(versions).map(({ kind, of }) => `${of} ${kind}`)

  it.each([
    ['what fits', { nvcc: '13.0', libtorch: '13.0', driver: '13.0' }, []],
    ['a CPU build without a driver', { nvcc: '13.0', libtorch: '', driver: '' }, []],
    ['nothing', { nvcc: '', libtorch: '', driver: '' }, []],
    ['another major', { nvcc: '12.8', libtorch: '13.0', driver: '13.0' }, ['nvcc blocks']],
    ['a newer minor', { nvcc: '12.8', libtorch: '12.6', driver: '12.8' }, ['nvcc limits']],
    ['an older minor', { nvcc: '12.4', libtorch: '12.6', driver: '12.8' }, []],
    ["libtorch's minor newer than the driver", { nvcc: '', libtorch: '12.8', driver: '12.4' }, []],
    ['a driver of before', { nvcc: '', libtorch: '13.0', driver: '12.4' }, ['driver blocks']],
    ['nvcc newer than it', { nvcc: '13.0', libtorch: '', driver: '12.9' }, ['driver blocks']],
    ['PTX newer than it', { nvcc: '12.8', libtorch: '12.8', driver: '12.4' }, ['driver limits']],
  ])('%s', (_name, versions, expected) => {
    expect(kindsOf(versions)).toEqual(expected)
  })

  it('a driver that is too old says which one helps, and which torch', () => {
    const [mismatch] = cudaMismatches({ nvcc: '', libtorch: '13.0', driver: '12.4' })
    expect(mismatch?.message).toBe(
      'The driver supports CUDA up to 12.4, but libtorch was built with CUDA 13.0, so libtorch finds no CUDA device.',
    )
    expect(mismatch?.remedy).toMatch(/driver 580 or newer.*whl\/cu126$/)
  })
})

describe("nvcc's host compiler", () => {
  const header = `
#if (__GRCO_CLANG_COMPILER__ == 1) && ((__clang_major__ < 16) || (__clang_major__ > 20))
#if __GNUC__ > 13
#error -- unsupported GNU version!
#if (__clang_major__ >= 18) || (__clang_major__ < 3) || ((__clang_major__ == 3) && (__clang_minor__ < 3))
`
  const limits = hostLimitsOf(header)
  const compiler = (family: Compiler['family'], major: number): Compiler => ({
    family,
    path: family === 'clang' ? `/usr/bin/clang++-${major}` : `/usr/bin/g++-${major}`,
    version: `${major}.1`,
    major,
    identity: '',
    judgement: 'usable',
    why: '',
    remedy: '',
    linker: '',
  })
  const gcc = (major: number): { path: string; major: number } => ({
    path: `/usr/bin/g++-${major}`,
    major,
  })
  const hostOf = (
    chosen: Compiler,
    gccs: { path: string; major: number }[],
  ): ReturnType<typeof chooseHost> =>
    chooseHost({ version: '12.6', hostLimits: limits, gccs }, chosen)

  it("the toolkit's own header says which it takes", () => {
    expect(limits).toEqual({ newestGcc: 13, oldestClang: 3, newestClang: 17 })
    expect(hostLimitsOf('')).toBeUndefined()
  })

  it.each([
    ['the g++ that builds', compiler('g++', 12), [gcc(12)], '/usr/bin/g++-12', ''],
    ['with clang, the gcc that nvcc finds', compiler('clang', 19), [gcc(12)], '', ''],
    [
      'with clang and a gcc that is too new, an older one',
      compiler('clang', 19),
      [gcc(14), gcc(12), gcc(13)],
      '/usr/bin/g++-13',
      '/usr/bin/g++-13 is used: nvcc 12.6 supports g++ up to 13, but /usr/bin/g++-14 is version 14',
    ],
    [
      'an older g++ where the one that builds is too new',
      compiler('g++', 14),
      [gcc(14), gcc(13)],
      '/usr/bin/g++-13',
      '/usr/bin/g++-13 is used: nvcc 12.6 supports g++ up to 13, but /usr/bin/g++-14 is version 14',
    ],
    [
      'clang where no g++ is old enough',
      compiler('clang', 17),
      [gcc(14)],
      '/usr/bin/clang++-17',
      '/usr/bin/clang++-17 is used: nvcc 12.6 supports g++ up to 13, but /usr/bin/g++-14 is version 14',
    ],
    ['clang where there is no g++', compiler('clang', 17), [], '/usr/bin/clang++-17', ''],
  ])('is %s', (_name, chosen, gccs, expected, remark) => {
    expect(hostOf(chosen, gccs)).toEqual({ path: expected, remark, refused: '' })
  })

  it('is named as refused before nvcc refuses it', () => {
    expect(hostOf(compiler('clang', 19), [gcc(14)]).refused).toBe(
      'nvcc 12.6 supports g++ up to 13, but /usr/bin/g++-14 is version 14',
    )
    expect(hostOf(compiler('clang', 19), []).refused).toBe('nvcc 12.6 does not support clang 19')
  })
})

describe('the CUDA of a libtorch folder', () => {
  function libtorchWith(files: Record<string, string>): string {
    const made = fs.mkdtempSync(path.join(folder, 'torch-'))
    const all = { 'lib/libtorch_cpu.so': '', 'include/torch/library.h': '', ...files }
    for (const [name, text] of Object.entries(all)) {
      fs.mkdirSync(path.dirname(path.join(made, name)), { recursive: true })
      fs.writeFileSync(path.join(made, name), text)
    }
    return made
  }

  const gpuBuild = { 'lib/libtorch_cuda.so': '' }

  it.each([
    ['a wheel', { ...gpuBuild, 'version.py': "__version__ = '2.9.1'\ncuda = '12.8'\n" }, '12.8'],
    ['an archive', { ...gpuBuild, 'build-version': '2.13.0+cu130\n' }, '13.0'],
    ['an older archive', { ...gpuBuild, 'build-version': '2.6.0+cu118\n' }, '11.8'],
    [
      'an archive without build-version',
      { ...gpuBuild, 'lib/libc10_cuda.so': '\x7fELF\0libcudart-9335f6a2.so.12\0' },
      '12',
    ],
    ['a CPU build', { 'build-version': '2.13.0+cpu\n' }, ''],
  ])('of %s', (_name, files, expected) => {
    expect(describeLibtorch(libtorchWith(files), 'test')?.cuda).toBe(expected)
  })
})

describe('GPUs', () => {
  const limits = { seconds: 45, outputBytes: 1 << 20, memoryBytes: 0 }
  const patience = { smi: limits, driver: limits }
  const driver = (): string =>
    program(
      'opsmith_launcher',
      `printf 'why\\t\\ncode\\tCUDA_SUCCESS\\nversion\\t12080\\ndevice\\tNVIDIA H100\\t90\\t85899345920\\t52428800\\t132\\t1980000000\\t2619000000\\t5120\\t0000:01:00.0\\n'`,
    )
  /** nvidia-smi as a script; "" for none. */
  const withSmi = (script: string): void => {
    const smi = script === '' ? '' : `${path.dirname(program('nvidia-smi', script))}:`
    process.env['PATH'] = `${smi}/usr/bin:/bin`
    forgetGpus()
  }
  const table = 'case "$1" in --query*) '

  it('several, with MIG and the CUDA that the driver takes, by nvidia-smi', async () => {
    withSmi(`${table} echo 'NVIDIA A100, 550.54, 40960 MiB, 8.0, Enabled'
echo 'NVIDIA GeForce RTX 4090, 550.54, 24564 MiB, 8.9, [N/A]';; *) echo '| CUDA Version: 12.4 |';; esac`)
    const { gpus, driverCuda } = await searchGpus('', patience)
    expect(driverCuda).toBe('12.4')
    expect(gpus.map((gpu) => [gpu.architecture, gpu.isDivided, gpu.driver])).toEqual([
      ['80', true, '550.54'],
      ['89', false, '550.54'],
    ])
  })

  it('by the driver where nvidia-smi is late', async () => {
    withSmi('sleep 600')
    const found = await searchGpus(driver(), { ...patience, smi: { ...limits, seconds: 0.3 } })
    expect(found).toMatchObject({ driverCuda: '12.8', gpus: [{ architecture: '90' }] })
    expect(found.why).toMatch(/nvidia-smi did not answer within .*persistence mode/)
  })

  it('by the driver where there is no nvidia-smi', async () => {
    withSmi('')
    expect((await searchGpus(driver(), patience)).gpus).toMatchObject([
      { name: 'NVIDIA H100', architecture: '90', detail: '81920 MiB, compute capability 9.0' },
    ])
  })

  it('that an old nvidia-smi lists without their compute capability, by the driver', async () => {
    withSmi(`case "$1" in *compute_cap*) echo 'Field "compute_cap" is not a valid field to query.'; exit 2;;
*) echo 'Tesla T4, 418.67, 15079 MiB';; esac`)
    expect((await searchGpus('', patience)).gpus).toMatchObject([
      { name: 'Tesla T4', architecture: '', driver: '418.67' },
    ])
    forgetGpus()
    expect((await searchGpus(driver(), patience)).gpus).toMatchObject([{ architecture: '90' }])
  })

  it('none is asked for again, so that one that came late is found', async () => {
    withSmi('echo "NVIDIA-SMI has failed because it could not communicate with the driver"; exit 9')
    const before = await searchGpus('', patience)
    expect(before.why).toMatch(/^nvidia-smi says: NVIDIA-SMI has failed/)
    const smi = `echo 'NVIDIA T4, 550.54, 15360 MiB, 7.5, [N/A]'`
    process.env['PATH'] = `${path.dirname(program('nvidia-smi', smi))}:/usr/bin:/bin`
    expect((await searchGpus('', patience)).gpus).toMatchObject([{ architecture: '75' }])
  })

  it('a build does not wait for a question that was answered, and sees what Doctor finds', async () => {
    withSmi('exit 9')
    const smi = (process.env['PATH'] ?? '').split(':')[0] ?? ''
    expect((await recentGpus('')).gpus).toEqual([])
    const late = `echo asked >> ${smi}/asked; echo 'NVIDIA T4, 550.54, 15360 MiB, 7.5, [N/A]'`
    fs.writeFileSync(path.join(smi, 'nvidia-smi'), `#!/bin/sh\n${late}\n`)
    expect((await recentGpus('')).gpus).toEqual([])
    expect(fs.existsSync(path.join(smi, 'asked'))).toBe(false)
    await searchGpus('', patience)
    expect((await recentGpus('')).gpus).toMatchObject([{ architecture: '75' }])
  })

  it('a driver that refuses says why', async () => {
    const refusing = program(
      'opsmith_launcher',
      `printf 'why\\tNVIDIA’s driver returns CUDA_ERROR_NO_DEVICE\\ncode\\tCUDA_ERROR_NO_DEVICE\\nversion\\t12040\\n'`,
    )
    expect(await askDriver(refusing)).toEqual({
      why: 'NVIDIA’s driver returns CUDA_ERROR_NO_DEVICE',
      code: 'CUDA_ERROR_NO_DEVICE',
      version: 12040,
      devices: [],
    })
    expect(parseDriverReport('')).toMatchObject({ why: '', devices: [] })
  })
})
