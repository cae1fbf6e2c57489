/** A stopped block in words, for the window and the command line. */
import type { SourcePlace } from './gpu-findings'
import type { StepLane, StepRace, WaitKind } from './gpu-stepping'

type PlaceText = (place: SourcePlace | null) => string

const waitNames: Readonly<Record<WaitKind, string>> = {
  barrier: 'the barrier',
  'named-barrier': 'the named barrier',
  warp: 'the warp operation',
  converging: 'the other lanes of the warp',
  grid: 'the barrier of the grid',
}

/** Threads that do the same at the same place. */
export interface LaneGroup {
  state: StepLane['state']
  place: SourcePlace | null
  wait?: WaitKind
  threads: number
}

export function laneGroups(lanes: readonly StepLane[]): LaneGroup[] {
  const groups = new Map<string, LaneGroup>()
  for (const { state, place, wait } of lanes) {
    const key = JSON.stringify([state, place, wait])
    const known = groups.get(key)
    if (known) known.threads += 1
    else groups.set(key, { state, place, ...(wait === undefined ? {} : { wait }), threads: 1 })
  }
  return [...groups.values()]
}

/** "32 threads waiting for the barrier": what comes before the place. */
export function groupText({ state, wait, threads }: LaneGroup): string {
  const text = {
    active: 'stopped',
    stopped: 'waiting for their turn',
    waiting: `waiting for ${waitNames[wait ?? 'barrier']}`,
    running: 'running in a loop',
    finished: 'finished',
  }[state]
  return `${threads === 1 ? '1 thread' : `${threads} threads`} ${text}`
}

/** "race on tile[3]: thread 1 writes at …, thread 2 reads at …, and nothing orders these accesses (the race …)" */
export function raceText(
  { before, after, variable, bytes }: StepRace,
  placeText: PlaceText,
): string {
  const one = ({ thread, writes, place }: StepRace['before']): string =>
    `thread ${thread} ${writes ? 'writes' : 'reads'} at ${placeText(place)}`
  const what = variable === '' ? 'shared memory' : variable
  return `race on ${what}: ${one(before)}, ${one(after)}, and nothing orders these accesses (the race is on ${bytes} bytes in total)`
}
