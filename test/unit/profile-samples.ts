import { z } from 'zod'

import { profileKinds } from '../../electron/contract/profile'
import type { ProfileKind, ProfileReport, ProfileTrace } from '../../electron/contract/profile'

interface GivenEvent {
  name: string
  kind: ProfileKind
  from: number
  to: number
  parent?: number
  track?: number
  stack?: number
  inputs?: number
  forward?: number
  details?: number
}

/**
 * `compute`, which the compiler inlined `helper` into, calls an operator that multiplies and launches
 * a kernel; then its backward. Times in ns.
 */
const given: GivenEvent[] = [
  { name: 'forward', kind: 'range', from: 0, to: 100 },
  { name: 'compute', kind: 'function', from: 10, to: 90, parent: 0, stack: 0 },
  { name: 'my::op', kind: 'custom', from: 20, to: 60, parent: 1, stack: 1, inputs: 0 },
  { name: 'aten::mm', kind: 'operator', from: 25, to: 45, parent: 2, stack: 1 },
  { name: 'aten::mm', kind: 'operator', from: 30, to: 35, parent: 3, stack: 1 },
  { name: 'cudaLaunchKernel', kind: 'runtime', from: 50, to: 55, parent: 2 },
  { name: 'gemm', kind: 'device', from: 58, to: 80, parent: 5, track: 1, details: 0 },
  { name: 'backward', kind: 'range', from: 100, to: 150 },
  { name: 'MmBackward0', kind: 'backward', from: 110, to: 140, parent: 7, forward: 3 },
  { name: 'aten::mm', kind: 'operator', from: 115, to: 130, parent: 8 },
]

export const program = '/project/program.py'

export function sampleTrace(): ProfileTrace {
  const names = [...new Set(given.map(({ name }) => name))]
  const none = (value: number | undefined): number => value ?? -1
  return {
    op: 'compute',
    threads: 1,
    names,
    inputs: ['float32[8, 8], 2'],
    details: ['"grid": [4, 1, 1], "registers per thread": 32'],
    devices: ['cpu'],
    frames: [
      { function: 'compute', file: program, line: 5 },
      { function: 'compute', file: program, line: 6 },
      { function: 'helper', file: program, line: 3 },
    ],
    stacks: [[0], [1, 2]],
    tracks: [
      { name: 'thread 1', isDevice: false },
      { name: 'cuda:0 stream 7', isDevice: true },
    ],
    events: {
      name: given.map(({ name }) => names.indexOf(name)),
      kind: given.map(({ kind }) => profileKinds.indexOf(kind)),
      start: given.map(({ from }) => from),
      duration: given.map(({ from, to }) => to - from),
      track: given.map(({ track }) => track ?? 0),
      parent: given.map(({ parent }) => none(parent)),
      stack: given.map(({ stack }) => none(stack)),
      inputs: given.map(({ inputs }) => none(inputs)),
      forward: given.map(({ forward }) => none(forward)),
      details: given.map(({ details }) => none(details)),
    },
    allocations: {
      time: [26, 31, 34, 116, 128],
      bytes: [100, 50, -50, 200, -100],
      device: [0, 0, 0, 0, 0],
      event: [3, 4, 4, 9, 9],
      block: [0, 1, 1, 2, 0],
    },
    cutEvents: 0,
    cutAllocations: 0,
    runs: [160, 150, 140],
    chosen: 1,
    plainRuns: 3,
    plainTime: 90,
    inputBytes: 512,
    resultBytes: 200,
    hasDevice: true,
    deviceMissing: '',
  }
}

const placed = { name: z.string().min(1), pid: z.int(), tid: z.int() }
const timed = { ...placed, ts: z.number().nonnegative() }

/** What Google's "Trace Event Format" asks of the events that are written; nothing else may be in them. */
export const traceFormat = z.strictObject({
  traceEvents: z.array(
    z.discriminatedUnion('ph', [
      z.strictObject({
        ph: z.literal('X'),
        ...timed,
        dur: z.number().nonnegative(),
        cat: z.string(),
        args: z.record(z.string(), z.unknown()),
      }),
      z.strictObject({ ph: z.literal('C'), ...timed, args: z.record(z.string(), z.number()) }),
      z.strictObject({
        ...placed,
        ph: z.literal('M'),
        name: z.enum(['process_name', 'thread_name', 'thread_sort_index']),
        args: z.union([
          z.strictObject({ name: z.string() }),
          z.strictObject({ sort_index: z.number() }),
        ]),
      }),
      z.strictObject({ ph: z.literal('s'), ...timed, cat: z.string(), id: z.number() }),
      z.strictObject({
        ph: z.literal('f'),
        ...timed,
        cat: z.string(),
        id: z.number(),
        bp: z.literal('e'),
      }),
    ]),
  ),
  displayTimeUnit: z.literal('ns'),
  otherData: z.record(z.string(), z.union([z.string(), z.number()])),
})

/** A report on sampleTrace() without tables; fields that a test is about replace these. */
export function sampleReport(fields: Partial<ProfileReport> = {}): ProfileReport {
  return {
    profile: 1,
    backward: false,
    trace: sampleTrace(),
    self: [],
    allocated: [],
    places: [],
    total: 160,
    operators: [],
    lines: [],
    flame: [],
    memory: [],
    ...fields,
  }
}
