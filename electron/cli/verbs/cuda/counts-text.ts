import path from 'node:path'

import type {
  AtomicCounts,
  GlobalCounts,
  GpuCounts,
  GpuCountSums,
  GpuKernelCounts,
  SharedCounts,
} from '../../../contract/gpu-counts'
import type { SourcePlace } from '../../../contract/gpu-findings'

/** What, requests, active lanes, and what the requests cost. */
type Row = readonly [what: string, requests: string, lanes: string, cost: string]

const sectorBytes = 32
const lanesOfWarp = 32

const ratio = (one: number, other: number): string => (other === 0 ? '0' : (one / other).toFixed(1))
const whole = (value: number): string => value.toLocaleString('en-US')

function globalRow(what: string, counts: GlobalCounts | undefined): Row[] {
  if (!counts) return []
  const { requests, lanes, bytes, sectors } = counts
  const used = Math.round((100 * bytes) / (sectorBytes * sectors))
  // Lanes that read the same bytes use them more than once.
  const share = used > 100 ? '' : `, ${used} % of their bytes used`
  const cost = `${ratio(sectors, requests)} sectors a request${share}`
  return [[what, whole(requests), ratio(lanes, requests), cost]]
}

function sharedRow(what: string, counts: SharedCounts | undefined): Row[] {
  if (!counts) return []
  const { requests, lanes, wavefronts, leastWavefronts } = counts
  const cost =
    wavefronts === leastWavefronts
      ? 'no bank conflicts'
      : `${ratio(wavefronts, leastWavefronts)}-way bank conflicts`
  return [[what, whole(requests), ratio(lanes, requests), cost]]
}

function atomicRow(what: string, counts: AtomicCounts | undefined): Row[] {
  if (!counts) return []
  const { requests, lanes, serialLanes } = counts
  const cost = `${ratio(serialLanes, requests)} lanes at one address, on average`
  return [[what, whole(requests), ratio(lanes, requests), cost]]
}

function rowsOf(counts: GpuCountSums): Row[] {
  const { barriers, operations } = counts
  const rows = [
    ...globalRow('global load', counts.globalLoads),
    ...globalRow('global store', counts.globalStores),
    ...sharedRow('shared load', counts.sharedLoads),
    ...sharedRow('shared store', counts.sharedStores),
    ...atomicRow('global atomic', counts.globalAtomics),
    ...atomicRow('shared atomic', counts.sharedAtomics),
  ]
  if (barriers)
    rows.push(['barrier', whole(barriers.warps), ratio(barriers.lanes, barriers.warps), ''])
  const done = operationsText(counts)
  if (operations && done !== '') rows.push(['operations', '', '', done])
  return rows
}

function operationsText({ operations }: GpuCountSums): string {
  if (!operations) return ''
  const { float32, float64, functionCalls } = operations
  return [
    float32 === 0 ? '' : `${whole(float32)} of float`,
    float64 === 0 ? '' : `${whole(float64)} of double`,
    functionCalls === 0 ? '' : `${whole(functionCalls)} calls of math functions`,
  ]
    .filter((text) => text !== '')
    .join(', ')
}

/** Columns as wide as what stands in them; numbers to the right. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  const widths = (rows[0] ?? []).map((_, column) => width(column))
  return rows.map((row) =>
    row
      .map((text, column) =>
        column === 2 || column === 3
          ? text.padStart(widths[column] ?? 0)
          : text.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
}

const placeText = (folder: string, { file, line }: SourcePlace): string =>
  file === '' ? 'unknown line' : `${path.relative(folder, file)}:${line}`

function occupancyText({ occupancy }: GpuKernelCounts): string {
  return occupancy
    .map(
      (one) =>
        `${one.architecture} ${Math.round(100 * one.occupancy)} % (${one.limitedBy.join(', ')})`,
    )
    .join(', ')
}

function launchesText({ configurations }: GpuKernelCounts): string {
  return configurations
    .map(({ block, dynamicShared, launches, blocks }) => {
      const shared =
        dynamicShared === 0 ? '' : `, ${whole(dynamicShared)} bytes of dynamic shared memory`
      const times = launches === 1 ? '1 launch' : `${whole(launches)} launches`
      return `${times}, ${whole(blocks)} blocks of ${block.join(' x ')} threads${shared}`
    })
    .join('; ')
}

/** The tables of a counted run, a kernel each. */
export function countsText(counts: GpuCounts, folder: string): string[] {
  const lines = [`opsmith: ${counts.basis}`]
  for (const kernel of counts.kernels) {
    const { total, arithmeticIntensity } = kernel
    lines.push('', `${kernel.kernel}: ${launchesText(kernel)}`)
    const rows = kernel.lines.flatMap((line) =>
      rowsOf(line).map((row) => [placeText(folder, line.place), ...row]),
    )
    const head = ['line', 'what', 'requests', `lanes of ${lanesOfWarp}`, 'cost']
    lines.push(...aligned([head, ...rows]).map((line) => `  ${line}`))
    const moved = (access: GlobalCounts | undefined): string =>
      whole(sectorBytes * (access?.sectors ?? 0))
    lines.push(
      `  global memory: ${moved(total.globalLoads)} bytes read, ${moved(total.globalStores)} written`,
    )
    if (!total.operations)
      lines.push('  operations are not counted: objdump was not found. Install binutils or LLVM.')
    else if (arithmeticIntensity !== null)
      lines.push(
        `  arithmetic intensity: ${arithmeticIntensity.toPrecision(3)} operations a byte of global memory`,
      )
    lines.push(`  occupancy, if registers do not limit it: ${occupancyText(kernel)}`)
  }
  if (counts.missedAccesses > 0)
    lines.push(
      '',
      `opsmith: ${whole(counts.missedAccesses)} accesses are not counted: warps made too many before their lanes met at a barrier or a warp operation`,
    )
  return lines
}
