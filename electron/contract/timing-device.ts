import { z } from 'zod'

import { real } from './tensor'

/** A device that works by itself, as its driver describes it. */
export const deviceFacts = z.object({
  /** "cuda:0" */
  device: z.string(),
  /** "NVIDIA H100 80GB HBM3"; the device again where its driver is not asked. */
  name: z.string(),
  /** Of the last level, and how many multiprocessors it has; 0 where the driver does not say. */
  cacheBytes: z.number(),
  multiprocessors: z.int(),
  /** Why it does not; "" else. */
  missing: z.string(),
})
export type DeviceFacts = z.infer<typeof deviceFacts>

/** How it was at one moment: `before` samples at rest, `after` them at work. What it does not tell is absent. */
export const deviceState = z.object({
  /** Hz. */
  clock: z.number().optional(),
  memoryClock: z.number().optional(),
  /** Degrees Celsius, and W. */
  temperature: z.number().optional(),
  power: z.number().optional(),
  /** What keeps its clock down: "power cap", "heat (hardware)". */
  slowedBy: z.array(z.string()),
  /** That compute on it, without this Opsmith's op hosts; absent where NVML lists others: of MIG, under MPS, in a container. */
  otherProcesses: z.int().optional(),
  /** Why nothing of this could be read; "" else. */
  missing: z.string(),
})
export type DeviceState = z.infer<typeof deviceState>

/** Beside samples that were taken on a device. */
export const deviceSamples = z.object({
  /** Seconds for which one call keeps the host while the device has nothing to do. */
  launch: z.number(),
  before: deviceState,
  after: deviceState,
  /** How many of the samples have some launching in them: the host had not got ahead of the device. */
  behind: z.int(),
})
export type DeviceSamples = z.infer<typeof deviceSamples>

/** Calls captured into a graph and replayed: the time of one without launches. */
export const replayedTiming = z.object({
  seconds: z.array(real),
  /** Why it cannot be replayed; "" else. */
  missing: z.string(),
})
export type ReplayedTiming = z.infer<typeof replayedTiming>

/** What a device can do at most, measured by a large copy and products of matrices. */
export const deviceCeilings = z.object({
  /** Read and written. */
  bytesPerSecond: z.number(),
  /** By dtype; those that it has no product for are absent. */
  flopsPerSecond: z.record(z.string(), z.number()),
  /** While it made the last of the products. */
  state: deviceState,
})
export type DeviceCeilings = z.infer<typeof deviceCeilings>

/** One thing that the device did in one call, in the order in which it began. */
export const deviceKernel = z.object({
  name: z.string(),
  kind: z.enum(['kernel', 'copy', 'fill']),
  /** Since the first began. */
  start: z.number(),
  seconds: z.number(),
  stream: z.number().optional(),
  /** Blocks, and threads of a block, by dimension. */
  grid: z.array(z.number()).optional(),
  block: z.array(z.number()).optional(),
  registers: z.number().optional(),
  /** Bytes of a block, static and dynamic. */
  sharedMemory: z.number().optional(),
  /** Estimated from the launch: the part of the warps that are resident, 0 to 1; a small grid has few. */
  occupancy: z.number().optional(),
  /** Of copies and fills. */
  bytes: z.number().optional(),
})
export type DeviceKernel = z.infer<typeof deviceKernel>

export const kernelList = z.object({
  op: z.string(),
  device: z.string(),
  kernels: z.array(deviceKernel),
  /** Why there are none; "" else. */
  note: z.string(),
})
export type KernelList = z.infer<typeof kernelList>
