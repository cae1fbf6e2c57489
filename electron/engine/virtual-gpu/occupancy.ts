/**
 * How many blocks a multiprocessor of a GPU runs at once. Limits are those of the CUDA C++
 * Programming Guide (compute capabilities, technical specifications); the sizes in which registers
 * and shared memory are handed out are those of NVIDIA's occupancy calculator.
 */
import { occupancyLimits } from '../../contract/occupancy'
import type {
  BlockNeeds,
  Occupancy,
  OccupancyArchitecture,
  OccupancyCurves,
  OccupancyLimit,
  OccupancyPoint,
} from '../../contract/occupancy'

interface Multiprocessor {
  warps: number
  blocks: number
  /** Bytes of all blocks together. */
  sharedMemory: number
  /** Bytes that one block may have, if its kernel asks for more than 48 KB. */
  sharedOfBlock: number
  /** Bytes that the driver takes of each block. */
  reservedShared: number
  /** Shared memory is handed out in multiples of this many bytes. */
  sharedStep: number
}

const KB = 1024
const turing = { reservedShared: 0, sharedStep: 256 }
const later = { reservedShared: KB, sharedStep: 128 }

/** A multiprocessor of each architecture. */
export const multiprocessors: Readonly<Record<OccupancyArchitecture, Multiprocessor>> = {
  sm_75: { warps: 32, blocks: 16, sharedMemory: 64 * KB, sharedOfBlock: 64 * KB, ...turing },
  sm_80: { warps: 64, blocks: 32, sharedMemory: 164 * KB, sharedOfBlock: 163 * KB, ...later },
  sm_86: { warps: 48, blocks: 16, sharedMemory: 100 * KB, sharedOfBlock: 99 * KB, ...later },
  sm_87: { warps: 48, blocks: 16, sharedMemory: 164 * KB, sharedOfBlock: 163 * KB, ...later },
  sm_89: { warps: 48, blocks: 24, sharedMemory: 100 * KB, sharedOfBlock: 99 * KB, ...later },
  sm_90: { warps: 64, blocks: 32, sharedMemory: 228 * KB, sharedOfBlock: 227 * KB, ...later },
  sm_100: { warps: 64, blocks: 32, sharedMemory: 228 * KB, sharedOfBlock: 227 * KB, ...later },
  sm_120: { warps: 48, blocks: 24, sharedMemory: 100 * KB, sharedOfBlock: 99 * KB, ...later },
}

const lanesOfWarp = 32
const mostThreadsOfBlock = 1024
const mostRegistersOfThread = 255
/** Of a multiprocessor, and also the most that one block can have. */
const registersOfMultiprocessor = 64 * KB
/** A multiprocessor has four parts, each with warps and registers of its own. */
const parts = 4
/** A warp's registers come in multiples of this. */
const registerStep = 256

const multipleOf = (step: number, value: number): number => Math.ceil(value / step) * step

function blocksByRegisters(registers: number | undefined, warps: number): number {
  if (registers === undefined || registers === 0) return Infinity
  if (registers > mostRegistersOfThread) return 0
  const ofWarp = multipleOf(registerStep, registers * lanesOfWarp)
  // A launch is refused as if its warps were spread over all parts evenly.
  if (ofWarp * multipleOf(parts, warps) > registersOfMultiprocessor) return 0
  const warpsOfPart = Math.floor(registersOfMultiprocessor / parts / ofWarp)
  return Math.floor((warpsOfPart * parts) / warps)
}

function blocksByShared(model: Multiprocessor, bytes: number): number {
  const allocated = multipleOf(model.sharedStep, bytes + model.reservedShared)
  if (allocated > model.sharedOfBlock + model.reservedShared) return 0
  return allocated === 0 ? Infinity : Math.floor(model.sharedMemory / allocated)
}

/** Blocks that fit on a multiprocessor, by each of its resources. */
function blocksByResource(
  architecture: OccupancyArchitecture,
  { threads, registers, staticShared, dynamicShared }: BlockNeeds,
): Record<OccupancyLimit, number> {
  const model = multiprocessors[architecture]
  const warps = Math.ceil(threads / lanesOfWarp)
  const isBlock = threads > 0 && threads <= mostThreadsOfBlock
  return {
    warps: isBlock ? Math.floor(model.warps / warps) : 0,
    registers: isBlock ? blocksByRegisters(registers, warps) : 0,
    'shared-memory': blocksByShared(model, staticShared + dynamicShared),
    blocks: model.blocks,
  }
}

/** Occupancy of a multiprocessor, with what limits it. */
export function occupancyOf(architecture: OccupancyArchitecture, needs: BlockNeeds): Occupancy {
  const by = blocksByResource(architecture, needs)
  const blocks = Math.min(...Object.values(by))
  const warps = blocks * Math.ceil(needs.threads / lanesOfWarp)
  return {
    architecture,
    blocks,
    warps,
    occupancy: warps / multiprocessors[architecture].warps,
    limitedBy: occupancyLimits.options.filter((limit) => by[limit] === blocks),
  }
}

/** How occupancy would change with other block sizes, registers and shared memory. */
export function curvesOf(architecture: OccupancyArchitecture, needs: BlockNeeds): OccupancyCurves {
  const point = (value: number, changed: Partial<BlockNeeds>): OccupancyPoint => {
    const { blocks, occupancy } = occupancyOf(architecture, { ...needs, ...changed })
    return { value, blocks, occupancy }
  }
  const values = (step: number, from: number, to: number): number[] =>
    Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step)
  return {
    threads: values(lanesOfWarp, lanesOfWarp, mostThreadsOfBlock).map((threads) =>
      point(threads, { threads }),
    ),
    registers:
      needs.registers === undefined
        ? []
        : values(1, 1, mostRegistersOfThread).map((registers) => point(registers, { registers })),
    sharedMemory: values(KB / 2, 0, multiprocessors[architecture].sharedOfBlock).map((bytes) =>
      point(bytes, { staticShared: 0, dynamicShared: bytes }),
    ),
  }
}
