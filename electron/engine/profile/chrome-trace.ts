import type { ProfileReport } from '../../contract/profile'
import { EventTree } from './event-tree'

/**
 * An event of the Trace Event Format (Google, "Trace Event Format", the JSON Object Format): "X" is
 * a complete event with its duration, "C" a counter, "M" metadata that names a process or a thread,
 * "s" and "f" the start and the end of an arrow. `ts` and `dur` are in µs, with fractions.
 */
export interface TraceEvent {
  ph: 'X' | 'C' | 'M' | 's' | 'f'
  name: string
  pid: number
  tid: number
  ts?: number
  dur?: number
  cat?: string
  id?: number
  /** Of "f": the arrow ends at the event around it, not at the next one. */
  bp?: 'e'
  args?: Record<string, unknown>
}

export interface ChromeTrace {
  traceEvents: TraceEvent[]
  displayTimeUnit: 'ns'
  otherData: Record<string, string | number>
}

const hostProcess = 1
/** Each device is a process of its own, so that its streams stand together. */
const firstDeviceProcess = 2

const microseconds = (ns: number): number => ns / 1000

/** "grid": [1, 1, 1], "registers per thread": 32, … as the profiler writes them, without braces. */
function detailsOf(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {}
  try {
    return JSON.parse(text.trimStart().startsWith('{') ? text : `{${text}}`) as Record<
      string,
      unknown
    >
  } catch {
    return { details: text }
  }
}

interface Places {
  pid: (track: number) => number
  events: TraceEvent[]
}

function processes({ trace }: ProfileReport): Places {
  const devices = [
    ...new Set(trace.tracks.flatMap(({ name, isDevice }) => (isDevice ? [deviceOf(name)] : []))),
  ]
  const pid = (track: number): number => {
    const found = trace.tracks[track]
    return found?.isDevice === true
      ? firstDeviceProcess + devices.indexOf(deviceOf(found.name))
      : hostProcess
  }
  const meta = (name: string, id: number, tid: number, args: object): TraceEvent => ({
    ph: 'M',
    name,
    pid: id,
    tid,
    args: { ...args },
  })
  const events = [
    meta('process_name', hostProcess, 0, { name: `op host: ${trace.op}` }),
    ...devices.map((name, index) => meta('process_name', firstDeviceProcess + index, 0, { name })),
    ...trace.tracks.map(({ name }, track) => meta('thread_name', pid(track), track + 1, { name })),
    ...trace.tracks.map((_, track) =>
      meta('thread_sort_index', pid(track), track + 1, { sort_index: track }),
    ),
  ]
  return { pid, events }
}

const deviceOf = (track: string): string => track.replace(/ stream .*$/, '')

/** The run as a file that ui.perfetto.dev and chrome://tracing open. */
export function chromeTrace(report: ProfileReport): ChromeTrace {
  const { trace, self, memory } = report
  const { events } = trace
  const tree = new EventTree(trace)
  const { pid, events: traceEvents } = processes(report)
  let arrows = 0
  for (let event = 0; event < tree.count; event += 1) {
    const track = events.track[event] ?? 0
    const parent = tree.parent(event)
    const place = tree.frames(event).at(-1) ?? tree.place(event)
    const inputs = trace.inputs[events.inputs[event] ?? -1]
    const allocated = tree.allocated[event] ?? 0
    const at = { pid: pid(track), tid: track + 1, ts: microseconds(events.start[event] ?? 0) }
    traceEvents.push({
      ph: 'X',
      name: tree.name(event),
      cat: tree.kind(event),
      ...at,
      dur: microseconds(events.duration[event] ?? 0),
      args: {
        self_us: microseconds(self[event] ?? 0),
        ...(inputs === undefined ? {} : { inputs }),
        ...(allocated === 0 ? {} : { allocated_bytes: allocated }),
        ...(place && place.file !== '' ? { source: `${place.file}:${place.line}` } : {}),
        ...detailsOf(trace.details[events.details[event] ?? -1]),
      },
    })
    if (parent < 0 || events.track[parent] === track) continue
    // From the call that launched it to the kernel on its stream.
    arrows += 1
    const from = events.track[parent] ?? 0
    const arrow = { name: 'launch', cat: 'launch', id: arrows }
    const start = { pid: pid(from), tid: from + 1, ts: microseconds(events.start[parent] ?? 0) }
    traceEvents.push({ ph: 's', ...arrow, ...start }, { ph: 'f', bp: 'e', ...arrow, ...at })
  }
  for (const { device, times, bytes } of memory) {
    const name = `memory of ${device}`
    const counter = { ph: 'C', name, pid: hostProcess, tid: 0 } as const
    traceEvents.push({ ...counter, ts: 0, args: { bytes: 0 } })
    times.forEach((time, index) => {
      traceEvents.push({ ...counter, ts: microseconds(time), args: { bytes: bytes[index] ?? 0 } })
    })
  }
  return {
    traceEvents,
    displayTimeUnit: 'ns',
    otherData: {
      program: 'Opsmith',
      op: trace.op,
      threads: trace.threads,
      run: `${trace.chosen + 1} of ${trace.runs.length}`,
      ...(trace.cutEvents > 0 ? { events_left_out: trace.cutEvents } : {}),
    },
  }
}
