import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import { buildJob } from './build'
import type { Watched } from './feature'
import { buildStamp, filesStore, runStamp } from './files'
import { isRefreshDue, onRefresh } from './loop'
import { isForBuild, projectStore, roleOf } from './project'

export type Staleness = 'fresh' | 'unsaved' | 'older'

/** What a result depends on: what a build reads, or the program too. */
type Kind = 'build' | 'run'

/** What results are compared with. */
type Sources = Readonly<Record<Kind, Readonly<{ stamp: string; unsaved: boolean }>>>

function sourcesNow(): Sources {
  const dirty = Object.values(filesStore.getState().files)
    .filter((file) => file.dirty && !file.external)
    .map((file) => roleOf(file.path))
  const unsaved = dirty.some(isForBuild)
  return {
    build: { stamp: buildStamp(), unsaved },
    run: { stamp: runStamp(), unsaved: unsaved || dirty.includes('program') },
  }
}

/** `shown` is what old results are compared with: `now`, or during a hold what was before the save. */
const sourcesStore = createStore<{ now: Sources; shown: Sources }>(() => {
  const now = sourcesNow()
  return { now, shown: now }
})

/** Milliseconds. After that, the user should see that the results are old. */
const longestHold = 1_000

/** Set while `shown` is held. */
let hold: ReturnType<typeof setTimeout> | undefined

function takeSources(): void {
  const now = sourcesNow()
  const { now: before } = sourcesStore.getState()
  const isSame = (kind: Kind): boolean =>
    now[kind].stamp === before[kind].stamp && now[kind].unsaved === before[kind].unsaved
  if (isSame('build') && isSame('run')) return
  sourcesStore.setState(hold === undefined ? { now, shown: now } : { now })
}

function endHold(): void {
  clearTimeout(hold)
  hold = undefined
  sourcesStore.setState(({ now }) => ({ shown: now }))
}

/**
 * Call this before a save is noted, if a build follows at once. Until the new results are there, the panels then say
 * that their results do not include the changes, for a second at most. Without it, all panels would be dimmed for a
 * moment.
 */
export function holdStaleness(): void {
  // At a second save, the panels still show what was there before the first one.
  clearTimeout(hold)
  hold = setTimeout(endHold, longestHold)
}

function endHoldWhenMade(): void {
  // The refresh that follows a build begins after the build is noted.
  queueMicrotask(() => {
    const isBeingMade = buildJob.isRunning() || isRefreshDue(Number.POSITIVE_INFINITY)
    // A build that a newer one replaces leaves the stamp as it was: the newer one is about to begin.
    const isOfNow = buildJob.store.getState().stamp === buildStamp()
    if (hold !== undefined && isOfNow && !isBeingMade) endHold()
  })
}

filesStore.subscribe(takeSources)
projectStore.subscribe(takeSources)
buildJob.store.subscribe((now, before) => {
  if (now.running === null && before.running !== null) endHoldWhenMade()
})
onRefresh(endHoldWhenMade)

/** Whether a result with this stamp still belongs to the sources; null: there is no result. */
export function useStaleness(stamp: string | null, kind: Kind): Staleness {
  return useStore(sourcesStore, ({ now, shown }) => {
    if (stamp === null) return 'fresh'
    if (stamp === now[kind].stamp) return now[kind].unsaved ? 'unsaved' : 'fresh'
    return stamp === shown[kind].stamp ? 'unsaved' : 'older'
  })
}

/** Notifies its listeners when isOlder() may change its answer. */
export const stalenessStore: Watched = sourcesStore

/** Whether a result with this stamp is of older sources. During a hold, results from before the save do not count as older. */
export function isOlder(stamp: string, kind: Kind): boolean {
  const { now, shown } = sourcesStore.getState()
  return stamp !== now[kind].stamp && stamp !== shown[kind].stamp
}

/** A cache key: while it is equal, isOlder() gives the same answers. */
export function stampsShown(kind: Kind): string {
  const { now, shown } = sourcesStore.getState()
  return `${now[kind].stamp}\n${shown[kind].stamp}`
}

/** isOlder() for components: they render again when its answer may change. */
export function useIsOlder(kind: Kind): (stamp: string) => boolean {
  useStore(sourcesStore)
  return (stamp) => isOlder(stamp, kind)
}
