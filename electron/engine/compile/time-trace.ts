import fs from 'node:fs'
import path from 'node:path'

import { timeKinds } from '../../contract/time-trace'
import type { FileTime, TimeCost, TimeKind, TimeTrace } from '../../contract/time-trace'
import type { CompilerFamily } from '../toolchain/compilers'

/** One stretch as clang's -ftime-trace writes it: the Trace Event Format, times in µs. */
interface TraceEvent {
  ph: string
  tid: number
  ts: number
  dur?: number
  name: string
  args?: { detail?: string }
}

/** Shorter stretches are not written, µs. */
const granularity = 200
/** Stretches of one file that are kept, the longest ones. */
const mostEvents = 4000
const longestName = 240
const mostCosts = 3

/** clang's names for going back over templates; what they hold is more of the same. */
const templateNames = /^(Instantiate(Function|Class)|PerformPendingInstantiations)$/

function kindOf(name: string, inBackEnd: boolean): TimeKind {
  if (name === 'Source') return 'header'
  if (templateNames.test(name)) return 'template'
  if (name === 'Backend' || inBackEnd) return 'backEnd'
  return name === 'ExecuteCompiler' ? 'file' : 'frontEnd'
}

/** "std::vector<int>::push_back" → "std::vector::push_back": all instances of a template are one. */
export function templateName(detail: string): string {
  let name = ''
  let depth = 0
  // Operators are no brackets: operator<, operator<<, operator->, operator<=>.
  const text = detail.replace(/operator(<=>|<<=?|>>=?|<=|>=|->\*?|<|>)/g, (word) =>
    word.replace(/</g, '\u2039').replace(/>/g, '\u203a'),
  )
  for (const letter of text) {
    if (letter === '<') depth += 1
    if (depth === 0) name += letter
    if (letter === '>') depth -= 1
  }
  return name.replace(/\u2039/g, '<').replace(/\u203a/g, '>')
}

interface Stretch {
  name: string
  detail: string
  kind: TimeKind
  start: number
  seconds: number
  parent: number
}

/** Stretches by their start, each within the one that holds it. */
function nested(events: readonly TraceEvent[]): Stretch[] {
  const sorted = [...events].sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0))
  const open: { end: number; id: number }[] = []
  const stretches: Stretch[] = []
  for (const event of sorted) {
    while (open.length > 0 && event.ts >= (open.at(-1)?.end ?? 0)) open.pop()
    const parent = open.at(-1)?.id ?? -1
    const inBackEnd = stretches[parent]?.kind === 'backEnd'
    const duration = event.dur ?? 0
    stretches.push({
      name: event.name,
      detail: event.args?.detail ?? '',
      parent,
      kind: kindOf(event.name, inBackEnd),
      start: event.ts / 1e6,
      seconds: duration / 1e6,
    })
    open.push({ end: event.ts + duration, id: stretches.length - 1 })
  }
  return stretches
}

function hasAround(stretches: readonly Stretch[], id: number, kinds: readonly TimeKind[]): boolean {
  for (let at = stretches[id]?.parent ?? -1; at >= 0; at = stretches[at]?.parent ?? -1) {
    const kind = stretches[at]?.kind
    // Going over all pending templates is no template itself.
    if (kind !== undefined && kinds.includes(kind) && stretches[at]?.detail !== '') return true
  }
  return false
}

/** Headers that no other one brought along, and templates that none asked for, by name. */
function costsOf(stretches: readonly Stretch[]): TimeCost[] {
  const costs = new Map<string, TimeCost>()
  stretches.forEach(({ kind, detail, seconds }, id) => {
    if ((kind !== 'header' && kind !== 'template') || detail === '') return
    if (hasAround(stretches, id, [kind])) return
    const name = kind === 'header' ? path.normalize(detail) : templateName(detail)
    const key = `${kind} ${name}`
    const cost = costs.get(key) ?? { name, kind, seconds: 0, count: 0 }
    costs.set(key, { ...cost, seconds: cost.seconds + seconds, count: cost.count + 1 })
  })
  return [...costs.values()].sort((a, b) => b.seconds - a.seconds)
}

/** Stretches of one kind that lie in no header and no template. */
function outermost(stretches: readonly Stretch[], kind: TimeKind): number {
  const isInside = ({ parent }: Stretch): boolean => {
    for (let at = parent; at >= 0; at = stretches[at]?.parent ?? -1) {
      const around = stretches[at]?.kind
      if (around === 'header' || around === 'template') return true
    }
    return false
  }
  return stretches.reduce(
    (seconds, one) => (one.kind === kind && !isInside(one) ? seconds + one.seconds : seconds),
    0,
  )
}

