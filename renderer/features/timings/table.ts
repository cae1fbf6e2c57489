import type { TimingDirection } from '../../../electron/contract/timing-names'
import type { TimingPoint, TimingRow } from '../../../electron/contract/timing-report'
import { inUnit, ratioText, threadsText, unitFor, type TimeUnit } from './time-units'

/** Which spread stands beside a median: the samples' quartiles, or where the median lies with 95 % confidence. */
export type Spread = 'quartiles' | 'interval'

/** One operator or variant: a cell a direction. */
export type TableLine = {
  kind: TimingRow['kind']
  variant: string
  cells: Partial<Record<TimingDirection, TimingRow>>
}

/** The variants of one benchmark at one point of its sweep: these are compared with one another. */
export type TableGroup = {
  entry: number
  op: string
  point: TimingPoint
  /** What is particular about the point; "" where nothing is swept. */
  label: string
  lines: TableLine[]
  /** Rows that nothing of the group beats, beyond doubt; empty when nothing is faster than anything. */
  best: ReadonlySet<TimingRow>
}

export type TimingTable = {
  groups: TableGroup[]
  directions: TimingDirection[]
  unit: TimeUnit
}

const order: readonly TimingDirection[] = ['forward', 'backward', 'both']

function pointKey(row: TimingRow): string {
  return JSON.stringify([row.entry, row.point])
}

/** Rows side by side: variants below one another, directions beside one another. */
export function tableOf(rows: readonly TimingRow[]): TimingTable {
  const byPoint = new Map<string, TimingRow[]>()
  for (const row of rows) {
    const key = pointKey(row)
    byPoint.set(key, [...(byPoint.get(key) ?? []), row])
  }
  const sorted = [...byPoint.values()].sort((a, b) => (a[0]?.entry ?? 0) - (b[0]?.entry ?? 0))
  const groups = sorted.flatMap((members): TableGroup[] => {
    const [first] = members
    if (!first) return []
    const siblings = rows.filter((row) => row.entry === first.entry)
    return [
      {
        entry: first.entry,
        op: members.find((row) => row.kind === 'operator')?.op ?? first.op,
        point: first.point,
        label: pointLabel(
          first.point,
          siblings.map((row) => row.point),
        ),
        lines: linesOf(members),
        best: new Set(order.flatMap((direction) => bestOf(members, direction))),
      },
    ]
  })
  const directions = order.filter((direction) => rows.some((row) => row.direction === direction))
  const medians = rows.flatMap((row) => (row.summary ? [row.summary.median] : []))
  return { groups, directions, unit: unitFor(medians.length === 0 ? [1e-6] : medians) }
}

function linesOf(rows: readonly TimingRow[]): TableLine[] {
  const lines = new Map<string, TableLine>()
  for (const row of rows) {
    const key = JSON.stringify([row.kind, row.variant])
    const line = lines.get(key) ?? { kind: row.kind, variant: row.variant, cells: {} }
    line.cells[row.direction] = row
    lines.set(key, line)
  }
  // The benchmark's own call is what the others are compared with: it stands first.
  return [...lines.values()].sort(
    (a, b) => Number(b.kind === 'operator') - Number(a.kind === 'operator'),
  )
}

/**
 * The fastest of a direction, and those that cannot be told from it: by the paired ratio where one of
 * both is the benchmark's own call, else by intervals that overlap. None where all are the same.
 */
export function bestOf(rows: readonly TimingRow[], direction: TimingDirection): TimingRow[] {
  const timed = rows.filter((row) => row.direction === direction && row.summary)
  const median = (row: TimingRow): number => row.summary?.median ?? Infinity
  const [fastest] = [...timed].sort((a, b) => median(a) - median(b))
  if (!fastest || timed.length < 2) return []
  const best = timed.filter((row) => row === fastest || areTied(fastest, row))
  return best.length === timed.length ? [] : best
}

