/** What a counted run wrote: instructions become lines of the user's sources. */
import { z } from 'zod'

import { countsBasis } from '../../contract/gpu-counts'
import type {
  GpuCounts,
  GpuCountSums,
  GpuKernelCounts,
  GpuLineCounts,
  OperationCounts,
} from '../../contract/gpu-counts'
import { modulePlace, writtenSite } from '../../contract/gpu-findings'
import type { ModulePlace, SourcePlace } from '../../contract/gpu-findings'
import { occupancyArchitectures } from '../../contract/occupancy'
import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Located } from '../host/symbolize'
import { gpuFolder } from '../compile/virtual-gpu/flags'
import { locateModulePlaces, ownLine } from './code-places'
import { disassemble } from './machine-operations'
import type { MachineCode, Operation } from './machine-operations'
import { occupancyOf } from './occupancy'
import { readWritten } from './written-file'

const writtenSums = z.object({
  requests: z.number(),
  lanes: z.number(),
  bytes: z.number(),
  sectors: z.number(),
  wavefronts: z.number(),
  least: z.number(),
  addresses: z.number(),
  serial: z.number(),
})
type WrittenSums = z.infer<typeof writtenSums>

const writtenInstruction = z.object({
  id: z.number(),
  place: modulePlace.nullable(),
  kind: z.enum(['load', 'store', 'atomic']),
  space: z.enum(['global', 'shared']),
  sums: writtenSums,
  /** With the instructions that always continue its bytes, where all are then one vector. */
  wide: writtenSums.optional(),
  follows: z.number().optional(),
})
type WrittenInstruction = z.infer<typeof writtenInstruction>

const writtenKernel = z.object({
  kernel: z.string(),
  launched: writtenSite,
  staticShared: z.number(),
  configurations: z.array(
    z.object({
      block: z.tuple([z.number(), z.number(), z.number()]),
      dynamicShared: z.number(),
      launches: z.number(),
      blocks: z.number(),
    }),
  ),
  sites: z.array(writtenInstruction),
  barriers: z.array(z.object({ site: writtenSite, warps: z.number(), lanes: z.number() })),
  codeBlocks: z.array(z.object({ place: modulePlace.nullable(), threads: z.number() })),
})
type WrittenKernel = z.infer<typeof writtenKernel>

const writtenCounts = z.object({
  launches: z.number(),
  missed: z.number(),
  kernels: z.array(writtenKernel),
})

type FramesOf = (place: ModulePlace) => readonly Located[]

/** Reads what the runtime wrote when the program ended. */
export async function readGpuCounts(file: string, root: string): Promise<Result<GpuCounts>> {
  const read = readWritten(file, 'counted', '--counts')
  if (!read.ok) return read
  const written = writtenCounts.parse(read.value)
  const codes = await codesOf(written.kernels)
  const operations = written.kernels.map((kernel) => operationsOf(kernel, codes))
  const framesOf = await locateModulePlaces([
    ...written.kernels.flatMap(({ sites }) =>
      sites.flatMap(({ place }) => (place === null ? [] : [place])),
    ),
    ...operations.flatMap((all) => all?.map(({ place }) => place) ?? []),
  ])
  const lineOf = (place: ModulePlace | null): SourcePlace =>
    ownLine(place === null ? [] : framesOf(place), gpuFolder(root))
  return ok({
    basis: countsBasis,
    launches: written.launches,
    missedAccesses: written.missed,
    kernels: written.kernels.map((kernel, index) =>
      kernelCounts(kernel, { operations: operations[index], framesOf, lineOf }),
    ),
  })
}

interface PlacedOperation {
  place: ModulePlace
  /** Times all threads. */
  counts: OperationCounts
}

async function codesOf(
  kernels: readonly WrittenKernel[],
): Promise<ReadonlyMap<string, MachineCode>> {
  const modules = new Set(
    kernels.flatMap(({ codeBlocks }) => codeBlocks.map(({ place }) => place?.module ?? '')),
  )
  const codes = new Map<string, MachineCode>()
  for (const module of modules) {
    const code = module === '' ? undefined : await disassemble(module)
    if (code) codes.set(module, code)
  }
  return codes
}

/** Undefined where no disassembler has read the program. */
function operationsOf(
  { codeBlocks }: WrittenKernel,
  codes: ReadonlyMap<string, MachineCode>,
): PlacedOperation[] | undefined {
  const operations: PlacedOperation[] = []
  for (const { place, threads } of codeBlocks) {
    if (place === null) continue
    const code = codes.get(place.module)
    if (!code) return undefined
    const times = (one: Operation): OperationCounts => ({
      float32: one.float32 * threads,
      float64: one.float64 * threads,
      functionCalls: one.functionCalls * threads,
    })
    // The runtime names the last byte of the call, for symbolizers.
    for (const one of code.operations(place.offset + 1))
      operations.push({
        place: { module: place.module, offset: one.offset },
        counts: times(one),
      })
  }
  return operations
}

interface KernelContext {
  operations: readonly PlacedOperation[] | undefined
  framesOf: FramesOf
  lineOf: (place: ModulePlace | null) => SourcePlace
}

