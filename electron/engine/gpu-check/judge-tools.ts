import { cudaVersionOf } from '../toolchain/driver-report'
import type { DriverReport } from '../toolchain/driver-report'
import { cudaMismatches } from '../toolchain/cuda-versions'
import type { Gpu } from '../toolchain/gpus'
import { counted, failed, judge, sentence, skipped } from './judgement'
import type { Judgement } from './judgement'

export interface DriverFacts {
  /** undefined before set-up has built the program that asks the driver. */
  driver: DriverReport | undefined
  /** By nvidia-smi or the driver; by PCI where there is no driver. */
  gpus: readonly Gpu[]
  /** Why nvidia-smi lists fewer than there are; "" else. */
  unlisted: string
  /** CUDA that libtorch was built with, and nvcc's; "" for none. */
  libtorchCuda: string
  nvcc: string
  isWsl: boolean
  /** By nvidia-smi: "Enabled"; "" where it does not say. */
  persistence: string
}

/** Why a GPU that is here cannot be used, or that there is none. */
function judgeWithoutDriver({ driver, gpus }: DriverFacts, why: string): Judgement {
  const figures = { GPUs: gpus.length, cuInit: driver?.code ?? '' }
  if (gpus.length === 0) return skipped(sentence(`No NVIDIA GPU was found: ${why}`), figures)
  const names = gpus.map(({ name }) => name).join(', ')
  return failed(sentence(`${names} cannot be used: ${why}`), figures)
}

/** The driver opens, has devices, and fits libtorch and nvcc. */
export function judgeDriver(facts: DriverFacts): Judgement {
  const { driver, gpus, isWsl, persistence } = facts
  if (!driver)
    return judgeWithoutDriver(
      facts,
      'Opsmith cannot query the driver before set-up: run opsmith setup (in a clone of the repository: npm run setup)',
    )
  if (driver.why !== '') return judgeWithoutDriver(facts, driver.why)
  const version = cudaVersionOf(driver.version)
  const mismatches = cudaMismatches({
    nvcc: facts.nvcc,
    libtorch: facts.libtorchCuda,
    driver: version,
  })
  const saying = (kind: 'blocks' | 'limits'): string[] =>
    mismatches.filter((one) => one.kind === kind).map(({ message }) => message.replace(/\.$/, ''))
  const names = driver.devices.map(({ name }) => name).join(', ')
  return judge(
    {
      wrong: saying('blocks'),
      doubts: [
        ...saying('limits'),
        ...(gpus.some(({ isDivided }) => isDivided)
          ? ['a GPU is partitioned (MIG): times are for one instance']
          : []),
        ...(facts.unlisted === '' ? [] : [facts.unlisted]),
        ...(isWsl
          ? [
              'in WSL, the driver may not report clocks, and the profiler may not record GPU kernels',
            ]
          : []),
      ],
      found: `cuInit returns ${driver.code}; the driver supports CUDA up to ${version} and has ${counted(driver.devices.length, 'GPU')}: ${names}`,
    },
    {
      cuInit: driver.code,
      'CUDA of the driver': version,
      'CUDA of libtorch': facts.libtorchCuda === '' ? 'none' : facts.libtorchCuda,
      'CUDA of nvcc': facts.nvcc === '' ? 'none' : facts.nvcc,
      GPUs: driver.devices.length,
      'persistence mode': persistence === '' ? 'not known' : persistence,
    },
  )
}

/** Compute capabilities that code is in libtorch for: sm_ is machine code, compute_ PTX. */
export function architecturesIn(config: string): { machine: number[]; ptx: number[] } {
  const numbers = (pattern: RegExp): number[] => [
    ...new Set([...config.matchAll(pattern)].map((match) => Number(match[1]))),
  ]
  return {
    machine: numbers(/code=sm_(\d+)/g),
    ptx: numbers(/code=compute_(\d+)/g),
  }
}

/** Whether code for these runs on a GPU. */
function covers({ machine, ptx }: ReturnType<typeof architecturesIn>, gpu: number): boolean {
  const major = Math.floor(gpu / 10)
  return (
    machine.some((one) => Math.floor(one / 10) === major && one <= gpu) ||
    ptx.some((one) => one <= gpu)
  )
}

