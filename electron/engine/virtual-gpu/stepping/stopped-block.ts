/** What is shown of a block that has stopped: places, variables, shared memory, races. */
import type {
  SharedArray,
  StepLane,
  StepRace,
  StepVariable,
  StepView,
  WrittenStop,
} from '../../../contract/gpu-stepping'
import type { SourcePlace } from '../../../contract/gpu-findings'
import type { DebugFunction, Variable } from '../debug-info'
import type { DebugType } from '../debug-info/types'
import { bytesShown, count, numberIn, valueText } from './values'

export const lanesOfWarp = 32
/** The runtime reads no more at a time. */
const mostBytes = 64 * 1024

export interface Allocation {
  begin: number
  bytes: number
  isFreed: boolean
  made: SourcePlace
}

/** What the stopped process and its program's debug information answer. */
export interface BlockReader {
  /** Undefined for what must not be read. */
  read: (places: readonly MemoryPlace[]) => Promise<(Buffer | undefined)[]>
  find: (addresses: readonly number[]) => Promise<(Allocation | undefined)[]>
  functionAt: (place: FramePlace) => DebugFunction | undefined
  lineAt: (place: FramePlace) => SourcePlace | undefined
  /** The lane is at the first instruction of its line: the line's own variables have no value yet. */
  isFirstOfLine: (place: FramePlace) => boolean
  fileOf: (number: number) => string
}

export interface MemoryPlace {
  address: number
  bytes: number
}

type WrittenLane = WrittenStop['lanes'][number]
type WrittenFrame = WrittenLane['frames'][number]
export type FramePlace = NonNullable<WrittenFrame['place']>

/** A variable of one lane. */
interface Held {
  column: string
  lane: number
  function: string
  variable: Variable
  type: DebugType
  address: number
  bytes?: Buffer | undefined
}

export async function viewOfBlock(
  stop: WrittenStop,
  warp: number,
  reader: BlockReader,
): Promise<StepView> {
  const first = warp * lanesOfWarp
  const held = await variablesOf(stop.lanes.slice(first, first + lanesOfWarp), reader)
  const shared = await sharedOf(stop, held, reader)
  const active = stop.lanes.find(({ state }) => state === 'active')
  return {
    reason: stop.reason,
    why: stop.why,
    kernel: stop.kernel,
    launched: stop.launched,
    launch: stop.launch,
    grid: stop.grid,
    threads: stop.threads,
    block: stop.block,
    barriersPassed: stop.barriersPassed,
    place: active ? placeOfLane(active, reader) : null,
    lanes: stop.lanes.map((lane, index) => laneOf(lane, threadOf(index, stop), reader)),
    warp,
    variables: await columnsOf(stop, held, reader),
    shared: shared.map(({ array }) => array),
    races: racesOf(stop, shared, reader),
  }
}

function threadOf(linear: number, { threads: [x, y] }: WrittenStop): StepLane['thread'] {
  return [linear % x, Math.floor(linear / x) % y, Math.floor(linear / (x * y))]
}

function placeOfLane(lane: WrittenLane, reader: BlockReader): SourcePlace | null {
  const { site } = lane
  if (site && site.line > 0) return { file: site.file, line: site.line }
  const place = lane.frames.at(-1)?.place
  return (place && reader.lineAt(place)) ?? null
}

function laneOf(lane: WrittenLane, thread: StepLane['thread'], reader: BlockReader): StepLane {
  const { state, wait } = lane
  const place = placeOfLane(lane, reader)
  return { thread, state, place, ...(wait === undefined ? {} : { wait }) }
}

/**
 * True where the variable has a value: its declaration is above, or has run.
 * @param isCaller the function has called another, maybe for the value of the variable
 */
function isAlive(
  variable: Variable,
  { place, isCaller }: { place: FramePlace; isCaller: boolean },
  reader: BlockReader,
): boolean {
  if (!variable.ranges.some(([begin, end]) => place.offset >= begin && place.offset < end))
    return false
  if (variable.isParameter) return true
  const line = reader.lineAt(place)?.line ?? 0
  if (variable.declarationLine !== line) return variable.declarationLine < line
  return !isCaller && !reader.isFirstOfLine(place)
}

