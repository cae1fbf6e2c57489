import { z } from 'zod'

/** What a checked run of kernels can find, by the names that reports use. */
export const gpuChecks = z.enum([
  'out-of-bounds',
  'misaligned',
  'use-after-free',
  'invalid-free',
  'leak',
  'shared-race',
  'global-race',
  'uninitialized-read',
  'divergent-barrier',
  'deadlock',
  'missing-syncwarp',
  'bad-launch',
  'host-pointer',
  'device-pointer-on-host',
  'missing-error-check',
  'wrong-stream',
  'missing-device-guard',
  'non-atomic-accumulation',
  'index-overflow',
  'division-by-zero',
  'illegal-instruction',
  'order-dependence',
])
export type GpuCheck = z.infer<typeof gpuChecks>

export const sourcePlace = z.object({
  /** Absolute path; "" where it is not known. */
  file: z.string(),
  /** 1-based; 0 where it is not known. */
  line: z.int(),
})
export type SourcePlace = z.infer<typeof sourcePlace>

const gpuThread = z.object({
  /** blockIdx: x, y, z. */
  block: z.tuple([z.number(), z.number(), z.number()]),
  /** threadIdx: x, y, z. */
  thread: z.tuple([z.number(), z.number(), z.number()]),
})
export type GpuThread = z.infer<typeof gpuThread>

/** One mistake of a kernel, or of the code that launches it. */
export const gpuFinding = z.object({
  check: gpuChecks,
  /** What happened. */
  message: z.string(),
  /** What to do. */
  remedy: z.string(),
  /** How often it was seen at this place. */
  count: z.int(),
  place: sourcePlace,
  thread: gpuThread.nullable(),
  /** The other access, barrier or operation that takes part. */
  other: sourcePlace
    .extend({
      /** What it is: "write", "cudaFree". */
      what: z.string(),
      thread: gpuThread.nullable(),
    })
    .nullable(),
  /** Where the memory was allocated. */
  allocated: sourcePlace.nullable(),
  /** The kernel, as the launch names it; "" outside of one. */
  kernel: z.string(),
  launched: sourcePlace.nullable(),
})
export type GpuFinding = z.infer<typeof gpuFinding>

export const gpuReport = z.object({
  /** Kernels that ran, and their accesses to memory: with none of them, nothing was checked. */
  launches: z.int(),
  accesses: z.int(),
  findings: z.array(gpuFinding),
})
export type GpuReport = z.infer<typeof gpuReport>

/** A line, as the runtime writes it. */
export const writtenSite = z.object({ file: z.string(), line: z.number(), column: z.number() })
/** An instruction of a library or program. */
export const modulePlace = z.object({ module: z.string(), offset: z.int().nonnegative() })
export type ModulePlace = z.infer<typeof modulePlace>
const codePlace = z.union([modulePlace, z.object({ site: writtenSite })])
/** An instruction of a library or program, or a line. */
export type CodePlace = z.infer<typeof codePlace>

const { shape } = gpuFinding
/** A report as the runtime writes it (native/virtual_gpu/runtime/findings.cpp): instructions are no lines yet. */
export const writtenGpuReport = z.object({
  launches: z.number(),
  accesses: z.number(),
  findings: z.array(
    z.object({
      check: shape.check,
      message: shape.message,
      remedy: shape.remedy,
      count: shape.count,
      place: codePlace.nullable(),
      thread: shape.thread,
      otherPlace: codePlace.nullable(),
      otherThread: shape.thread,
      other: z.string(),
      allocated: writtenSite.nullable(),
      kernel: z.string(),
      launched: writtenSite.nullable(),
    }),
  ),
})
export type WrittenGpuReport = z.infer<typeof writtenGpuReport>