function areTied(a: TimingRow, b: TimingRow): boolean {
  if (a.kind === 'operator' && b.ratio) return b.ratio.verdict === 'no difference'
  if (b.kind === 'operator' && a.ratio) return a.ratio.verdict === 'no difference'
  const [low, high] = a.summary?.interval ?? [0, 0]
  const [from, to] = b.summary?.interval ?? [1, 1]
  return from <= high && low <= to
}

/** What tells a point from the others: "N 64, float64, 4 threads, cold". */
export function pointLabel(point: TimingPoint, all: readonly TimingPoint[]): string {
  const varies = (of: (one: TimingPoint) => unknown): boolean =>
    all.some((one) => of(one) !== of(point))
  const sizes = Object.entries(point.sizes).filter(([name]) => varies((one) => one.sizes[name]))
  return [
    ...sizes.map(([name, value]) => `${name} ${value.toLocaleString('en')}`),
    ...(varies((one) => one.dtype) && point.dtype !== '' ? [point.dtype] : []),
    ...(varies((one) => one.threads) ? [threadsText(point.threads)] : []),
    ...(varies((one) => one.cold) ? [point.cold ? 'cold' : 'warm'] : []),
  ].join(', ')
}

/** "[12.1, 12.9]", in the table's unit. */
export function spreadText(row: TimingRow, spread: Spread, unit: TimeUnit): string {
  const { summary } = row
  if (!summary) return ''
  const [low, high] = spread === 'quartiles' ? [summary.p25, summary.p75] : summary.interval
  return `[${inUnit(low, unit)}, ${inUnit(high, unit)}]`
}

/**
 * "1.52× [1.49, 1.55] slower", and for a ratio of 0.66 "1.52× […] faster"; "no difference" instead of a word that the
 * interval does not carry.
 */
export function verdictText(row: TimingRow): string {
  if (!row.ratio) return ''
  const { verdict } = row.ratio
  const isFaster = verdict === 'faster'
  const ratio = isFaster ? 1 / row.ratio.ratio : row.ratio.ratio
  const [least, most] = row.ratio.interval
  const interval = isFaster ? [1 / most, 1 / least] : [least, most]
  // An end that rounds to 1 would say something else than the verdict.
  const isClose = (digits: number): boolean =>
    interval.some((end) => end.toFixed(digits) === '1.' + '0'.repeat(digits))
  const sure = verdict !== 'no difference'
  const digits = sure && isClose(2) ? (isClose(3) ? 4 : 3) : undefined
  const [low, high] = interval.map((end) => ratioText(end, digits).slice(0, -1))
  return `${ratioText(ratio, digits)} [${low}, ${high}] ${verdict}`
}

function cellText(
  row: TimingRow | undefined,
  group: TableGroup,
  table: TimingTable,
  spread: Spread,
): string {
  if (!row) return ''
  if (!row.summary) return noTimeText(row)
  const median = inUnit(row.summary.median, table.unit)
  return [
    group.best.has(row) ? `**${median}**` : median,
    spreadText(row, spread, table.unit),
    ...(row.ratio ? [verdictText(row)] : []),
  ].join(' ')
}

/** The table as Markdown, the best in bold, and what was warned of below it. */
export function markdownOf(rows: readonly TimingRow[], spread: Spread, machine: string): string {
  const table = tableOf(rows)
  const hasLabels = table.groups.some((group) => group.label !== '')
  const head = [
    'variant',
    ...(hasLabels ? ['at'] : []),
    ...table.directions.map((direction) => `${direction} (${table.unit.name})`),
  ]
  const lines = table.groups.flatMap((group) =>
    group.lines.map((line) => [
      `\`${line.variant}\``,
      ...(hasLabels ? [group.label] : []),
      ...table.directions.map((direction) => cellText(line.cells[direction], group, table, spread)),
    ]),
  )
  const text = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  const rule = head.map((_, index) => (index <= Number(hasLabels) ? '---' : '---:'))
  const named = spread === 'quartiles' ? 'quartiles' : '95 % interval of the median'
  const remarks = [...refusalsOf(rows), ...warningsOf(rows)]
  const notes = [
    `Median [${named}]. The fastest is bold.${machine === '' ? '' : ` ${machine}.`}`,
    ...remarks.map(({ message, rows: where }) => `- ${where.join(', ')}: ${message}`),
  ]
  return `${[text(head), text(rule), ...lines.map(text)].join('\n')}\n\n${notes.join('\n')}\n`
}