/**
 * Since clang 18, a header is a pair of events, its end right behind its beginning: they may overlap what is parsed.
 */
function completeEvents(events: readonly TraceEvent[]): TraceEvent[] {
  const complete: TraceEvent[] = []
  let begun: TraceEvent | undefined
  for (const event of events) {
    if (event.ph === 'X') complete.push(event)
    else if (event.ph === 'b') begun = event
    else if (event.ph === 'e' && begun?.name === event.name) {
      complete.push({ ...begun, ph: 'X', dur: event.ts - begun.ts })
      begun = undefined
    }
  }
  return complete
}

/** Reads what clang wrote. Undefined when it is no trace. */
export function readClangTrace(
  text: string,
): Pick<FileTime, 'phases' | 'costs' | 'events' | 'names'> | undefined {
  let parsed: { traceEvents?: TraceEvent[] }
  try {
    parsed = JSON.parse(text) as { traceEvents?: TraceEvent[] }
  } catch {
    return undefined
  }
  // Sums ("Total Frontend") lie on threads of their own; so does what other threads did.
  const all = completeEvents(parsed.traceEvents ?? []).filter(
    ({ name }) => !name.startsWith('Total '),
  )
  const whole = all.find(({ name }) => name === 'ExecuteCompiler')
  if (!whole) return undefined
  const events = all.filter(({ tid }) => tid === whole.tid)
  const stretches = nested(events)
  const total = (whole.dur ?? 0) / 1e6
  const ofName = (name: string): number =>
    events.reduce((seconds, one) => seconds + (one.name === name ? (one.dur ?? 0) / 1e6 : 0), 0)
  const headers = outermost(stretches, 'header')
  const templates = outermost(stretches, 'template')
  const front = ofName('Frontend')
  const backEnd = ofName('Backend')
  return {
    phases: {
      headers,
      templates,
      backEnd,
      frontEnd: Math.max(0, front - headers - templates),
      other: Math.max(0, total - front - backEnd),
    },
    costs: costsOf(stretches),
    ...columnsOf(stretches),
  }
}

function columnsOf(stretches: readonly Stretch[]): Pick<FileTime, 'events' | 'names'> {
  const shortest =
    stretches.length <= mostEvents
      ? 0
      : (stretches.map(({ seconds }) => seconds).sort((a, b) => b - a)[mostEvents] ?? 0)
  const names: string[] = []
  const nameIds = new Map<string, number>()
  const events: FileTime['events'] = { name: [], kind: [], start: [], seconds: [], parent: [] }
  const idOf = new Map<number, number>()
  stretches.forEach(({ name, detail, kind, start, seconds, parent }, id) => {
    // What is left out is shorter than all that is kept, and so is what lies in it.
    if (seconds < shortest || events.name.length > mostEvents) return
    const text = (detail === '' ? name : kind === 'frontEnd' ? `${name}: ${detail}` : detail).slice(
      0,
      longestName,
    )
    let nameId = nameIds.get(text)
    if (nameId === undefined) {
      nameId = names.push(text) - 1
      nameIds.set(text, nameId)
    }
    idOf.set(id, events.name.length)
    events.name.push(nameId)
    events.kind.push(timeKinds.indexOf(kind))
    events.start.push(start)
    events.seconds.push(seconds)
    events.parent.push(idOf.get(parent) ?? -1)
  })
  return { events, names }
}

const gccLine = /^ ([^:]+?)\s*:\s*[\d.]+(?: \([^)]*\))?\s+[\d.]+(?: \([^)]*\))?\s+([\d.]+)/gm

/** The sums of g++'s -ftime-report, wall time: it knows no single header or template. */
export function readGccReport(text: string): FileTime['phases'] {
  const seconds = new Map<string, number>()
  for (const match of text.matchAll(gccLine)) {
    seconds.set(match[1] ?? '', Number(match[2]))
  }
  const total = seconds.get('TOTAL')
  if (total === undefined) return undefined
  const of = (name: string): number => seconds.get(name) ?? 0
  const templates = of('template instantiation')
  const front = of('phase setup') + of('phase parsing') + of('phase lang. deferred')
  const backEnd = of('phase opt and generate') + of('phase last asm')
  return {
    headers: 0,
    templates,
    backEnd,
    frontEnd: Math.max(0, front - templates),
    other: Math.max(0, total - front - backEnd),
  }
}

/** What g++ printed next to its report. */
function withoutReport(text: string): string {
  const at = text.search(/^Time variable\s/m)
  return at < 0 ? text : `${text.slice(0, at).trimEnd()}\n`.replace(/^\n$/, '')
}