export interface LibtorchFacts {
  version: string
  isCudaBuild: boolean
  devices: number
  config: string
  driver: DriverReport
  /** One small addition on each device: what is wrong with it; "" for the right numbers. */
  additions: readonly string[]
}

/** libtorch sees the driver's devices, has code for each, and computes on each. */
export function judgeLibtorch(facts: LibtorchFacts): Judgement {
  const { version, driver, devices, additions } = facts
  const code = architecturesIn(facts.config)
  const figures = {
    libtorch: version,
    devices,
    'devices of the driver': driver.devices.length,
    'machine code for': code.machine.map((one) => `sm_${one}`).join(' '),
  }
  if (!facts.isCudaBuild)
    return skipped(
      `Not checked: libtorch ${version} is a CPU build, which cannot use a GPU. Choose a CUDA build of libtorch in Doctor.`,
      figures,
    )
  const uncovered = driver.devices.filter(
    ({ architecture }) => code.machine.length > 0 && !covers(code, Number(architecture)),
  )
  const wrong = [
    ...(devices === driver.devices.length
      ? []
      : [
          `libtorch sees ${counted(devices, 'device')}, but the driver has ${driver.devices.length}`,
        ]),
    ...uncovered.map(
      ({ name, architecture }) =>
        `libtorch has no code for ${name} (sm_${architecture}): choose another build of libtorch in Doctor`,
    ),
    ...additions.flatMap((one, index) => (one === '' ? [] : [`cuda:${index}: ${one}`])),
  ]
  const found = `libtorch ${version} sees ${counted(devices, 'device')} and computes the right sum on each`
  return judge({ wrong, doubts: [], found }, figures)
}

export interface ToolchainFacts {
  nvcc: string
  /** Why its host compiler will be refused; "" else. */
  refusedHost: string
  build: { error: string; seconds: number; kernels: string }
  /** What ran on the device; undefined where there is none, `missing` says why. */
  ran: { wrong: string[]; firstSeconds: number } | undefined
  missing: string
}

/** From here on the first call of a kernel has compiled PTX. */
const longFirstCall = 1

/** nvcc compiles for the GPU here, with and without libtorch's headers, and the kernels give the right numbers. */
export function judgeToolchain(facts: ToolchainFacts): Judgement {
  const { nvcc, build, ran } = facts
  const figures = {
    nvcc,
    'kernels for': build.kernels,
    'build, s': Number(build.seconds.toFixed(1)),
    ...(ran ? { 'first call, s': Number(ran.firstSeconds.toFixed(3)) } : {}),
  }
  if (build.error !== '') {
    const host = facts.refusedHost === '' ? '' : ` (${facts.refusedHost})`
    return failed(sentence(`a small CUDA library does not build: ${build.error}${host}`), figures)
  }
  const built = `nvcc ${nvcc} compiles two kernels for ${build.kernels}, one of them with libtorch’s headers`
  if (!ran)
    return skipped(sentence(`${built}; the kernels were not run: ${facts.missing}`), figures)
  const isSlow = ran.firstSeconds > longFirstCall
  return judge(
    {
      wrong: ran.wrong,
      doubts: isSlow
        ? [
            `the first call took ${ran.firstSeconds.toFixed(1)} s: its kernel was probably compiled from PTX`,
          ]
        : [],
      found: `${built}, and both kernels give the right numbers`,
    },
    figures,
  )
}

/** For checks that measure: why they cannot; "" where they can. */
export function whyNoDevice(facts: DriverFacts, isCudaBuild: boolean): string {
  const { driver } = facts
  const reasons = [
    ...(driver && driver.why !== '' ? [driver.why] : []),
    ...(driver
      ? []
      : [
          'Opsmith cannot query the driver before set-up: run opsmith setup (in a clone of the repository: npm run setup)',
        ]),
    ...(isCudaBuild ? [] : ['this libtorch is a CPU build']),
  ]
  return reasons.join('; ')
}
