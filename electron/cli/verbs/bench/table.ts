import type { TimingReport, TimingRequest, TimingRow } from '../../../contract/timing-report'
import { timingDirection } from '../../../contract/timing-names'
import type { TimingDirection } from '../../../contract/timing-names'
import { pointText, timingNameOf } from '../../../engine/timing/plan'
import { stateText } from '../../../engine/timing/device-noise'
import { median } from '../../../engine/timing/statistics'

/** One table for people: of one benchmark, variants down, directions across. */
export interface PrintedTable {
  title: string
  /** The first row is the header's; the columns before `numbersFrom` are words. */
  cells: TableCell[][]
  numbersFrom: number
  /** Ratios with intervals, layers, refusals and warnings, a sentence a line. */
  notes: string[]
}

interface TableCell {
  text: string
  /** Set behind the text, in a column of its own: "(0.22×)" */
  beside: string
  best: boolean
}

const units = [
  ['s', 1],
  ['ms', 1e-3],
  ['µs', 1e-6],
  ['ns', 1e-9],
] as const
type Unit = (typeof units)[number]

/** The largest unit in which the middle one of the times is 1 or more. */
export function unitFor(times: readonly number[]): Unit {
  const middle = median(times)
  return units.find(([, size]) => middle >= size) ?? units[3]
}

/** Of an expression in a table of text; Markdown and CSV have all of it. */
const widestName = 44

export function shortName(text: string): string {
  return text.length <= widestName ? text : `${text.slice(0, widestName - 1)}…`
}

/** Three significant digits, four from a thousand on: more than a timing can tell is not shown. */
export function timeText(seconds: number, [, size]: Unit): string {
  const value = seconds / size
  const digits = value === 0 ? 2 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toFixed(Math.min(digits, 4))
}

/** As many places after the point as the number that it stands beside. */
function spreadText(half: number, beside: string, [, size]: Unit): string {
  return (half / size).toFixed(beside.split('.')[1]?.length ?? 0)
}

export function rateText(rate: number, unit: string): string {
  const scales = [
    ['T', 1e12],
    ['G', 1e9],
    ['M', 1e6],
    ['k', 1e3],
    ['', 1],
  ] as const
  const [prefix, size] = scales.find(([, least]) => rate >= least) ?? scales[4]
  return `${(rate / size).toPrecision(3)} ${prefix}${unit}`
}

/** Rows of one variant at one point, by direction. */
type Line = { point: string; variant: string; byDirection: Map<TimingDirection, TimingRow> }

function linesOf(rows: readonly TimingRow[]): Line[] {
  const lines = new Map<string, Line>()
  for (const row of rows) {
    const point = pointText(row.point)
    const key = JSON.stringify([point, row.kind, row.variant])
    const line = lines.get(key) ?? { point, variant: row.variant, byDirection: new Map() }
    line.byDirection.set(row.direction, row)
    lines.set(key, line)
  }
  return [...lines.values()]
}

