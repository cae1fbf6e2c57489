import { z } from 'zod'
import type { StoreApi } from 'zustand/vanilla'

import { call } from '../bridge/bridge'
import { allFeatures, type SavedResults } from './feature'
import { earlierStamp, earlierTime } from './files'
import type { Job, JobState } from './job'
import { currentFolder } from './project'

/**
 * What features show, kept by project from one session to the next. What belongs to an op host went with it:
 * values of tensors are not kept.
 */

/** Milliseconds after the last change. */
const delay = 2_000
/** Characters of one feature's results; larger ones are not kept. */
const largest = 1_000_000

let folder: string | null = null
let stops: (() => void)[] = []
let timer: ReturnType<typeof setTimeout> | undefined
/** As JSON, by feature. */
let texts: Record<string, string> = {}
let isChanged = false
/** Features whose results changed since the last time. */
const changed = new Map<string, SavedResults>()

/** Shows what features showed of this project in the session before, and keeps what they show from now on. */
export async function followResults(opened: string): Promise<void> {
  const result = await call('results.read', { folder: opened })
  if (currentFolder() !== opened) return
  stopFollowing()
  folder = opened
  texts = result.ok ? textsOf(result.value) : {}
  for (const { id, results } of allFeatures()) {
    if (!results) continue
    const saved = texts[id]
    if (saved !== undefined) results.restore(fromText(saved))
    const note = (): void => noteChange(id, results)
    stops.push(...results.stores.map((store) => store.subscribe(note)))
  }
}

/** Another project opens, or none: what it shows is not of this one. */
export function stopFollowing(): void {
  clearTimeout(timer)
  for (const stop of stops) stop()
  stops = []
  changed.clear()
  folder = null
}

function noteChange(id: string, results: SavedResults): void {
  changed.set(id, results)
  clearTimeout(timer)
  timer = setTimeout(() => void keepResultsNow(), delay)
}

/** Writes what changed since the last time. */
export async function keepResultsNow(): Promise<void> {
  clearTimeout(timer)
  if (folder === null) return
  for (const [id, results] of changed) {
    const value = results.read()
    const text = value === null ? '' : toText(value)
    const { [id]: before = '', ...others } = texts
    const now = text.length > largest ? '' : text
    if (now === before) continue
    texts = now === '' ? others : { ...others, [id]: now }
    isChanged = true
  }
  changed.clear()
  if (!isChanged) return
  isChanged = false
  // A disk that does not take it costs no more than that.
  await call('results.keep', { folder, text: JSON.stringify(texts) })
}

function textsOf(text: string): Record<string, string> {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed !== 'object' || parsed === null) return {}
    return Object.fromEntries(
      Object.entries(parsed).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      ),
    )
  } catch {
    // Nothing was kept yet, or the file is broken: a session without earlier results.
    return {}
  }
}

/** JSON has no word for these. */
const wordOf = new Map([
  [Number.POSITIVE_INFINITY, 'Infinity'],
  [Number.NEGATIVE_INFINITY, '-Infinity'],
])

function toText(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item !== 'number' || Number.isFinite(item)) return item
    return { notFinite: wordOf.get(item) ?? 'NaN' }
  })
}

function fromText(text: string): unknown {
  return JSON.parse(text, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && 'notFinite' in item
      ? Number(item.notFinite)
      : item,
  )
}

/** When results were first seen here, in milliseconds since 1970. */
const times = new WeakMap<object, number>()

export type Kept<Value> = { madeAt: number; value: Value }

/** A result as it is kept, with its time. */
export function kept<Value extends object>(value: Value, stamp: string | null): Kept<Value> {
  const madeAt = earlierTime(stamp) ?? times.get(value) ?? Date.now()
  times.set(value, madeAt)
  return { madeAt, value }
}

/** What was kept, with its stamp in this session; null for what does not have this form, maybe of another version. */
export function restored<Value>(
  form: z.ZodType<Value>,
  saved: unknown,
): { value: Value; stamp: string } | null {
  const parsed = z.object({ madeAt: z.number(), value: form }).safeParse(saved)
  return parsed.success
    ? { value: parsed.data.value, stamp: earlierStamp(parsed.data.madeAt) }
    : null
}

/** The last value of a job; null while it has none. */
export function keptOf<Value extends object>(job: {
  store: Pick<StoreApi<JobState<Value, unknown>>, 'getState'>
}): Kept<Value> | null {
  const { value, stamp } = job.store.getState()
  return value === null ? null : kept(value, stamp)
}

/** The end of a long text, which is where a log says what went wrong. */
export function lastPart(text: string, most: number): string {
  return text.length <= most ? text : `…\n${text.slice(-most)}`
}

/** Shows what keptOf() gave in an earlier session. */
export function restoreJob<Value>(
  job: Pick<Job<never, Value, never>, 'restore'>,
  form: z.ZodType<Value>,
  saved: unknown,
): void {
  const result = restored(form, saved)
  if (result !== null) job.restore(result.value, result.stamp)
}
