import type { GraphObservation } from '../../../../electron/contract/graph'
import { idOfKey, itemOfKey, kindOfKey } from '../../../../graph/layout/layout'
import type { GraphModel } from '../../../../graph/model'
import { formatCount, formatNumber, formatSeconds } from '../../../shell/primitives/format'
import { formatBytes } from '../format-bytes'
import type { OverlayResult } from '../graph-messages'
import type { SceneOverlay } from '../scene'
import { titleOf } from './inspect'
import type { ShownView } from './shown-view'
import { TextTable } from './text-measure'

type Observed = GraphObservation['nodes'][number]

/** What one run saw, as colours and words for each box. */
export function observe(
  view: ShownView,
  kind: SceneOverlay['kind'],
  observation: GraphObservation | null,
): { result: OverlayResult; overlay: SceneOverlay | null } {
  view.observation = observation
  const nothing: OverlayResult = { kind, low: '', high: '', notes: [], first: [] }
  const { model, layout } = view
  if (kind === 'none' || !model || !layout) return { result: nothing, overlay: null }
  const { count, key } = layout.items
  const position = new Float32Array(count).fill(Number.NaN)
  const text = new Int32Array(count).fill(-1)
  const alarm = new Uint8Array(count)
  const table = new TextTable()
  const devices = new Set<string>()
  const amounts = new Float64Array(count).fill(Number.NaN)
  const measure = measures[kind]
  for (let i = 0; i < count; i += 1) {
    const nodes = nodesInBox(view, model, key[i] ?? 0)
    const seen = nodes.flatMap((node) => view.observedOf(node) ?? [])
    if (kind === 'device') {
      const found = new Set([
        ...seen.flatMap((node) => node.values.map((value) => value.device)),
        ...nodes.flatMap((node) => devicesOf(model, node)),
      ])
      for (const device of found) devices.add(device)
      if (found.size > 0) text[i] = table.add([...found].join(', '))
      continue
    }
    if (seen.length === 0) continue
    const amount = measure.amount(seen)
    if (amount !== null) amounts[i] = amount
    text[i] = table.add(measure.words(seen, amount, observation?.seconds ?? 0))
    if (kind === 'values') alarm[i] = alarmOf(seen)
  }
  if (kind === 'device') colourDevices([...devices].sort(), text, table, position)
  const scale = kind === 'device' ? null : colourAmounts(amounts, position)
  const order = [...amounts.keys()].filter((i) => (amounts[i] ?? 0) > 0 || (alarm[i] ?? 0) > 0)
  order.sort((a, b) => (alarm[b] ?? 0) - (alarm[a] ?? 0) || (amounts[b] ?? 0) - (amounts[a] ?? 0))
  const first = order.slice(0, 20).map((i) => ({
    key: key[i] ?? 0,
    title: boxTitle(model, key[i] ?? 0),
    text: table.strings[text[i] ?? -1] ?? '',
  }))
  const alarms = alarm.reduce((sum, bits) => sum + (bits === 0 ? 0 : 1), 0)
  const notes =
    kind === 'device'
      ? [...devices].sort()
      : kind === 'values'
        ? [
            alarms === 0
              ? 'no NaN, no infinity'
              : `NaN or infinity in ${formatCount(alarms, 'node')}`,
          ]
        : observation
          ? [`${kind === 'time' ? formatSeconds(observation.seconds) : ''} in total`.trim()]
          : []
  return {
    result: {
      kind,
      low: scale ? measure.format(scale.low) : '',
      high: scale ? measure.format(scale.high) : '',
      notes: kind === 'memory' ? [] : notes,
      first,
    },
    overlay: { scene: view.sceneId, kind, position, text, alarm, strings: table.strings },
  }
}

type Measure = {
  amount(seen: Observed[]): number | null
  words(seen: Observed[], amount: number | null, whole: number): string
  format(amount: number): string
}

const sum = (seen: Observed[], of: (node: Observed) => number): number =>
  seen.reduce((total, node) => total + of(node), 0)

