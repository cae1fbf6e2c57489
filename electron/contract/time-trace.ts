import { z } from 'zod'

/** What a stretch of a compile was spent on. */
export const timeKinds = ['file', 'frontEnd', 'header', 'template', 'backEnd'] as const
export type TimeKind = (typeof timeKinds)[number]

/** A header, or all instances of a template, with what it took itself and what that brought along. */
export const timeCost = z.object({
  name: z.string(),
  kind: z.enum(['header', 'template']),
  seconds: z.number(),
  count: z.int(),
})
export type TimeCost = z.infer<typeof timeCost>

/** One compile. */
export const fileTime = z.object({
  label: z.string(),
  /** Seconds since the build began, and how long the compiler took. */
  start: z.number(),
  seconds: z.number(),
  /** What the compiler tells of it; absent where it tells nothing. Seconds; headers and templates are no part of frontEnd. */
  phases: z
    .object({
      headers: z.number(),
      templates: z.number(),
      frontEnd: z.number(),
      backEnd: z.number(),
      /** Starting, reading precompiled headers, writing. */
      other: z.number(),
    })
    .optional(),
  /** The dearest first. */
  costs: z.array(timeCost),
  /** A column for each field; ids are positions. Empty where the compiler tells sums only. */
  events: z.object({
    name: z.array(z.int()),
    /** Positions in timeKinds. */
    kind: z.array(z.int()),
    /** Seconds since the compiler started. */
    start: z.array(z.number()),
    seconds: z.array(z.number()),
    /** -1: none. */
    parent: z.array(z.int()),
  }),
  names: z.array(z.string()),
})
export type FileTime = z.infer<typeof fileTime>

/** Where the time of one build went that took nothing of the project's own from the cache. */
export const timeTrace = z.object({
  files: z.array(fileTime),
  /** Absent when it was not linked. */
  link: z.object({ label: z.string(), start: z.number(), seconds: z.number() }).optional(),
  /** Of all files together, the three dearest of each sort. */
  headers: z.array(timeCost),
  templates: z.array(timeCost),
  remarks: z.array(z.string()),
})
export type TimeTrace = z.infer<typeof timeTrace>