async function variablesOf(lanes: readonly WrittenLane[], reader: BlockReader): Promise<Held[]> {
  const held: (Held & { isIndirect: boolean })[] = []
  lanes.forEach(({ frames }, lane) => {
    frames.forEach(({ place, frame, stack }, depth) => {
      const found = place && reader.functionAt(place)
      if (!found) return
      for (const variable of found.variables) {
        // What the rewriter makes of a __shared__ declaration.
        if (variable.name.startsWith('opsmith_')) continue
        const isCaller = depth < frames.length - 1
        if (!isAlive(variable, { place, isCaller }, reader)) continue
        const { base, offset, isIndirect } = variable.place
        held.push({
          column: `${depth} ${found.begin} ${variable.declarationLine} ${variable.name}`,
          lane,
          function: found.name,
          variable,
          type: variable.type,
          address: Number(base === 'frame' ? frame : stack) + offset,
          isIndirect,
        })
      }
    })
  })
  await follow(
    held.filter(({ isIndirect }) => isIndirect),
    reader,
  )
  await fill(held, reader)
  // A reference is what it refers to.
  const references = held.filter(({ type }) => type.kind === 'reference')
  for (const one of references) {
    const target = one.type.kind === 'reference' ? one.type.target() : one.type
    one.address = one.bytes ? addressIn(one.bytes) : 0
    one.type = target
    one.bytes = undefined
  }
  await fill(references, reader)
  return held
}

const addressIn = (bytes: Buffer): number => Number(bytes.readBigUInt64LE(0))

/** The place of the variable holds its address. */
async function follow(held: readonly Held[], reader: BlockReader): Promise<void> {
  const read = await reader.read(held.map(({ address }) => ({ address, bytes: 8 })))
  held.forEach((one, index) => {
    const bytes = read[index]
    one.address = bytes ? addressIn(bytes) : 0
  })
}

async function fill(held: readonly Held[], reader: BlockReader): Promise<void> {
  const wanted = held.filter(({ type }) => bytesShown(type) > 0)
  const read = await reader.read(
    wanted.map(({ address, type }) => ({ address, bytes: bytesShown(type) })),
  )
  wanted.forEach((one, index) => {
    one.bytes = read[index]
  })
}

async function columnsOf(
  stop: WrittenStop,
  held: readonly Held[],
  reader: BlockReader,
): Promise<StepVariable[]> {
  const addresses = new Set<number>()
  for (const { type, bytes } of held)
    if (bytes) valueText(type, bytes, (address) => (addresses.add(address), ''))
  const list = [...addresses]
  const found = await reader.find(list)
  const allocations = new Map(list.map((address, index) => [address, found[index]]))
  const pointerText = (address: number, type: DebugType): string =>
    textOfPointer(address, type, { stop, allocation: allocations.get(address) })

  const columns = new Map<string, StepVariable>()
  for (const { column, lane, type, bytes, variable, function: owner } of held) {
    const known = columns.get(column) ?? {
      name: variable.name,
      type: type.name,
      function: owner,
      values: Array.from({ length: lanesOfWarp }, () => null),
    }
    columns.set(column, known)
    known.values[lane] = bytes ? valueText(type, bytes, pointerText) : type.name
  }
  return [...columns.values()]
}

/** "[12] of 1,024 (reduce.cu:30)": the element of an allocation that a pointer points at. */
function textOfPointer(
  address: number,
  type: DebugType,
  { stop, allocation }: { stop: WrittenStop; allocation: Allocation | undefined },
): string {
  if (address === 0) return 'null'
  const size = 'target' in type ? Math.max(1, type.target().size) : 1
  const inShared = address - Number(stop.shared)
  if (inShared >= 0 && inShared < 4 << 20) return `shared memory + ${inShared} B`
  if (!allocation) return `0x${address.toString(16)}`
  if (allocation.isFreed) return 'freed memory'
  const elements = Math.floor(allocation.bytes / size).toLocaleString('en')
  const { file, line } = allocation.made
  const made = line > 0 ? ` (${file.slice(file.lastIndexOf('/') + 1)}:${line})` : ''
  return `[${Math.floor((address - allocation.begin) / size)}] of ${elements}${made}`
}

