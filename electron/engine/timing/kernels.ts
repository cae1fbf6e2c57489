import fs from 'node:fs/promises'
import path from 'node:path'

import { z } from 'zod'

import type { DeviceKernel, KernelList } from '../../contract/timing-device'
import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { callHost } from './take-samples'
import type { Entrant, SamplingLimits } from './take-samples'

const kinds: Record<string, DeviceKernel['kind']> = {
  kernel: 'kernel',
  gpu_memcpy: 'copy',
  gpu_memset: 'fill',
}

/** An event of a trace that libtorch's profiler (Kineto) writes; others than the device's have less. */
const traceEvent = z.object({
  cat: z.string(),
  name: z.string(),
  /** Microseconds. */
  ts: z.number(),
  dur: z.number(),
  args: z
    .object({
      stream: z.number().optional(),
      grid: z.array(z.number()).optional(),
      block: z.array(z.number()).optional(),
      'registers per thread': z.number().optional(),
      'shared memory': z.number().optional(),
      'est. achieved occupancy %': z.number().optional(),
      bytes: z.number().optional(),
    })
    .default({}),
})
const trace = z.object({ traceEvents: z.array(z.unknown()) })

const micro = 1e-6

/** What the device did, by a trace's JSON, in the order in which it began. Throws of what is no trace. */
export function tracedKernels(text: string): DeviceKernel[] {
  const events = trace.parse(JSON.parse(text)).traceEvents.flatMap((event) => {
    const parsed = traceEvent.safeParse(event)
    const kind = parsed.success ? kinds[parsed.data.cat.toLowerCase()] : undefined
    return parsed.success && kind ? [{ ...parsed.data, kind }] : []
  })
  events.sort((a, b) => a.ts - b.ts)
  const first = events[0]?.ts ?? 0
  return events.map(({ name, kind, ts, dur, args }) => {
    const { stream, grid, block, bytes } = args
    const registers = args['registers per thread']
    const sharedMemory = args['shared memory']
    const percent = args['est. achieved occupancy %']
    return {
      name,
      kind,
      start: (ts - first) * micro,
      seconds: dur * micro,
      ...(stream === undefined ? {} : { stream }),
      ...(grid ? { grid } : {}),
      ...(block ? { block } : {}),
      ...(registers === undefined ? {} : { registers }),
      ...(sharedMemory === undefined ? {} : { sharedMemory }),
      // Below 0 it could not be told.
      ...(percent === undefined || percent < 0 ? {} : { occupancy: percent / 100 }),
      ...(bytes === undefined ? {} : { bytes }),
    }
  })
}

/** One call under libtorch's profiler; `folder` takes its trace until it is read. */
export async function kernelsIn(
  entrant: Entrant,
  device: string,
  folder: string,
  limits: SamplingLimits,
): Promise<Result<KernelList>> {
  const opened = await callHost(entrant, 'timing.open', entrant.call, limits)
  if (!opened.ok) return opened
  const { handle, op } = opened.value
  const file = path.join(folder, `trace-${process.pid}-${handle}.json`)
  try {
    const written = await callHost(entrant, 'timing.profile', { handle, path: file }, limits)
    if (!written.ok) return written
    const kernels = tracedKernels(await fs.readFile(file, 'utf8'))
    const note =
      kernels.length > 0
        ? ''
        : `libtorch’s profiler recorded nothing on ${device}: ${written.value.missing}.`
    return ok({ op, device, kernels, note })
  } finally {
    await fs.rm(file, { force: true })
    await entrant.host.call('timing.close', { handles: [handle] }, { timeout: 30, phase: '' })
  }
}
