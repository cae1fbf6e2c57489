import { profileKinds } from '../../contract/profile'
import type { ProfileKind, ProfileTrace } from '../../contract/profile'

export interface ProgramPlace {
  function: string
  file: string
  line: number
}

/** The columns of a trace, asked event by event. */
export class EventTree {
  readonly count: number
  /** ns without what ran within it on the same track: a kernel on a stream takes nothing of it. */
  readonly self: number[]
  /** Bytes taken within it, and not within an event within it. */
  readonly allocated: number[]
  /** Of the events that lie within no other and on no device, in ns. */
  readonly total: number

  constructor(readonly trace: ProfileTrace) {
    const { events, allocations } = trace
    this.count = events.name.length
    this.self = events.duration.slice()
    this.allocated = new Array<number>(this.count).fill(0)
    let total = 0
    for (let event = 0; event < this.count; event += 1) {
      const parent = events.parent[event] ?? -1
      const duration = events.duration[event] ?? 0
      if (parent < 0) {
        if (this.kind(event) === 'range') total += duration
      } else if (events.track[parent] === events.track[event]) {
        this.self[parent] = (this.self[parent] ?? 0) - duration
      }
    }
    this.total = total
    allocations.bytes.forEach((bytes, index) => {
      const event = allocations.event[index] ?? -1
      if (bytes > 0 && event >= 0) this.allocated[event] = (this.allocated[event] ?? 0) + bytes
    })
  }

  name(event: number): string {
    return this.trace.names[this.trace.events.name[event] ?? -1] ?? ''
  }

  kind(event: number): ProfileKind {
    return profileKinds[this.trace.events.kind[event] ?? -1] ?? 'operator'
  }

  /** "thread 1", "cuda:0 stream 7". */
  track(event: number): string {
    return this.trace.tracks[this.trace.events.track[event] ?? -1]?.name ?? ''
  }

  parent(event: number): number {
    return this.trace.events.parent[event] ?? -1
  }

  /** Frames of the program at which it was called, outermost first; of the function's own event, the function. */
  frames(event: number): ProgramPlace[] {
    return this.stack(event).flatMap((number) => {
      const frame = this.trace.frames[number]
      return frame ? [frame] : []
    })
  }

  private stack(event: number): readonly number[] {
    return this.trace.stacks[this.trace.events.stack[event] ?? -1] ?? []
  }

  /**
   * The line behind an event: where the program called it, else where it called what this ran within;
   * of an autograd node, where the operator that made it was called. -1, else a number of a frame.
   */
  placeNumber(event: number): number {
    for (let at = event; at >= 0; at = this.parent(at)) {
      if (this.kind(at) === 'function') return -1
      const number = this.stack(at).at(-1)
      if (number !== undefined && (this.trace.frames[number]?.line ?? 0) > 0) return number
      const forward = this.trace.events.forward[at] ?? -1
      // The operator came first: there is no way back to this event.
      if (forward >= 0 && forward < at) return this.placeNumber(forward)
    }
    return -1
  }

  place(event: number): ProgramPlace | undefined {
    return this.trace.frames[this.placeNumber(event)]
  }

  /** As placeNumber; of a function, where it is defined. */
  shownPlace(event: number): number {
    return this.kind(event) === 'function' ? (this.stack(event)[0] ?? -1) : this.placeNumber(event)
  }
}
