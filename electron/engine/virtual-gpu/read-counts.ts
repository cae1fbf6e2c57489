/** What a counted run wrote: instructions become lines of the user's sources. */
import { z } from 'zod'

import { addSums } from '../../contract/count-rows'
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
import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Located } from '../host/symbolize'
import { gpuFolder } from '../compile/virtual-gpu/flags'
import { locateModulePlaces, ownLine, placeOfSite } from './code-places'
import type { CodeOwner } from './code-places'
import { derived, mergeCounts } from './count-sums'
import type { ReportKind } from './kernel-reports'
import { disassemble } from './machine-operations'
import type { MachineCode, Operation } from './machine-operations'
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
  sectorsRead: z.number(),
  sectorsWritten: z.number(),
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
type WrittenCounts = z.infer<typeof writtenCounts>

type FramesOf = (place: ModulePlace) => readonly Located[]

/** Reads what the runtime wrote when a whole program ended. */
export async function readGpuCounts(file: string, root: string): Promise<Result<GpuCounts>> {
  const read = readWritten(file, 'the counts', '--counts')
  if (!read.ok) return read
  return ok(await locateCounts(writtenCounts.parse(read.value), { root, folder: '' }))
}

/** Counts of operators: what op hosts report after each call. */
export function countReports(root: string): ReportKind<GpuCounts> {
  return {
    nothing: { basis: countsBasis, launches: 0, missedAccesses: 0, kernels: [] },
    read: async (line, folder) => {
      const written = writtenCounts.safeParse(line)
      return written.success ? await locateCounts(written.data, { root, folder }) : undefined
    },
    merge: mergeCounts,
  }
}

/** Finds the lines of what was counted. */
async function locateCounts(written: WrittenCounts, owner: CodeOwner): Promise<GpuCounts> {
  const codes = await codesOf(written.kernels)
  const operations = written.kernels.map((kernel) => operationsOf(kernel, codes))
  const places = [
    ...written.kernels.flatMap(({ sites }) =>
      sites.flatMap(({ place }) => (place === null ? [] : [place])),
    ),
    ...operations.flatMap((all) => all?.map(({ place }) => place) ?? []),
  ]
  const framesOf = await locateModulePlaces(places, owner)
  const lineOf = (place: ModulePlace | null): SourcePlace =>
    ownLine(place === null ? [] : framesOf(place), gpuFolder(owner.root))
  return {
    basis: countsBasis,
    launches: written.launches,
    missedAccesses: written.missed,
    kernels: written.kernels.map((kernel, index) =>
      kernelCounts(kernel, { operations: operations[index], framesOf, lineOf, owner }),
    ),
  }
}

interface PlacedOperation {
  place: ModulePlace
  /** Times all threads. */
  counts: OperationCounts
}

/** The library that was disassembled last. Each call reports counts; a changed library has another path. */
let lastCode: { module: string; code: Promise<MachineCode | undefined> } | undefined

async function codeOf(module: string): Promise<MachineCode | undefined> {
  if (lastCode?.module !== module) lastCode = { module, code: disassemble(module) }
  return await lastCode.code
}

async function codesOf(
  kernels: readonly WrittenKernel[],
): Promise<ReadonlyMap<string, MachineCode>> {
  const modules = new Set(
    kernels.flatMap(({ codeBlocks }) => codeBlocks.map(({ place }) => place?.module ?? '')),
  )
  const codes = new Map<string, MachineCode>()
  for (const module of modules) {
    const code = module === '' ? undefined : await codeOf(module)
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
  owner: CodeOwner
}

function kernelCounts(
  written: WrittenKernel,
  { operations, framesOf, lineOf, owner }: KernelContext,
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
    add(placeOfSite(site, owner), { barriers: { warps, lanes } })
  for (const { place, counts } of operations ?? [])
    if (!isEmulation(framesOf(place))) add(lineOf(place), { operations: counts })
  if (operations && !total.operations)
    total.operations = { float32: 0, float64: 0, functionCalls: 0 }

  return derived({
    kernel: written.kernel,
    launched: placeOfSite(written.launched, owner),
    staticShared: written.staticShared,
    sectorsRead: written.sectorsRead,
    sectorsWritten: written.sectorsWritten,
    configurations: written.configurations,
    lines: [...lines.values()],
    total,
  })
}

/** What a GPU has other units for: atomics, and conversions of half and bfloat16. */
function isEmulation(frames: readonly Located[]): boolean {
  return (
    frames.some(({ file }) => file?.endsWith('/opsmith/gpu/atomics.h')) ||
    /\b(?:widened|narrowed)\b/.test(frames[0]?.symbol ?? '')
  )
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