const noEvents = { name: [], kind: [], start: [], seconds: [], parent: [] }

/** Collects the traces of one build. */
export class TimeTracer {
  private readonly files: FileTime[] = []
  private link: TimeTrace['link']
  private readonly began = performance.now()

  constructor(private readonly family: CompilerFamily) {}

  /** Seconds since the build began. */
  now(): number {
    return (performance.now() - this.began) / 1000
  }

  flags(isCxx: boolean, traceFile: string): string[] {
    if (!isCxx) return []
    return this.family === 'clang'
      ? [`-ftime-trace=${traceFile}`, `-ftime-trace-granularity=${granularity}`]
      : ['-ftime-report']
  }

  /** Takes a compile that ended; what it printed, without a report of times, comes back. */
  takeCompile(
    compile: { label: string; start: number; seconds: number; isCxx: boolean },
    traceFile: string,
    said: string,
  ): string {
    const { label, start, seconds, isCxx } = compile
    const base: FileTime = { label, start, seconds, costs: [], events: noEvents, names: [] }
    const isClang = this.family === 'clang'
    if (isCxx && isClang && fs.existsSync(traceFile)) {
      this.files.push({ ...base, ...readClangTrace(fs.readFileSync(traceFile, 'utf8')) })
      fs.rmSync(traceFile, { force: true })
      return said
    }
    const phases = isCxx && !isClang ? readGccReport(said) : undefined
    this.files.push({ ...base, ...(phases ? { phases } : {}) })
    return isClang ? said : withoutReport(said)
  }

  takeLink(label: string, start: number, seconds: number): void {
    this.link = { label, start, seconds }
  }

  trace(): TimeTrace {
    const files = [...this.files].sort((a, b) => a.start - b.start)
    const dearest = (kind: TimeCost['kind']): TimeCost[] => {
      const costs = new Map<string, TimeCost>()
      for (const cost of files.flatMap((file) => file.costs)) {
        if (cost.kind !== kind) continue
        const known = costs.get(cost.name) ?? { ...cost, seconds: 0, count: 0 }
        const seconds = known.seconds + cost.seconds
        costs.set(cost.name, { ...known, seconds, count: known.count + cost.count })
      }
      return [...costs.values()].sort((a, b) => b.seconds - a.seconds).slice(0, mostCosts)
    }
    const remarks: string[] = []
    if (this.family !== 'clang') {
      remarks.push(
        'g++ reports only totals. clang also reports the time of each header and template.',
      )
    }
    const silent = files.filter(({ phases }) => phases === undefined).map(({ label }) => label)
    if (silent.length > 0)
      remarks.push(
        `For ${silent.join(', ')}, the compiler reported only the total time, not the time of each header and template.`,
      )
    return {
      files: files.map((file) => ({ ...file, costs: file.costs.slice(0, 20) })),
      ...(this.link ? { link: this.link } : {}),
      headers: dearest('header'),
      templates: dearest('template'),
      remarks,
    }
  }
}

/** The Trace Event Format, for ui.perfetto.dev: a process for each file. */
export function traceEventsOf(trace: TimeTrace, load?: number): object {
  const events: object[] = []
  const process = (pid: number, name: string): void => {
    events.push({ ph: 'M', pid, tid: 1, ts: 0, name: 'process_name', args: { name } })
  }
  const span = (
    pid: number,
    category: string,
    { name, start, seconds }: { name: string; start: number; seconds: number },
  ): void => {
    const ts = start * 1e6
    events.push({ ph: 'X', pid, tid: 1, ts, dur: seconds * 1e6, name, cat: category })
  }
  trace.files.forEach((file, index) => {
    process(index + 1, file.label)
    span(index + 1, 'file', { name: file.label, start: file.start, seconds: file.seconds })
    file.events.name.forEach((name, id) => {
      const kind = timeKinds[file.events.kind[id] ?? 0] ?? 'file'
      const start = file.start + (file.events.start[id] ?? 0)
      const seconds = file.events.seconds[id] ?? 0
      span(index + 1, kind, { name: file.names[name] ?? '', start, seconds })
    })
  })
  const { link } = trace
  if (link) {
    const pid = trace.files.length + 1
    process(pid, link.label)
    span(pid, 'link', { name: 'link', start: link.start, seconds: link.seconds })
    if (load !== undefined) {
      span(pid, 'load', { name: 'load', start: link.start + link.seconds, seconds: load })
    }
  }
  return { traceEvents: events, displayTimeUnit: 'ms' }
}
