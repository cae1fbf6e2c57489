import { removeLeftovers } from '../engine/builds/leftovers'
import { pruneBuildCaches } from '../engine/compile/build'
import type { AppSession } from './app-session'
import { checkVersion } from './version-check'

/** Milliseconds that the window gets to show source and results, before what a later build may need is looked at. */
const prepareDelay = 4_000

async function prepare(session: AppSession): Promise<void> {
  try {
    // A project that was opened has its own.
    if (!session.project) void session.workbench.hosts.host()
    await removeLeftovers(session.installation)
    pruneBuildCaches(session.installation)
    await checkVersion(session)
    await session.prepareInBackground()
  } catch (error) {
    // The window works without either.
    session.noteUnexpected(error)
  }
}

/** Makes ready in the background what later work may need. Returns what takes that back while it has not begun. */
export function prepareSession(session: AppSession): () => void {
  const timer = setTimeout(() => {
    void prepare(session)
  }, prepareDelay)
  return () => {
    clearTimeout(timer)
  }
}

/** Says what nobody waited for in the session. Returns what ends that. */
export function tellFailures(session: AppSession): () => void {
  const note = (error: unknown): void => {
    session.noteUnexpected(error)
  }
  const events = ['unhandledRejection', 'uncaughtException'] as const
  for (const event of events) process.on(event, note)
  return () => {
    for (const event of events) process.off(event, note)
  }
}
