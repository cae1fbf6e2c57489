import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import { buildJob } from './build'
import { buildStamp, filesStore, runStamp } from './files'
import { isRefreshDue, onRefreshed } from './loop'
import { projectStore, roleOf } from './project'

export type Staleness = 'fresh' | 'unsaved' | 'older'

/** What a result depends on: what a build reads, or the program too. */
type Kind = 'build' | 'run'

/** What results are compared with. */
type Sources = Readonly<Record<Kind, Readonly<{ stamp: string; unsaved: boolean }>>>

function sourcesNow(): Sources {
  const dirty = Object.values(filesStore.getState().files)
    .filter((file) => file.dirty && !file.external)
    .map((file) => roleOf(file.path))
  const unsaved = dirty.some((role) => role === 'source' || role === 'header')
  return {
    build: { stamp: buildStamp(), unsaved },
    run: { stamp: runStamp(), unsaved: unsaved || dirty.includes('program') },
  }
}

/** `shown` is what old results are compared with: `now`, or what was before the save that a build follows. */
const sourcesStore = createStore<{ now: Sources; shown: Sources }>(() => {
  const now = sourcesNow()
  return { now, shown: now }
})

/** Milliseconds. A build that takes longer is waited for by somebody who shall see that the results are old. */
const longestHold = 500

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
 * Called before a save is noted, if a build follows at once. Every panel says already that its result does not include
 * the changes. Until the new results are there, at most for half a second, the panels say nothing else: all of them
 * would be dimmed, and a moment later not.
 */
export function holdStaleness(): void {
  clearTimeout(hold)
  hold = setTimeout(endHold, longestHold)
}

function endHoldWhenMade(): void {
  // The refresh that follows a build begins after the build is noted.
  queueMicrotask(() => {
    const isBeingMade = buildJob.isRunning() || isRefreshDue(Number.POSITIVE_INFINITY)
    if (hold !== undefined && !isBeingMade) endHold()
  })
}

filesStore.subscribe(takeSources)
projectStore.subscribe(takeSources)
buildJob.store.subscribe((now, before) => {
  if (now.running === null && before.running !== null) endHoldWhenMade()
})
onRefreshed(endHoldWhenMade)

/** Whether a result with this stamp still belongs to the sources; null: there is no result. */
export function useStaleness(stamp: string | null, kind: Kind): Staleness {
  return useStore(sourcesStore, ({ now, shown }) => {
    if (stamp === null) return 'fresh'
    const sources = [now[kind], shown[kind]].find((one) => one.stamp === stamp)
    if (sources === undefined) return 'older'
    return sources.unsaved ? 'unsaved' : 'fresh'
  })
}
