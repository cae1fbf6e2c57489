import { timeKinds, type TimeTrace } from '../../../electron/contract/time-trace'
import { makeSpans, type NamedSpans, type SpanKind } from '../../shell/spans/spans'

const ns = (seconds: number): number => seconds * 1e9

/** A build as rows: each file under its name, what ran within something in the row below it, then link and load. */
export function buildSpans(trace: TimeTrace, load: number | null): NamedSpans {
  const start: number[] = []
  const duration: number[] = []
  const row: number[] = []
  const parent: number[] = []
  const names: string[] = []
  const kinds: SpanKind[] = []
  const heads: { row: number; text: string }[] = []
  let next = 0
  const add = (span: {
    name: string
    kind: SpanKind
    start: number
    seconds: number
    row: number
    parent: number
  }): number => {
    start.push(ns(span.start))
    duration.push(ns(span.seconds))
    row.push(span.row)
    parent.push(span.parent)
    names.push(span.name)
    kinds.push(span.kind)
    return names.length - 1
  }
  for (const file of trace.files) {
    const { events } = file
    const top = next
    const whole = { name: file.label, kind: 'file' as const, row: top, parent: -1 }
    const root = add({ ...whole, start: file.start, seconds: file.seconds })
    const ids: number[] = []
    let deepest = top
    events.name.forEach((name, id) => {
      const within = ids[events.parent[id] ?? -1] ?? root
      const level = (row[within] ?? top) + 1
      deepest = Math.max(deepest, level)
      ids[id] = add({
        name: file.names[name] ?? '',
        kind: timeKinds[events.kind[id] ?? 0] ?? 'file',
        start: file.start + (events.start[id] ?? 0),
        seconds: events.seconds[id] ?? 0,
        row: level,
        parent: within,
      })
    })
    next = deepest + 1
  }
  const { link } = trace
  if (link) {
    const where = { row: next, parent: -1 }
    add({ name: `link ${link.label}`, kind: 'link', ...where, ...link })
    if (load !== null) {
      add({ name: 'load', kind: 'load', ...where, start: link.start + link.seconds, seconds: load })
    }
  }
  return {
    spans: makeSpans({ start, duration, row, parent, heads }),
    name: (id) => names[id] ?? '',
    kind: (id) => kinds[id] ?? 'file',
  }
}
