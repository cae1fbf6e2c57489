import type { Draft } from '../../electron/contract/project'
import { call } from '../bridge/bridge'
import { notifyError } from '../store/notifications'

/**
 * What was typed and not saved, kept outside the project. A draft is written at most this long after
 * a key press, typing on or not: no crash can take more than that.
 */
const delay = 400

type Pending = { folder: string; timer: ReturnType<typeof setTimeout>; read: () => Draft | null }

const pending = new Map<string, Pending>()
/** One write at a time for each file, in order: an old draft must not arrive after a newer one. */
const queues = new Map<string, Promise<void>>()
let restored = new Map<string, Draft>()

export function keepDraftSoon(folder: string, path: string, read: () => Draft | null): void {
  if (pending.has(path)) return
  const timer = setTimeout(() => {
    void keepNow(path)
  }, delay)
  pending.set(path, { folder, timer, read })
}

async function keepNow(path: string): Promise<void> {
  const waiting = pending.get(path)
  if (!waiting) return
  clearTimeout(waiting.timer)
  pending.delete(path)
  const draft = waiting.read()
  if (draft === null) return
  await enqueue(path, async () => {
    const result = await call('draft.keep', { folder: waiting.folder, draft })
    if (!result.ok) notifyError(result.error)
  })
}

/** Before the window or the project closes. */
export async function keepAllDrafts(): Promise<void> {
  await Promise.all([...pending.keys()].map((path) => keepNow(path)))
  await Promise.all([...queues.values()])
}

export async function dropDraft(folder: string, path: string): Promise<void> {
  const waiting = pending.get(path)
  if (waiting) clearTimeout(waiting.timer)
  pending.delete(path)
  await enqueue(path, async () => {
    await call('draft.drop', { folder, path })
  })
}

function enqueue(path: string, task: () => Promise<void>): Promise<void> {
  const done = (queues.get(path) ?? Promise.resolve()).then(task)
  queues.set(path, done)
  return done
}

/** The drafts that an earlier window left; each is taken once, by the file that is opened. */
export async function loadDrafts(folder: string): Promise<Draft[]> {
  const result = await call('draft.list', { folder })
  if (!result.ok) {
    notifyError(result.error)
    return []
  }
  restored = new Map(result.value.map((draft) => [draft.path, draft]))
  return result.value
}

export function takeRestoredDraft(path: string): Draft | null {
  const draft = restored.get(path) ?? null
  restored.delete(path)
  return draft
}