const measures: Record<Exclude<SceneOverlay['kind'], 'none'>, Measure> = {
  time: {
    amount: (seen) => sum(seen, (node) => node.seconds),
    words: (seen, amount, whole) => {
      if (seen.every((node) => node.calls === 0)) return 'not run'
      const share = whole > 0 ? ` · ${Math.round((100 * (amount ?? 0)) / whole)} %` : ''
      return `${formatSeconds(amount ?? 0)}${share}`
    },
    format: formatSeconds,
  },
  memory: {
    amount: (seen) => sum(seen, (node) => node.bytes),
    words: (_seen, amount) => (amount === 0 ? 'no new memory' : formatBytes(amount ?? 0)),
    format: formatBytes,
  },
  values: {
    amount: (seen) => {
      const values = seen.flatMap((node) => node.values)
      const reaches = values.map((value) =>
        Math.max(Math.abs(value.min ?? 0), Math.abs(value.max ?? 0)),
      )
      return reaches.length === 0 ? null : largest(reaches)
    },
    words: (seen) => {
      const values = seen.flatMap((node) => node.values)
      const nan = values.reduce((total, value) => total + value.nan, 0)
      const inf = values.reduce((total, value) => total + value.inf, 0)
      if (nan + inf > 0) {
        return [nan > 0 ? `${nan} NaN` : '', inf > 0 ? `${inf} inf` : ''].filter(Boolean).join(', ')
      }
      const last = values.at(-1)
      return last ? `${formatNumber(last.min, 3)} … ${formatNumber(last.max, 3)}` : ''
    },
    format: (amount) => formatNumber(amount, 3),
  },
  device: { amount: () => null, words: () => '', format: String },
}

/** Of any number of them: a call takes no hundred thousand arguments. */
function largest(amounts: number[]): number {
  return amounts.reduce((most, amount) => Math.max(most, amount), -Infinity)
}

/** Logarithmic where the amounts span more than two powers of ten: one slow node must not hide the rest. */
function colourAmounts(
  amounts: Float64Array,
  position: Float32Array,
): { low: number; high: number } | null {
  const known = [...amounts].filter((amount) => Number.isFinite(amount))
  if (known.length === 0) return null
  const high = largest(known)
  const positive = known.filter((amount) => amount > 0)
  const least = positive.length === 0 ? 0 : -largest(positive.map((amount) => -amount))
  const isLog = least > 0 && high / least > 100
  const low = isLog ? Math.max(least, high / 1e4) : 0
  for (let i = 0; i < amounts.length; i += 1) {
    const amount = amounts[i] ?? Number.NaN
    if (!Number.isFinite(amount)) continue
    if (high <= low) position[i] = 0
    else if (isLog) position[i] = Math.log(Math.max(amount, low) / low) / Math.log(high / low)
    else position[i] = amount / high
  }
  return { low, high }
}

function colourDevices(
  devices: string[],
  text: Int32Array,
  table: TextTable,
  position: Float32Array,
): void {
  for (let i = 0; i < text.length; i += 1) {
    const name = table.strings[text[i] ?? -1]
    if (name === undefined) continue
    const at = devices.indexOf(name)
    position[i] =
      devices.length < 2 ? 0.35 : at < 0 ? 0.5 : 0.15 + (0.7 * at) / (devices.length - 1)
  }
}

function alarmOf(seen: Observed[]): number {
  const values = seen.flatMap((node) => node.values)
  return (
    (values.some((value) => value.nan > 0) ? 1 : 0) |
    (values.some((value) => value.inf > 0) ? 2 : 0)
  )
}

/** Nodes whose numbers add up to a box's: of a folded group the outermost ones inside. */
function nodesInBox(view: ShownView, model: GraphModel, key: number): number[] {
  if (kindOfKey(key) === 'node') return [idOfKey(key)]
  if (kindOfKey(key) !== 'group') return []
  const found: number[] = []
  const open = view.groupsOf(key)
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const group = model.groups[at]
    for (const node of group?.nodes ?? []) found.push(node)
    for (const inner of group?.groups ?? []) {
      if (model.groups[inner]?.kind === 'scope') open.push(inner)
    }
  }
  return found
}

function devicesOf(model: GraphModel, node: number): string[] {
  const outputs = model.nodes[node]?.outputs ?? []
  return outputs.flatMap((output) => output.tensor?.device ?? [])
}

function boxTitle(model: GraphModel, key: number): string {
  const item = itemOfKey(model, key)
  if (item?.kind === 'node') return titleOf(model, item.node.id)
  return item?.kind === 'group' ? item.group.label : ''
}
