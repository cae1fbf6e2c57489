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

  parent(event: number): number {
    return this.trace.events.parent[event] ?? -1
  }

  /** Frames of the program at which it was called, outermost first; of the function's own event, the function. */
  frames(event: number): ProgramPlace[] {
    const stack = this.trace.stacks[this.trace.events.stack[event] ?? -1] ?? []
    return stack.flatMap((number) => {
      const frame = this.trace.frames[number]
      return frame ? [frame] : []
    })
  }

  /**
   * The line behind an event: where the program called it, else where it called what this ran within;
   * of an autograd node, where the operator that made it was called.
   */
  place(event: number): ProgramPlace | undefined {
    for (let at = event; at >= 0; at = this.parent(at)) {
      if (this.kind(at) === 'function') return undefined
      const frame = this.frames(at).at(-1)
      if (frame && frame.line > 0) return frame
      const forward = this.trace.events.forward[at] ?? -1
      // The operator came first: there is no way back to this event.
      if (forward >= 0 && forward < at) return this.place(forward)
    }
    return undefined
  }
}
