/** Stepping a block of a kernel on the virtual GPU: what the stopped process says, and what is shown of it. */
import { z } from 'zod'

import { modulePlace, sourcePlace, writtenSite } from './gpu-findings'

export const index3 = z.tuple([z.int(), z.int(), z.int()])
export type Index3 = z.infer<typeof index3>

/** An address as "0x7f12…". */
const address = z.string().regex(/^0x[0-9a-f]+$/)

/**
 * What a thread does: it has stopped and is next to go on (active), has stopped and lets others go on first, waits for
 * others, looks at memory in a loop, or has ended.
 */
export const laneState = z.enum(['active', 'stopped', 'waiting', 'running', 'finished'])
export type LaneState = z.infer<typeof laneState>

/** What a thread waits at. */
const waitKind = z.enum(['barrier', 'named-barrier', 'warp', 'converging', 'grid'])
export type WaitKind = z.infer<typeof waitKind>

const writtenAccess = z.object({
  /** Its number in the block. */
  thread: z.int(),
  file: z.int(),
  line: z.int(),
  writes: z.boolean(),
})

const writtenLane = z.object({
  state: laneState,
  /** The user's functions that the thread is in, the outermost first. */
  frames: z
    .array(z.object({ place: modulePlace.nullable(), frame: address, stack: address }))
    .default([]),
  wait: waitKind.optional(),
  site: writtenSite.optional(),
})

/** `stuck`: no thread of the launch can go on. `fault`: the active thread ends the launch when it goes on. */
const stopReason = z.enum(['line', 'stuck', 'fault'])

export const writtenStop = z.object({
  type: z.literal('stopped'),
  reason: stopReason,
  /** Of a fault, what happened: "a kernel called __trap". */
  why: z.string(),
  kernel: z.string(),
  launched: writtenSite,
  launch: z.int(),
  grid: index3,
  threads: index3,
  block: index3,
  barriersPassed: z.int(),
  /** Where the shared memory of the block begins. */
  shared: address,
  /** Bytes. */
  dynamicShared: z.int(),
  lanes: z.array(writtenLane),
  races: z.array(
    z.object({
      before: writtenAccess,
      after: writtenAccess,
      /** The byte of shared memory that these two are about. */
      offset: z.int(),
      /** All bytes that the two lines race on: first byte and length. */
      bytes: z.array(z.tuple([z.int(), z.int()])),
    }),
  ),
})
export type WrittenStop = z.infer<typeof writtenStop>

/** What native/virtual_gpu/runtime/stepping.cpp sends, a line each. */
export const writtenStepMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('started'), place: modulePlace.nullable() }),
  z.object({ type: z.literal('place'), place: modulePlace.nullable() }),
  writtenStop,
  z.object({ type: z.literal('memory'), bytes: z.array(z.string().nullable()) }),
  z.object({
    type: z.literal('allocations'),
    allocations: z.array(
      z
        .object({ begin: address, bytes: z.int(), freed: z.boolean(), made: writtenSite })
        .nullable(),
    ),
  }),
  z.object({
    type: z.literal('finished'),
    kernel: z.string(),
    launch: z.int(),
    block: index3,
  }),
])
export type WrittenStepMessage = z.infer<typeof writtenStepMessage>

export const stepLane = z.object({
  /** threadIdx. */
  thread: index3,
  state: laneState,
  /** Where it has stopped or waits; null for a thread that has ended. */
  place: sourcePlace.nullable(),
  wait: waitKind.optional(),
})
export type StepLane = z.infer<typeof stepLane>

export const stepVariable = z.object({
  name: z.string(),
  type: z.string(),
  /** The function that has it. */
  function: z.string(),
  /** Of each lane of the warp; null where the variable does not exist yet. */
  values: z.array(z.string().nullable()),
})
export type StepVariable = z.infer<typeof stepVariable>

export const sharedArray = z.object({
  name: z.string(),
  /** Of an element. */
  type: z.string(),
  /** None for a single variable. */
  dimensions: z.array(z.int()),
  values: z.array(z.string()),
  /** The same as numbers; null where elements are not numbers. */
  numbers: z.array(z.number().nullable()).nullable(),
  /** Elements that a race is about. */
  raced: z.array(z.int()),
  /** There are more elements than values. */
  isCut: z.boolean(),
})
export type SharedArray = z.infer<typeof sharedArray>

const racingAccess = z.object({
  thread: z.int(),
  place: sourcePlace,
  writes: z.boolean(),
})

export const stepRace = z.object({
  before: racingAccess,
  after: racingAccess,
  /** What the two accesses are about: "tile[3][4]"; "" where it is not known. */
  variable: z.string(),
  /** Bytes of shared memory that the two lines race on. */
  bytes: z.int(),
})
export type StepRace = z.infer<typeof stepRace>

/** A block that has stopped, with the variables of one of its warps. */
export const stepView = z.object({
  reason: stopReason,
  /** Of a fault, what happened; "" otherwise. */
  why: z.string(),
  kernel: z.string(),
  launched: sourcePlace,
  launch: z.int(),
  grid: index3,
  threads: index3,
  block: index3,
  barriersPassed: z.int(),
  /** Of the active lanes; null where none has stopped. */
  place: sourcePlace.nullable(),
  lanes: z.array(stepLane),
  warp: z.int(),
  variables: z.array(stepVariable),
  shared: z.array(sharedArray),
  races: z.array(stepRace),
})
export type StepView = z.infer<typeof stepView>

/** How a stopped block goes on: to the next line, past the next barrier, or until the wanted line comes again. */
export const stepMode = z.enum(['step', 'barrier', 'line'])
export type StepMode = z.infer<typeof stepMode>
