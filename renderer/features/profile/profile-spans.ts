import {
  profileKinds,
  type ProfileKind,
  type ProfileReport,
} from '../../../electron/contract/profile'
import { makeSpans, type NamedSpans } from '../../shell/spans/spans'

/** Each track below the one before; what runs within something on the same track in the row below it. */
export function timelineOf(report: ProfileReport): NamedSpans {
  const { events, tracks, names } = report.trace
  const depth: number[] = []
  const deepest = tracks.map(() => 0)
  events.track.forEach((track, id) => {
    const parent = events.parent[id] ?? -1
    const isWithin = parent >= 0 && events.track[parent] === track
    depth[id] = isWithin ? (depth[parent] ?? 0) + 1 : 0
    deepest[track] = Math.max(deepest[track] ?? 0, depth[id] ?? 0)
  })
  // A single thread needs no name.
  const hasHeads = tracks.length > 1
  let next = 0
  const first = deepest.map((levels) => {
    const row = next + (hasHeads ? 1 : 0)
    next = row + levels + 1
    return row
  })
  const spans = makeSpans({
    start: events.start,
    duration: events.duration,
    row: events.track.map((track, id) => (first[track] ?? 0) + (depth[id] ?? 0)),
    parent: events.parent,
    heads: hasHeads
      ? tracks.map(({ name }, track) => ({ row: (first[track] ?? 1) - 1, text: name }))
      : [],
  })
  return {
    spans,
    name: (id) => names[events.name[id] ?? -1] ?? '',
    kind: (id) => spanKind(report, id),
  }
}

export function spanKind({ trace }: ProfileReport, event: number): ProfileKind {
  return profileKinds[trace.events.kind[event] ?? -1] ?? 'operator'
}

/** Nodes as wide as the time they take together, in the order in which they first ran. */
export function flameOf({ flame }: ProfileReport): NamedSpans {
  const start: number[] = []
  const row: number[] = []
  const filled: number[] = []
  let roots = 0
  flame.forEach(({ parent, total }, id) => {
    const within = parent < 0 ? roots : (start[parent] ?? 0) + (filled[parent] ?? 0)
    start[id] = within
    row[id] = parent < 0 ? 0 : (row[parent] ?? 0) + 1
    filled[id] = 0
    if (parent < 0) roots += total
    else filled[parent] = (filled[parent] ?? 0) + total
  })
  const spans = makeSpans({
    start,
    row,
    duration: flame.map(({ total }) => total),
    parent: flame.map(({ parent }) => parent),
  })
  return {
    spans,
    name: (id) => flame[id]?.name ?? '',
    kind: (id) => flame[id]?.kind ?? 'operator',
  }
}

/** Of an autograd node and a function: how the legend and the details call them. */
export const kindWords: Record<ProfileKind, string> = {
  range: 'the run',
  function: 'function of the program',
  custom: 'operator of a library',
  operator: 'operator of libtorch',
  backward: 'autograd',
  runtime: 'device runtime',
  device: 'on the device',
}