/** The shortest of each point and direction, and what does not differ from it. */
export function bestRows(rows: readonly TimingRow[]): Set<TimingRow> {
  const groups = new Map<string, TimingRow[]>()
  for (const row of rows) {
    if (!row.summary) continue
    const key = JSON.stringify([row.entry, row.point, row.direction])
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  const best = new Set<TimingRow>()
  for (const group of groups.values()) {
    if (group.length < 2) continue
    const [first] = [...group].sort((a, b) => (a.summary?.median ?? 0) - (b.summary?.median ?? 0))
    if (!first) continue
    best.add(first)
    const same = (row: TimingRow): boolean => row.ratio?.verdict === 'no difference'
    const upper = first.summary?.interval[1] ?? 0
    for (const row of group) {
      const paired = first.kind === 'operator' ? same(row) : same(first) && row.kind === 'operator'
      if (paired || (row.summary?.interval[0] ?? Infinity) <= upper) best.add(row)
    }
  }
  return best
}

const plain = (text: string): TableCell => ({ text, beside: '', best: false })

function cellOf(row: TimingRow | undefined, unit: Unit, best: ReadonlySet<TimingRow>): TableCell {
  if (!row) return plain('')
  const { summary, ratio } = row
  if (!summary) return plain('–')
  const time = timeText(summary.median, unit)
  const half = spreadText((summary.p75 - summary.p25) / 2, time, unit)
  const beside = !ratio
    ? ''
    : ratio.verdict === 'no difference'
      ? '(same)'
      : `(${ratio.ratio.toPrecision(3)}×)`
  return { text: `${time} ±${half}`, beside, best: best.has(row) }
}

/** "aten::relu, time divided by the time of my::relu: forward 0.223 (0.2229 to 0.2240), both no difference (…)" */
function ratioNote({ variant, byDirection }: Line, own: string): string[] {
  const parts = [...byDirection.values()].flatMap(({ direction, ratio }) => {
    if (!ratio) return []
    const range = ratio.interval.map((end) => end.toPrecision(4)).join(' to ')
    const same = ratio.verdict === 'no difference'
    return [`${direction} ${same ? ratio.verdict : ratio.ratio.toPrecision(3)} (${range})`]
  })
  return parts.length === 0
    ? []
    : [`${shortName(variant)}, time divided by the time of ${own}: ${parts.join(', ')}`]
}

/** Parts are differences of two timings: smaller ones are noise. */
const leastPart = 0.02

function layersNote({ layers, variant }: TimingRow, unit: Unit): string[] {
  if (!layers) return []
  const { full, belowAutograd, kernel } = layers
  const time = (seconds: number): string => `${timeText(seconds, unit)} ${unit[0]}`
  const part = (seconds: number): string =>
    seconds < leastPart * full ? `under ${Math.round(leastPart * 100)} %` : time(seconds)
  const parts = [
    `autograd ${part(full - belowAutograd)}`,
    ...(kernel === undefined
      ? [`dispatcher and kernel ${time(belowAutograd)}`]
      : [`dispatcher ${part(belowAutograd - kernel)}`, `kernel ${time(kernel)}`]),
  ]
  return [`${shortName(variant)}, forward: ${parts.join(', ')}`]
}

/** Launch, graph and the state of a device that a row was timed on. */
function gpuNote({ gpu, variant, direction, device, point }: TimingRow, unit: Unit): string[] {
  if (!gpu) return []
  const time = (seconds: number): string => `${timeText(seconds, unit)} ${unit[0]}`
  const { launch, replay, noReplay, before, after } = gpu
  const state = [stateText(before), stateText(after)].filter((text) => text !== '').join(' → ')
  const parts = [
    `launching takes ${time(launch)} on the host`,
    ...(replay ? [`a replay of the call in a CUDA graph takes ${time(replay.median)}`] : []),
    ...(noReplay === '' ? [] : [`no time in a CUDA graph: ${noReplay}`]),
    ...(state === '' ? [] : [state]),
  ]
  const place = [shortName(variant), direction, pointText(point), `on ${device}`]
  return [`${place.filter((one) => one !== '').join(', ')}: ${parts.join('; ')}`]
}

function ratesNote(row: TimingRow, report: Pick<TimingReport, 'ceilings' | 'devices'>): string[] {
  const { bytesPerSecond, flopsPerSecond, variant, device } = row
  if (flopsPerSecond === undefined && row.givesViews && bytesPerSecond === undefined)
    return [
      `${shortName(variant)}, ${row.direction}: moves no bytes, because the call returns views`,
    ]
  if (flopsPerSecond === undefined) return []
  const dtype = row.point.dtype === 'float64' ? 'float64' : 'float32'
  const rates: Record<string, number> | undefined =
    device === 'cpu'
      ? report.ceilings?.flopsPerSecond
      : report.devices.find((one) => one.device === device)?.ceilings?.flopsPerSecond
  const ceiling = rates?.[dtype]
  const share = ceiling === undefined ? '' : ((flopsPerSecond / ceiling) * 100).toPrecision(2)
  const counted =
    row.flopsCountedIn === undefined
      ? ''
      : ` with the FLOPs counted in ${shortName(row.flopsCountedIn)}`
  const ofProduct = share === '' ? '' : ` (${share} % of the rate of a ${dtype} matrix product)`
  const parts = [
    `${rateText(flopsPerSecond, 'FLOP/s')}${counted}${ofProduct}`,
    ...(bytesPerSecond === undefined ? [] : [rateText(bytesPerSecond, 'B/s')]),
  ]
  return [`${shortName(variant)}, ${row.direction}: ${parts.join(', ')}`]
}

/** Sentences that several rows share, but for their numbers, are said once, with the rows that they are about. */
function shared(rows: readonly TimingRow[], textsOf: (row: TimingRow) => string[]): string[] {
  const about = new Map<string, { text: string; rows: TimingRow[] }>()
  for (const row of rows) {
    for (const text of textsOf(row)) {
      const kind = text.replaceAll(/\d+(\.\d+)?/g, '#')
      const some = about.get(kind) ?? { text, rows: [] }
      some.rows.push(row)
      about.set(kind, some)
    }
  }
  return [...about.values()].map(({ text, rows: some }) => {
    const [first] = some
    if (!first || (some.length === rows.length && rows.length > 1)) return text
    const place = [shortName(first.variant), first.direction, pointText(first.point)]
    const more = some.length > 1 ? ` and ${some.length - 1} more` : ''
    return `${text} (${place.filter((one) => one !== '').join(', ')}${more})`
  })
}

/** A table for each benchmark of a report. */
export function timingTables(
  report: Pick<TimingReport, 'rows' | 'ceilings' | 'devices'>,
  requests: readonly TimingRequest[],
): PrintedTable[] {
  const entries = [...new Set(report.rows.map((row) => row.entry))]
  return entries.map((entry) => {
    const rows = report.rows.filter((row) => row.entry === entry)
    const request = requests[entry]
    const own = request?.op ?? rows[0]?.op ?? ''
    const unit = unitFor(rows.flatMap(({ summary }) => (summary ? [summary.median] : [])))
    const directions = timingDirection.options.filter((one) =>
      rows.some((row) => row.direction === one),
    )
    const lines = linesOf(rows)
    const isSweep = new Set(lines.map((line) => line.point)).size > 1
    const best = bestRows(rows)
    const cells = [
      [
        ...(isSweep ? [plain('')] : []),
        plain(''),
        ...directions.map((one) => plain(`${one} [${unit[0]}]`)),
      ],
      ...lines.map(({ point, variant, byDirection }, index) => [
        ...(isSweep ? [plain(lines[index - 1]?.point === point ? '' : point)] : []),
        plain(variant),
        ...directions.map((one) => cellOf(byDirection.get(one), unit, best)),
      ]),
    ]
    return {
      title: [request ? timingNameOf(request) : own, isSweep ? '' : (lines[0]?.point ?? '')]
        .filter((one) => one !== '')
        .join(', '),
      cells,
      numbersFrom: isSweep ? 2 : 1,
      notes: [
        ...shared(rows, (row) =>
          row.summary || row.refused === '' ? [] : [`no time: ${row.refused}`],
        ),
        ...(isSweep ? [] : lines.flatMap((line) => ratioNote(line, own))),
        ...(isSweep ? [] : rows.flatMap((row) => layersNote(row, unit))),
        ...rows.flatMap((row) => (isSweep ? [] : ratesNote(row, report))),
        ...rows.flatMap((row) => gpuNote(row, unit)),
        ...shared(rows, (row) => row.warnings.map((text) => `warning: ${text}`)),
      ],
    }
  })
}

/** Columns lined up, times below times and ratios below ratios; "*" marks the best. */
export function tableText({ title, cells, numbersFrom, notes }: PrintedTable): string[] {
  const columns = (cells[0] ?? []).map((_, column) => {
    const all = cells.map((row) => row[column] ?? plain(''))
    const isWords = column < numbersFrom
    const texts = all.map(({ text }) => (isWords ? shortName(text) : text))
    const width = Math.max(...texts.map((text) => text.length))
    const widthBeside = Math.max(...all.map(({ beside }) => beside.length))
    const marks = all.some(({ best }) => best)
    return texts.map((text, row) => {
      const { beside = '', best = false } = all[row] ?? {}
      if (isWords) return text.padEnd(width)
      const ratio = widthBeside === 0 ? '' : ` ${beside.padEnd(widthBeside)}`
      return `${text.padStart(width)}${ratio}${marks ? (best ? ' *' : '  ') : ''}`
    })
  })
  const lines = cells.map((_, row) =>
    columns
      .map((column) => column[row] ?? '')
      .join('  ')
      .trimEnd(),
  )
  return [title, ...lines.map((line) => `  ${line}`), ...notes.map((note) => `  ${note}`)]
}

const escaped = (text: string): string => text.replaceAll('|', '\\|')

/** A Markdown table; the best in bold. */
export function tableMarkdown({ title, cells, numbersFrom, notes }: PrintedTable): string[] {
  const [header = [], ...body] = cells
  const line = (row: readonly string[]): string => `| ${row.join(' | ')} |`
  return [
    `### ${escaped(title)}`,
    '',
    line(header.map(({ text }) => escaped(text))),
    line(header.map((_, column) => (column < numbersFrom ? ':--' : '--:'))),
    ...body.map((row) =>
      line(
        row.map(({ text, beside, best }) => {
          const whole = escaped(`${text} ${beside}`.trim())
          return best ? `**${whole}**` : whole
        }),
      ),
    ),
    ...(notes.length > 0 ? ['', ...notes.map((note) => `- ${note}`)] : []),
  ]
}