const csvHead = [
  'op',
  'kind',
  'variant',
  'direction',
  'device',
  'point',
  'dtype',
  'threads',
  'cold',
  'median',
  'p25',
  'p75',
  'min',
  'max',
  'low',
  'high',
  'unit',
  'samples',
  'calls_per_sample',
  'ratio',
  'ratio_low',
  'ratio_high',
  'verdict',
  'bytes_per_second',
  'flops_per_second',
  'refused',
  'warnings',
]

/** Every row with all its numbers, times in seconds. @param nodeOf of the rows of a run */
export function csvOf(rows: readonly TimingRow[], nodeOf?: ReadonlyMap<TimingRow, string>): string {
  const lines = rows.map((row) => {
    const { summary, ratio, point } = row
    const sizes = Object.entries(point.sizes).map(([name, value]) => `${name}=${value}`)
    return [
      row.op,
      row.kind,
      row.variant,
      row.direction,
      row.device,
      sizes.join(' '),
      point.dtype,
      point.threads,
      point.cold,
      summary?.median,
      summary?.p25,
      summary?.p75,
      summary?.min,
      summary?.max,
      summary?.interval[0],
      summary?.interval[1],
      summary ? 's' : '',
      summary?.samples,
      summary?.callsPerSample,
      ratio?.ratio,
      ratio?.interval[0],
      ratio?.interval[1],
      ratio?.verdict,
      row.bytesPerSecond,
      row.flopsPerSecond,
      row.refused,
      row.warnings.join(' '),
      ...(nodeOf ? [nodeOf.get(row)] : []),
    ]
  })
  const head = nodeOf ? [...csvHead, 'node'] : csvHead
  return `${[head, ...lines].map((cells) => cells.map(csvCell).join(',')).join('\n')}\n`
}

/** RFC 4180: quoted where a comma, a quote or a line break would be read otherwise. */
function csvCell(value: string | number | boolean | undefined): string {
  const text = value === undefined ? '' : String(value)
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** In a cell without a time: why, in two or three words. The whole reason is below the table. */
export function noTimeText(row: TimingRow): string {
  const why = row.error
    ? 'the call failed'
    : shortReasons.find(([reason]) => reason.test(row.refused))?.[1]
  return why === undefined ? 'no time' : `no time: ${why}`
}

/** How the engine's reasons begin (engine/timing), and what a cell has room for. */
const shortReasons: readonly (readonly [RegExp, string])[] = [
  [/^the result/, 'wrong result'],
  [/^the call has no backward/, 'no backward'],
  [/^the time/, 'too short'],
]

/** One text and the rows that it is about. */
export type RowNote = { message: string; rows: string[] }

/** Each warning once; those that differ in their numbers only are one. */
export function warningsOf(rows: readonly TimingRow[]): RowNote[] {
  return notesOf(rows, (row) => row.warnings)
}

/** Each reason for having no time, once. */
export function refusalsOf(rows: readonly TimingRow[]): RowNote[] {
  return notesOf(rows, (row) => (row.summary || row.refused === '' ? [] : [row.refused]))
}

function notesOf(
  rows: readonly TimingRow[],
  messagesOf: (row: TimingRow) => readonly string[],
): RowNote[] {
  const all = new Map<string, RowNote>()
  for (const row of rows) {
    const siblings = rows.filter((one) => one.entry === row.entry).map((one) => one.point)
    const label = pointLabel(row.point, siblings)
    const name = `${row.direction} of ${row.variant}${label === '' ? '' : ` at ${label}`}`
    for (const message of new Set(messagesOf(row))) {
      const key = message.replace(/\d+(\.\d+)?/g, '#')
      const known = all.get(key) ?? { message, rows: [] }
      known.rows.push(name)
      all.set(key, known)
    }
  }
  return [...all.values()]
}