function kernelCounts(
  written: WrittenKernel,
  { operations, framesOf, lineOf }: KernelContext,
): GpuKernelCounts {
  const lines = new Map<string, GpuLineCounts>()
  const total: GpuCountSums = {}
  const add = (place: SourcePlace, counts: GpuCountSums): void => {
    const key = `${place.file}\0${place.line}`
    const line = lines.get(key) ?? { place }
    lines.set(key, line)
    addSums(line, counts)
    addSums(total, counts)
  }
  for (const { place, sums, kind, space } of withVectors(written.sites, framesOf))
    add(lineOf(place), countsOf(sums, kind, space))
  for (const { site, warps, lanes } of written.barriers)
    add({ file: site.file, line: site.line }, { barriers: { warps, lanes } })
  for (const { place, counts } of operations ?? [])
    if (!isEmulation(framesOf(place))) add(lineOf(place), { operations: counts })
  if (operations && !total.operations)
    total.operations = { float32: 0, float64: 0, functionCalls: 0 }

  const configurations = written.configurations.toSorted(
    (one, other) => other.launches - one.launches,
  )
  const [x, y, z] = configurations[0]?.block ?? [0, 0, 0]
  return {
    kernel: written.kernel,
    launched: { file: written.launched.file, line: written.launched.line },
    staticShared: written.staticShared,
    configurations,
    lines: [...lines.values()].sort(
      ({ place: one }, { place: other }) =>
        one.file.localeCompare(other.file) || one.line - other.line,
    ),
    total,
    arithmeticIntensity: intensityOf(total),
    occupancy: occupancyArchitectures.options.map((architecture) =>
      occupancyOf(architecture, {
        threads: x * y * z,
        staticShared: written.staticShared,
        dynamicShared: configurations[0]?.dynamicShared ?? 0,
      }),
    ),
  }
}

/** What a GPU has other units for: atomics, and conversions of half and bfloat16. */
function isEmulation(frames: readonly Located[]): boolean {
  return (
    frames.some(({ file }) => file?.endsWith('/opsmith/gpu/atomics.h')) ||
    /\b(?:widened|narrowed)\b/.test(frames[0]?.symbol ?? '')
  )
}

const sectorBytes = 32

function intensityOf({ globalLoads, globalStores, operations }: GpuCountSums): number | null {
  const moved = sectorBytes * ((globalLoads?.sectors ?? 0) + (globalStores?.sectors ?? 0))
  const done = (operations?.float32 ?? 0) + (operations?.float64 ?? 0)
  return moved === 0 || done === 0 ? null : done / moved
}

/**
 * clang splits a copy of a `float4` into four instructions, each with the place of the copy; a GPU
 * has one. Instructions of different places stay apart: a GPU's compiler seldom knows that their
 * addresses are aligned.
 */
function withVectors(
  instructions: readonly WrittenInstruction[],
  framesOf: FramesOf,
): WrittenInstruction[] {
  const placeOf = ({ place }: WrittenInstruction): string => {
    const frames = place === null ? [] : framesOf(place)
    // Without columns, a place is only a line.
    return frames[0]?.column === undefined ? '' : JSON.stringify(frames)
  }
  const merged = new Set<number>()
  const result = instructions.map((one) => {
    const own = instructions.filter(({ follows }) => follows === one.id)
    const place = placeOf(one)
    if (!one.wide || place === '' || !own.every((other) => placeOf(other) === place)) return one
    // None continues its bytes only now and then.
    const bytes = own.reduce((sum, other) => sum + other.sums.bytes, one.sums.bytes)
    if (bytes !== one.wide.bytes) return one
    for (const { id } of own) merged.add(id)
    return { ...one, sums: one.wide }
  })
  return result.filter(({ id }) => !merged.has(id))
}

function countsOf(
  sums: WrittenSums,
  kind: WrittenInstruction['kind'],
  space: WrittenInstruction['space'],
): GpuCountSums {
  const { requests, lanes, bytes } = sums
  const base = { requests, lanes, bytes }
  if (kind === 'atomic') {
    const atomics = { ...base, addresses: sums.addresses, serialLanes: sums.serial }
    return space === 'global' ? { globalAtomics: atomics } : { sharedAtomics: atomics }
  }
  if (space === 'global') {
    const access = { ...base, sectors: sums.sectors }
    return kind === 'load' ? { globalLoads: access } : { globalStores: access }
  }
  const access = { ...base, wavefronts: sums.wavefronts, leastWavefronts: sums.least }
  return kind === 'load' ? { sharedLoads: access } : { sharedStores: access }
}

/** Adds number by number. */
function addNumbers<T extends Record<string, number>>(one: T | undefined, other: T): T {
  const sums = Object.entries(other).map(([name, value]): [string, number] => [
    name,
    (one?.[name] ?? 0) + value,
  ])
  return Object.assign({}, other, Object.fromEntries(sums))
}

function addSums(to: GpuCountSums, more: GpuCountSums): void {
  if (more.globalLoads) to.globalLoads = addNumbers(to.globalLoads, more.globalLoads)
  if (more.globalStores) to.globalStores = addNumbers(to.globalStores, more.globalStores)
  if (more.sharedLoads) to.sharedLoads = addNumbers(to.sharedLoads, more.sharedLoads)
  if (more.sharedStores) to.sharedStores = addNumbers(to.sharedStores, more.sharedStores)
  if (more.globalAtomics) to.globalAtomics = addNumbers(to.globalAtomics, more.globalAtomics)
  if (more.sharedAtomics) to.sharedAtomics = addNumbers(to.sharedAtomics, more.sharedAtomics)
  if (more.barriers) to.barriers = addNumbers(to.barriers, more.barriers)
  if (more.operations) to.operations = addNumbers(to.operations, more.operations)
}
