import type { Libtorch } from './libtorch'

const parts = (version: string): number[] => version.split('.').map((part) => Number(part) || 0)

/** Below 0 where the first is older, 0 where they are the same: "12.4" and "12.10". */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [parts(one), parts(other)]
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

const majorOf = (version: string): number => parts(version)[0] ?? 0

/**
 * Whether libraries take the CUDA runtime that libtorch has loaded. nvcc's code calls functions that the runtime of an
 * older minor version lacks: "undefined symbol: cudaLibraryGetKernel" when the library is loaded.
 */
export function sharesRuntime(
  { version }: { version: string },
  { hasCuda, cuda }: Pick<Libtorch, 'hasCuda' | 'cuda'>,
): boolean {
  return (
    hasCuda &&
    // Of a libtorch whose minor version is not known, its runtime may be older.
    /^\d+\.\d+/.test(cuda) &&
    majorOf(version) === majorOf(cuda) &&
    compareVersions(version, cuda) <= 0
  )
}

export interface CudaVersions {
  /** Of nvcc; "" where there is none. */
  nvcc: string
  /** That libtorch was built with, "13" where only that is known; "" of a CPU build. */
  libtorch: string
  /** That the driver takes at most; "" where there is none, or it does not say. */
  driver: string
}

export interface VersionMismatch {
  /** `blocks`: something does not work; `limits`: something works in another way than expected. */
  kind: 'blocks' | 'limits'
  /** What does not fit: the finding of doctor that it belongs to. */
  of: 'driver' | 'nvcc' | 'libtorch'
  message: string
  remedy: string
}

/** The first driver for CUDA of a major version, which runs all its minor versions. */
const firstDrivers: Readonly<Record<number, string>> = { 11: '450', 12: '525', 13: '580' }

function driverRemedy(version: string): string {
  const first = firstDrivers[majorOf(version)]
  return first === undefined
    ? `Install a driver for CUDA ${version}.`
    : `Install NVIDIA driver ${first} or newer.`
}

/** The builds of torch that every driver of a major version runs. Of most minor versions there is none. */
const wheels: Readonly<Record<number, string>> = { 11: 'cu118', 12: 'cu126' }

const wheelOf = (cuda: string): string =>
  wheels[majorOf(cuda)] ?? `cu${parts(cuda).slice(0, 2).join('')}`

/** What does not fit between driver, toolkit and libtorch, with what each mismatch does and what helps. */
export function cudaMismatches({ nvcc, libtorch, driver }: CudaVersions): VersionMismatch[] {
  const found: VersionMismatch[] = []
  if (nvcc !== '' && libtorch !== '' && majorOf(nvcc) !== majorOf(libtorch)) {
    found.push({
      kind: 'blocks',
      of: 'nvcc',
      message: `nvcc is CUDA ${nvcc}, but libtorch was built with CUDA ${libtorch}: their major versions must be the same.`,
      remedy: `Install the CUDA ${libtorch} toolkit, or choose another libtorch.`,
    })
  } else if (
    nvcc !== '' &&
    libtorch !== '' &&
    !sharesRuntime({ version: nvcc }, { hasCuda: true, cuda: libtorch })
  ) {
    found.push({
      kind: 'limits',
      of: 'nvcc',
      message: `nvcc is CUDA ${nvcc}, which is newer than libtorch's CUDA ${libtorch}. Libraries that Opsmith builds get their own CUDA runtime, because libtorch's CUDA runtime lacks functions that nvcc's code calls.`,
      remedy: `Install the CUDA ${libtorch} toolkit to share libtorch's runtime.`,
    })
  }
  if (driver === '') return found
  if (libtorch !== '' && majorOf(driver) < majorOf(libtorch)) {
    found.push({
      kind: 'blocks',
      of: 'driver',
      message: `The driver supports CUDA up to ${driver}, but libtorch was built with CUDA ${libtorch}, so libtorch finds no CUDA device.`,
      remedy: `${driverRemedy(libtorch)} Or install a PyTorch build for CUDA ${majorOf(driver)}: pip install torch --index-url https://download.pytorch.org/whl/${wheelOf(driver)}`,
    })
  }
  if (nvcc !== '' && majorOf(driver) < majorOf(nvcc)) {
    found.push({
      kind: 'blocks',
      of: 'driver',
      message: `The driver supports CUDA up to ${driver}, but nvcc is CUDA ${nvcc}: GPU kernels compile, but their first launch fails with "driver version is insufficient for CUDA runtime version".`,
      remedy: `${driverRemedy(nvcc)} Or install the CUDA ${driver} toolkit.`,
    })
  } else if (nvcc !== '' && compareVersions(driver, nvcc) < 0) {
    found.push({
      kind: 'limits',
      of: 'driver',
      message: `The driver supports CUDA up to ${driver}, but nvcc is CUDA ${nvcc}: kernels with machine code for this GPU work, but kernels with only PTX fail ("the provided PTX was compiled with an unsupported toolchain").`,
      remedy: `Install a driver for CUDA ${nvcc}, or the CUDA ${driver} toolkit.`,
    })
  }
  return found
}