/** A variable in shared memory: where it begins there. */
interface PlacedArray {
  offset: number
  elementSize: number
  array: SharedArray
}

async function sharedOf(
  stop: WrittenStop,
  held: readonly Held[],
  reader: BlockReader,
): Promise<PlacedArray[]> {
  const begin = Number(stop.shared)
  const found = new Map<number, { name: string; element: DebugType; dimensions: number[] }>()
  for (const { variable, type, address, bytes } of held) {
    const offset = address - begin
    if (variable.type.kind === 'reference' && offset >= 0 && offset < 4 << 20) {
      const isArray = type.kind === 'array'
      const element = isArray ? type.element : type
      const dimensions = isArray ? type.dimensions : []
      found.set(offset, { name: variable.name, element, dimensions })
    } else if (type.kind === 'pointer' && bytes && addressIn(bytes) === begin) {
      const element = type.target()
      if (stop.dynamicShared === 0 || element.size === 0) continue
      const dimensions = [Math.floor(stop.dynamicShared / element.size)]
      if (!found.has(0)) found.set(0, { name: variable.name, element, dimensions })
    }
  }
  const places = [...found].map(([offset, one]) => ({ offset, ...one }))
  const read = await reader.read(
    places.map(({ offset, element, dimensions }) => ({
      address: begin + offset,
      bytes: Math.min(element.size * count(dimensions), mostBytes),
    })),
  )
  return places.map(({ offset, name, element, dimensions }, index) => {
    const bytes = read[index] ?? Buffer.alloc(0)
    const elements = Array.from({ length: Math.floor(bytes.length / element.size) }, (_, at) =>
      bytes.subarray(at * element.size, (at + 1) * element.size),
    )
    const numbers = elements.map((one) => numberIn(element, one))
    const isNumeric = numbers.every((number) => number !== undefined)
    const array = {
      name,
      type: element.name,
      dimensions,
      values: elements.map((one) =>
        valueText(element, one, (address) => `0x${address.toString(16)}`),
      ),
      // JSON has neither NaN nor infinities.
      numbers: isNumeric
        ? numbers.map((one) => (Number.isFinite(one) ? (one ?? null) : null))
        : null,
      raced: racedIn(stop, offset, element.size, elements.length),
      isCut: elements.length < count(dimensions),
    }
    return { offset, elementSize: element.size, array }
  })
}

function racedIn(stop: WrittenStop, offset: number, size: number, length: number): number[] {
  const raced = new Set<number>()
  for (const [begin, bytes] of stop.races.flatMap((race) => race.bytes)) {
    const first = Math.max(0, Math.floor((begin - offset) / size))
    const last = Math.min(length - 1, Math.floor((begin + bytes - 1 - offset) / size))
    for (let index = first; index <= last; index += 1) raced.add(index)
  }
  return [...raced].sort((one, other) => one - other)
}

function racesOf(
  stop: WrittenStop,
  shared: readonly PlacedArray[],
  reader: BlockReader,
): StepRace[] {
  return stop.races.map(({ before, after, offset, bytes }) => {
    const access = ({ thread, file, line, writes }: typeof before): StepRace['before'] => ({
      thread,
      place: { file: reader.fileOf(file), line },
      writes,
    })
    return {
      before: access(before),
      after: access(after),
      variable: elementAt(offset, shared),
      bytes: bytes.reduce((sum, [, length]) => sum + length, 0),
    }
  })
}

/** "tile[3][4]" */
function elementAt(offset: number, shared: readonly PlacedArray[]): string {
  for (const { offset: begin, elementSize, array } of shared) {
    let index = Math.floor((offset - begin) / elementSize)
    if (index < 0 || index >= count(array.dimensions)) continue
    const indices: number[] = []
    for (const dimension of [...array.dimensions].reverse()) {
      indices.unshift(index % dimension)
      index = Math.floor(index / dimension)
    }
    return `${array.name}${indices.map((one) => `[${one}]`).join('')}`
  }
  return ''
}
