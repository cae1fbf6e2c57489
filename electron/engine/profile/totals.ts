import type { ProfileFlame, ProfileTotal } from '../../contract/profile'
import type { EventTree, ProgramPlace } from './event-tree'

interface Sum {
  total: ProfileTotal
  places: Set<string>
}

const placeKey = ({ file, line }: ProgramPlace): string => `${file}:${line}`

/** Own times among these; the ranges of the run hold all the time there is on their thread. */
function withShares(sums: Iterable<Sum>, all: number): ProfileTotal[] {
  return [...sums]
    .map(({ total, places }) => ({
      ...total,
      places: places.size,
      share: all > 0 ? total.self / all : 0,
    }))
    .sort((a, b) => b.self - a.self || (a.name < b.name ? -1 : 1))
}

/** Whether something of the same key lies around an event: its time is in that one's already. */
function isNested(tree: EventTree, event: number, keys: readonly string[]): boolean {
  const key = keys[event]
  for (let at = tree.parent(event); at >= 0; at = tree.parent(at)) if (keys[at] === key) return true
  return false
}

/** Events without a key are left out. `nested`: whether those within others of their key are calls, too. */
function sumBy(
  tree: EventTree,
  keys: readonly string[],
  nested: boolean,
  named: (event: number) => Pick<ProfileTotal, 'name' | 'kind' | 'file' | 'line'>,
): ProfileTotal[] {
  const sums = new Map<string, Sum>()
  for (let event = 0; event < tree.count; event += 1) {
    const key = keys[event] ?? ''
    if (key === '') continue
    let sum = sums.get(key)
    if (!sum) {
      const zero = { calls: 0, total: 0, self: 0, share: 0, allocated: 0, places: 0 }
      sum = { total: { ...named(event), ...zero }, places: new Set() }
      sums.set(key, sum)
    }
    const { total, places } = sum
    const isWithin = isNested(tree, event, keys)
    if (!isWithin) total.total += tree.trace.events.duration[event] ?? 0
    if (!isWithin || nested) total.calls += 1
    total.self += tree.self[event] ?? 0
    total.allocated += tree.allocated[event] ?? 0
    const place = tree.place(event)
    if (place) {
      places.add(placeKey(place))
      if (total.file === '') [total.file, total.line] = [place.file, place.line]
    }
  }
  return withShares(sums.values(), tree.total)
}

/** All events of one name and kind together, the most own time first. */
export function totalsByOperator(tree: EventTree): ProfileTotal[] {
  const keys = Array.from({ length: tree.count }, (_, event) =>
    [tree.kind(event), tree.name(event)].join(' '),
  )
  return sumBy(tree, keys, true, (event) => ({
    name: tree.name(event),
    kind: tree.kind(event),
    file: '',
    line: 0,
  }))
}

/**
 * All that a line of the program called, its backward included; what no line called is left out, and
 * what a device did meanwhile, which is no part of the thread's time.
 */
export function totalsByLine(tree: EventTree): ProfileTotal[] {
  const places: (ProgramPlace | undefined)[] = []
  for (let event = 0; event < tree.count; event += 1) places.push(tree.place(event))
  return sumBy(
    tree,
    places.map((place, event) => (place && tree.kind(event) !== 'device' ? placeKey(place) : '')),
    false,
    (event) => {
      const place = places[event]
      return {
        name: place?.function ?? '',
        kind: 'function',
        file: place?.file ?? '',
        line: place?.line ?? 0,
      }
    },
  )
}

/**
 * The flame graph: events with the same path of names are one node. Functions that the program's
 * compiler inlined have no event: the frames of what they call stand in for them.
 */
export function flameGraph(tree: EventTree): ProfileFlame[] {
  const nodes: ProfileFlame[] = []
  const children = new Map<string, number>()
  const nodeOf: number[] = []
  const node = (parent: number, name: string, kind: ProfileFlame['kind']): number => {
    const key = [parent, kind, name].join(' ')
    const known = children.get(key)
    if (known !== undefined) return known
    const made = { calls: 0, total: 0, self: 0, allocated: 0, file: '', line: 0 }
    nodes.push({ name, kind, parent, ...made })
    children.set(key, nodes.length - 1)
    return nodes.length - 1
  }
  for (let event = 0; event < tree.count; event += 1) {
    const parent = tree.parent(event)
    const duration = tree.trace.events.duration[event] ?? 0
    let at = parent < 0 ? -1 : (nodeOf[parent] ?? -1)
    // A device works beside its caller: its time is none of that one's.
    if (tree.kind(event) === 'device') {
      at = node(-1, tree.track(event), 'device')
      const stream = nodes[at]
      if (stream) stream.total += duration
    }
    // Directly within the function's own event: its first frame is that event.
    if (parent >= 0 && tree.kind(parent) === 'function' && tree.kind(event) !== 'function') {
      for (const frame of tree.frames(event).slice(1)) {
        at = node(at, frame.function, 'function')
        const inlined = nodes[at]
        if (!inlined) continue
        inlined.total += duration
        inlined.calls += 1
        if (inlined.file === '') [inlined.file, inlined.line] = [frame.file, frame.line]
      }
    }
    at = node(at, tree.name(event), tree.kind(event))
    nodeOf.push(at)
    const own = nodes[at]
    if (!own) continue
    own.calls += 1
    own.total += duration
    own.self += tree.self[event] ?? 0
    own.allocated += tree.allocated[event] ?? 0
    const place = tree.kind(event) === 'function' ? tree.frames(event)[0] : tree.place(event)
    if (place && own.file === '') [own.file, own.line] = [place.file, place.line]
  }
  return nodes
}
