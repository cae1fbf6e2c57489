/** Counts in sums and in words, for the window and the command line. */
import type {
  AtomicCounts,
  GlobalCounts,
  GpuCountSums,
  GpuKernelCounts,
  SharedCounts,
} from './gpu-counts'

export interface CountRow {
  /** "global load" */
  what: string
  /** "512"; "" where there are none. */
  requests: string
  /** Active lanes of a request, on average: "32.0". */
  lanes: string
  /** "32.0 sectors a request, 13 % of their bytes used" */
  cost: string
}

export const sectorBytes = 32
export const lanesOfWarp = 32

/** "4.0" */
export const ratioText = (one: number, other: number): string =>
  other === 0 ? '0' : (one / other).toFixed(1)
export const wholeText = (value: number): string => value.toLocaleString('en-US')

function globalRows(what: string, counts: GlobalCounts | undefined): CountRow[] {
  if (!counts) return []
  const { requests, lanes, bytes, sectors } = counts
  const used = Math.round((100 * bytes) / (sectorBytes * sectors))
  // Lanes that read the same bytes use them more than once.
  const share = used > 100 ? '' : `, ${used} % of their bytes used`
  const cost = `${ratioText(sectors, requests)} sectors a request${share}`
  return [{ what, requests: wholeText(requests), lanes: ratioText(lanes, requests), cost }]
}

function sharedRows(what: string, counts: SharedCounts | undefined): CountRow[] {
  if (!counts) return []
  const { requests, lanes, wavefronts, leastWavefronts } = counts
  const cost =
    wavefronts === leastWavefronts
      ? 'no bank conflicts'
      : `${ratioText(wavefronts, leastWavefronts)}-way bank conflicts`
  return [{ what, requests: wholeText(requests), lanes: ratioText(lanes, requests), cost }]
}

function atomicRows(what: string, counts: AtomicCounts | undefined): CountRow[] {
  if (!counts) return []
  const { requests, lanes, serialLanes } = counts
  const cost = `${ratioText(serialLanes, requests)} lanes at one address, on average`
  return [{ what, requests: wholeText(requests), lanes: ratioText(lanes, requests), cost }]
}

/** What warps did at a line, a row for each kind. */
export function countRows(counts: GpuCountSums): CountRow[] {
  const { barriers, operations } = counts
  const rows = [
    ...globalRows('global load', counts.globalLoads),
    ...globalRows('global store', counts.globalStores),
    ...sharedRows('shared load', counts.sharedLoads),
    ...sharedRows('shared store', counts.sharedStores),
    ...atomicRows('global atomic', counts.globalAtomics),
    ...atomicRows('shared atomic', counts.sharedAtomics),
  ]
  if (barriers)
    rows.push({
      what: 'barrier',
      requests: wholeText(barriers.warps),
      lanes: ratioText(barriers.lanes, barriers.warps),
      cost: '',
    })
  const done = operationsText(counts)
  if (operations && done !== '')
    rows.push({ what: 'operations', requests: '', lanes: '', cost: done })
  return rows
}

function operationsText({ operations }: GpuCountSums): string {
  if (!operations) return ''
  const { float32, float64, functionCalls } = operations
  return [
    float32 === 0 ? '' : `${wholeText(float32)} of float`,
    float64 === 0 ? '' : `${wholeText(float64)} of double`,
    functionCalls === 0 ? '' : `${wholeText(functionCalls)} calls of math functions`,
  ]
    .filter((text) => text !== '')
    .join(', ')
}

/** "2 launches, 32 blocks of 16 x 16 x 1 threads" */
export function launchesText({ configurations }: GpuKernelCounts): string {
  return configurations
    .map(({ block, dynamicShared, launches, blocks }) => {
      const shared =
        dynamicShared === 0 ? '' : `, ${wholeText(dynamicShared)} bytes of dynamic shared memory`
      const times = launches === 1 ? '1 launch' : `${wholeText(launches)} launches`
      const all = blocks === 1 ? '1 block' : `${wholeText(blocks)} blocks`
      return `${times}, ${all} of ${block.join(' x ')} threads${shared}`
    })
    .join('; ')
}

/** Adds number by number. */
function addNumbers<T extends Record<string, number>>(one: T | undefined, other: T): T {
  const sums = Object.entries(other).map(([name, value]): [string, number] => [
    name,
    (one?.[name] ?? 0) + value,
  ])
  return Object.assign({}, other, Object.fromEntries(sums))
}

/** Adds the counts of one to those of another. */
export function addSums(to: GpuCountSums, more: GpuCountSums): void {
  if (more.globalLoads) to.globalLoads = addNumbers(to.globalLoads, more.globalLoads)
  if (more.globalStores) to.globalStores = addNumbers(to.globalStores, more.globalStores)
  if (more.sharedLoads) to.sharedLoads = addNumbers(to.sharedLoads, more.sharedLoads)
  if (more.sharedStores) to.sharedStores = addNumbers(to.sharedStores, more.sharedStores)
  if (more.globalAtomics) to.globalAtomics = addNumbers(to.globalAtomics, more.globalAtomics)
  if (more.sharedAtomics) to.sharedAtomics = addNumbers(to.sharedAtomics, more.sharedAtomics)
  if (more.barriers) to.barriers = addNumbers(to.barriers, more.barriers)
  if (more.operations) to.operations = addNumbers(to.operations, more.operations)
}
