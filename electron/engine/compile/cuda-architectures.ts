import type { Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { manifestFileOf } from '../project/manifest-place'
import type { CudaToolkit } from '../toolchain/cuda'

/** "80", "8.0" and "sm_80" are one architecture, "90a" another; undefined for what is none. */
export function architectureOf(text: string): string | undefined {
  const match = /^(?:sm_|compute_)?(\d{1,2})\.?(\d)([af]?)$/.exec(text.trim())
  return match ? `${match[1]}${match[2]}${match[3]}` : undefined
}

export interface ChosenArchitectures {
  /** The oldest first: "80", "90a". */
  architectures: string[]
  /** Those whose PTX goes into the library, for GPUs that none of the machine code runs on. */
  ptx: string[]
  /** What the build log says of the choice. */
  remarks: string[]
}

type Known = Pick<CudaToolkit, 'version' | 'supported' | 'present'>

/** Of boards with a GPU of their own design (Jetson, Drive): code for them runs on no card, and the other way round. */
const boards = new Set(['53', '62', '72', '87', '88', '101', '110'])

const majorOf = (architecture: string): number => Math.floor(Number.parseInt(architecture) / 10)
const baseOf = (architecture: string): string => architecture.replace(/[af]$/, '')
/** "9.0" of "90a" */
const capabilityOf = (architecture: string): string =>
  `${majorOf(architecture)}.${Number.parseInt(architecture) % 10}`

/** "sm_80, sm_90a" */
const smNames = (architectures: readonly string[]): string =>
  architectures.map((one) => `sm_${one}`).join(', ')

const byNumber = (a: string, b: string): number =>
  Number.parseInt(a) - Number.parseInt(b) || a.localeCompare(b)

interface Mapped {
  architectures: string[]
  /** It takes PTX, which the driver compiles when the library is loaded. */
  isPtx: boolean
}

/** What is compiled for a GPU of this machine; undefined where nvcc has nothing that it runs. */
function mapGpu(
  gpu: string,
  wanted: readonly string[],
  supported: readonly string[],
): Mapped | undefined {
  const number = Number(gpu)
  // "90a" is Hopper's own instructions, "100f" those of its family: a project that names them needs them.
  const special = wanted.filter((one) => {
    const base = Number(baseOf(one))
    const isFamily = one.endsWith('f') && majorOf(one) === majorOf(gpu) && base <= number
    return (one.endsWith('a') && base === number) || isFamily
  })
  if (special.length > 0) return { architectures: special, isPtx: false }
  if (supported.includes(gpu)) return { architectures: [gpu], isPtx: false }
  const older = supported.filter((one) => Number(one) < number && !boards.has(one))
  const best = older.sort(byNumber).at(-1)
  if (best === undefined) return undefined
  // Machine code runs on later GPUs of the same major number.
  return { architectures: [best], isPtx: majorOf(best) !== majorOf(gpu) }
}

interface ForGpus {
  chosen: Set<string>
  ptx: Set<string>
  remarks: string[]
}

function forPresent({ supported, present, version }: Known, wanted: readonly string[]): ForGpus {
  const found: ForGpus = { chosen: new Set(), ptx: new Set(), remarks: [] }
  for (const gpu of present) {
    const mapped = mapGpu(gpu, wanted, supported)
    if (!mapped) {
      found.remarks.push(
        `GPU kernels are not compiled for this machine's GPU (compute capability ${capabilityOf(gpu)}): nvcc ${version} compiles only for ${capabilityOf(supported[0] ?? '')} and newer`,
      )
      continue
    }
    for (const one of mapped.architectures) {
      found.chosen.add(one)
      if (mapped.isPtx) found.ptx.add(one)
    }
    if (mapped.isPtx) {
      found.remarks.push(
        `nvcc ${version} cannot make machine code for this machine's GPU (compute capability ${capabilityOf(gpu)}), so the driver compiles the GPU kernels when the library is loaded`,
      )
    }
  }
  return found
}

/**
 * What the kernels of a build are compiled for: what was asked for with it, else the GPUs that are here, else the
 * project's list, else the oldest that nvcc knows, whose PTX every newer GPU translates when the library is loaded.
 * Errors: nvcc does not know one of the list, or has nothing for any GPU here (`project.invalid`).
 */
export function chooseArchitectures(
  cuda: Known,
  folder: string,
  manifest: Pick<Manifest, 'cudaArchitectures'>,
  asked: readonly string[],
): Result<ChosenArchitectures> {
  const isSupported = (one: string): boolean => cuda.supported.includes(baseOf(one))
  if (asked.length === 0 && cuda.present.length > 0) {
    const listed = manifest.cudaArchitectures.flatMap((text) => architectureOf(text) ?? [])
    const { chosen, ptx, remarks } = forPresent(cuda, listed.filter(isSupported))
    const architectures = [...chosen].sort(byNumber)
    if (architectures.length > 0) {
      const names = smNames(architectures)
      const which = cuda.present.length === 1 ? 'GPU' : 'GPUs'
      return ok(
        withNewestPtx(architectures, ptx, [
          `GPU kernels are compiled for ${names} (chosen for this machine's ${which})`,
          ...remarks,
        ]),
      )
    }
    if (listed.length === 0) {
      return err(
        'project.invalid',
        `nvcc ${cuda.version} cannot compile for any GPU of this machine.`,
        {
          hint: `nvcc compiles for ${smNames(cuda.supported)}. The GPUs of this machine are ${smNames(cuda.present)}. Install an older CUDA toolkit. Or, to build for the GPUs of other machines, set "cudaArchitectures" in opsmith.json.`,
        },
      )
    }
    return listedArchitectures(cuda, folder, manifest.cudaArchitectures, remarks)
  }
  if (asked.length > 0) return listedArchitectures(cuda, '', asked, [])
  return manifest.cudaArchitectures.length > 0
    ? listedArchitectures(cuda, folder, manifest.cudaArchitectures, [])
    : ok(withNewestPtx(cuda.supported.slice(0, 1), new Set(), []))
}

function withNewestPtx(
  architectures: string[],
  ptx: ReadonlySet<string>,
  remarks: string[],
): ChosenArchitectures {
  const newest = architectures.at(-1)
  return {
    architectures,
    ptx: [...new Set([...ptx, ...(newest === undefined ? [] : [newest])])].sort(byNumber),
    remarks,
  }
}

/** @param folder of the project whose opsmith.json has the list; "" for one from elsewhere */
function listedArchitectures(
  cuda: Known,
  folder: string,
  list: readonly string[],
  remarks: string[],
): Result<ChosenArchitectures> {
  const found = new Set<string>()
  for (const text of list) {
    const one = architectureOf(text)
    if (one === undefined || !cuda.supported.includes(baseOf(one))) {
      const hint = `Write a GPU's compute capability without the point, such as "90" for 9.0. This nvcc supports ${cuda.supported.join(', ')}.`
      const message = `nvcc ${cuda.version} does not compile for the architecture ${JSON.stringify(text)}.`
      if (folder === '') return err('project.invalid', message, { hint })
      const file = manifestFileOf(folder)
      const place = { hint, path: 'cudaArchitectures', file }
      return err('project.invalid', `opsmith.json, cudaArchitectures: ${message}`, place)
    }
    found.add(one)
  }
  return ok(withNewestPtx([...found].sort(byNumber), new Set(), remarks))
}

/** Machine code for each, and PTX where it is wanted. */
export function generatedCode({
  architectures,
  ptx,
}: Pick<ChosenArchitectures, 'architectures' | 'ptx'>): string[] {
  return architectures.flatMap((one) => [
    '-gencode',
    ptx.includes(one)
      ? `arch=compute_${one},code=[sm_${one},compute_${one}]`
      : `arch=compute_${one},code=sm_${one}`,
  ])
}
