import { z } from 'zod'

/** In the order in which they are made. */
export const gpuCheckNames = [
  'driver',
  'libtorch',
  'toolchain',
  'events',
  'streams',
  'cache',
  'ceilings',
  'graph',
  'profiler',
  'faults',
] as const
export const gpuCheckName = z.enum(gpuCheckNames)
export type GpuCheckName = z.infer<typeof gpuCheckName>

export const gpuCheckTitles: Readonly<Record<GpuCheckName, string>> = {
  driver: 'Driver and devices',
  libtorch: 'libtorch',
  toolchain: 'CUDA toolkit',
  events: "Events' clock",
  streams: 'Streams',
  cache: 'L2 cache',
  ceilings: 'Memory and arithmetic',
  graph: 'Graphs',
  profiler: 'Profiler',
  faults: 'Faults',
}

/** skipped: it could not be made here, or not to its end. */
export const gpuCheckStatus = z.enum(['passed', 'warning', 'failed', 'skipped'])
export type GpuCheckStatus = z.infer<typeof gpuCheckStatus>

/** What was measured or read, by what it is: a number, or words. The name of a number has its unit. */
export const gpuFigures = z.record(z.string(), z.union([z.number(), z.string()]))
export type GpuFigures = z.infer<typeof gpuFigures>

export const gpuCheck = z.object({
  name: gpuCheckName,
  status: gpuCheckStatus,
  /** A sentence: what was found, with its figure; what is missing, of a check that was skipped. */
  reason: z.string(),
  figures: gpuFigures,
})
export type GpuCheck = z.infer<typeof gpuCheck>

export const gpuReport = z.object({
  checks: z.array(gpuCheck),
  /** The machine, the driver, libtorch and nvcc, with their versions; one line. */
  machine: z.string(),
  seconds: z.number(),
})
export type GpuReport = z.infer<typeof gpuReport>

/** What the op host's libtorch says of CUDA. */
export const libtorchDevices = z.object({
  isCudaBuild: z.boolean(),
  /** That it can use. */
  devices: z.int(),
  /** As torch.__config__.show() prints it. */
  config: z.string(),
})
export type LibtorchDevices = z.infer<typeof libtorchDevices>

/** Some check passed, and none failed. */
export function isGoodGpuReport({ checks }: Pick<GpuReport, 'checks'>): boolean {
  const has = (wanted: GpuCheckStatus): boolean => checks.some(({ status }) => status === wanted)
  return !has('failed') && (has('passed') || has('warning'))
}

/** What fits between the bars of a table. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** In Markdown, to paste into an issue. */
export function gpuTable({ checks, machine, seconds }: GpuReport): string {
  return [
    '| check | verdict | what was found |',
    '| --- | --- | --- |',
    ...checks.map(
      ({ name, status, reason }) => `| ${gpuCheckTitles[name]} | ${status} | ${cell(reason)} |`,
    ),
    '',
    `${machine}; ${seconds.toFixed(0)} s`,
    '',
  ].join('\n')
}
