/** A stopped block of a kernel, as text. */
import fs from 'node:fs'
import path from 'node:path'

import type { SourcePlace } from '../contract/gpu-findings'
import { callerPath, shortNumber } from './print'
import type { SharedArray, StepLane, StepView } from '../contract/gpu-stepping'
import { groupText, laneGroups, raceText } from '../contract/step-texts'
import type { LaneGroup } from '../contract/step-texts'

/** Rows of a table that are printed; more are left out. */
const mostColumns = 16
const mostRows = 64

export function placeText(place: SourcePlace | null): string {
  if (!place) return 'a line that is not known'
  const file = path.relative(callerPath('.'), place.file)
  return `${file.startsWith('..') ? place.file : file}:${place.line}`
}

const indexText = (index: readonly number[]): string => `(${index.join(',')})`

function sourceLine({ file, line }: SourcePlace): string {
  try {
    return fs.readFileSync(file, 'utf8').split('\n')[line - 1]?.trim() ?? ''
  } catch {
    return ''
  }
}

function groupLine(group: LaneGroup): string {
  return group.state === 'finished'
    ? groupText(group)
    : `${groupText(group)} at ${placeText(group.place)}`
}

/** Where the block is, and what its threads do. */
export function stopLines(view: StepView): string[] {
  const { kernel, block, launch, barriersPassed, place, reason, why, lanes, races } = view
  const passed = barriersPassed === 1 ? '1 barrier' : `${barriersPassed} barriers`
  return [
    reason === 'stuck'
      ? `Deadlock: no thread of ${kernel}, block ${indexText(block)}, can continue.`
      : `${placeText(place)} in ${kernel}, block ${indexText(block)}, launch ${launch}, after ${passed}`,
    ...(place ? [`  ${place.line} | ${sourceLine(place)}`] : []),
    ...(reason === 'fault' ? [`  Fault: ${why}. The launch ends here.`] : []),
    ...laneGroups(lanes).map((group) => `  ${groupLine(group)}`),
    ...(races.length > 0
      ? [
          `  ${races.length === 1 ? '1 race' : `${races.length} races`} in shared memory: see "shared"`,
        ]
      : []),
  ]
}

/** Pads the columns of a table; the first row is its head. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows.map(
    (row) => `  ${row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ')}`,
  )
}

const stateNames: Readonly<Record<StepLane['state'], string>> = {
  active: 'here',
  stopped: 'stopped',
  waiting: 'waiting',
  running: 'running',
  finished: 'finished',
}

/** The lanes of a warp with their variables; what is the same in all lanes comes before the table. */
export function laneLines({ lanes, warp, variables }: StepView): string[] {
  const own = lanes.slice(warp * 32, warp * 32 + 32)
  const known = variables.map((variable) => ({
    ...variable,
    distinct: new Set(variable.values.filter((value) => value !== null)),
  }))
  const same = known.filter(({ distinct }) => distinct.size === 1)
  const different = known.filter(({ distinct }) => distinct.size > 1)
  const rows = own.map(({ thread, state, place }, lane) => [
    String(lane),
    indexText(thread),
    stateNames[state],
    place ? String(place.line) : '',
    ...different.map(({ values }) => values[lane] ?? ''),
  ])
  return [
    `warp ${warp} of ${Math.ceil(lanes.length / 32)}`,
    ...same.map(({ name, type, distinct }) =>
      // What is too large for the table has its type as value.
      distinct.has(type) ? `  ${type} ${name}` : `  ${type} ${name} = ${[...distinct].join('')}`,
    ),
    ...table([['lane', 'thread', 'state', 'line', ...different.map(({ name }) => name)], ...rows]),
  ]
}

function arrayLines({
  name,
  type,
  dimensions,
  values,
  numbers,
  raced,
  isCut,
}: SharedArray): string[] {
  const marks = new Set(raced)
  const cells = values.map((value, index) => {
    const number = numbers?.[index] ?? null
    const text = number === null || Number.isInteger(number) ? value : shortNumber(number)
    return marks.has(index) ? `${text}!` : text
  })
  const head = `${type} ${name}${dimensions.map((dimension) => `[${dimension}]`).join('')}`
  if (dimensions.length === 0) return [`${head} = ${cells.join('')}`]
  const width = Math.min(dimensions.at(-1) ?? 1, mostColumns)
  const step = dimensions.length > 1 ? (dimensions.at(-1) ?? 1) : width
  const rows: string[][] = []
  for (let begin = 0; begin < cells.length && rows.length < mostRows; begin += step)
    rows.push([`[${begin}]`, ...cells.slice(begin, begin + width)])
  const isWhole =
    !isCut && rows.length * step >= cells.length && width >= Math.min(step, cells.length)
  return [head, ...table(rows), ...(isWhole ? [] : ['  …'])]
}

/** Shared memory and the races in it; "!" marks elements that a race is about. */
export function sharedLines({ shared, races }: StepView): string[] {
  const arrays = shared.flatMap(arrayLines)
  const lines = races.map((race) => raceText(race, placeText))
  if (arrays.length === 0 && lines.length === 0)
    return ['No variable in shared memory is visible at this line.']
  return [...arrays, ...lines]
}
