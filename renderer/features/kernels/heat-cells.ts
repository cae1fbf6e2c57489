import { addSums, countRows, sectorBytes } from '../../../electron/contract/count-rows'
import type { GpuCounts, GpuCountSums } from '../../../electron/contract/gpu-counts'
import { metricValues, type Metric } from './metrics'
import { basisText, bytesText } from './texts'

/** What stands before a line in the editor. */
export type HeatCell = {
  /** 1-based. */
  line: number
  /** As wide as all others: a bar, and the number. */
  text: string
  /** 0 to 4: the bar and the number say the same, for those who do not see colours. */
  level: number
  /** The figures of the line, a sentence each. */
  words: string[]
}

const bars = [...'▁▂▃▄▅▆▇█']
const width = 5
export const emptyCell = ' '.repeat(width + 3)
const levels = 5

/** Cells of each file, by its absolute path; lines that several kernels share have the sum. */
export function heatCells(counts: GpuCounts, metric: Metric): Map<string, HeatCell[]> {
  const files = new Map<string, Map<number, GpuCountSums>>()
  for (const { lines } of counts.kernels) {
    for (const { place, ...more } of lines) {
      if (place.file === '' || place.line < 1) continue
      const known = files.get(place.file) ?? new Map<number, GpuCountSums>()
      const sums = known.get(place.line) ?? {}
      addSums(sums, more)
      files.set(place.file, known.set(place.line, sums))
    }
  }
  return new Map([...files].map(([file, lines]) => [file, cellsOf(lines, metric)]))
}

function cellsOf(lines: ReadonlyMap<number, GpuCountSums>, metric: Metric): HeatCell[] {
  const values = metricValues(metric, [...lines.values()])
  return [...lines].map(([line, sums], index) => {
    const value = values[index]
    const words = [...lineWords(sums), basisText]
    // Another metric than the one that is shown: the pointer still finds its figures.
    if (!value) return { line, text: `  ${'·'.padStart(width)} `, level: 0, words }
    const bar = bars[Math.min(Math.floor(value.heat * bars.length), bars.length - 1)] ?? ''
    const level = Math.min(Math.floor(value.heat * levels), levels - 1)
    return { line, text: `${bar} ${value.text.padStart(width)} `, level, words }
  })
}

/** "Global load: 512 requests with 32.0 lanes on average, 4.0 sectors a request, 100 % of their bytes used." */
export function lineWords(sums: GpuCountSums): string[] {
  const sentences = countRows(sums).map(({ what, requests, lanes, cost }) => {
    const name = `${what.charAt(0).toUpperCase()}${what.slice(1)}`
    if (requests === '') return `${name}: ${cost}.`
    const who = what === 'barrier' ? 'warps' : 'requests'
    const parts = [`${requests} ${who} with ${lanes} of 32 lanes active`, cost]
    return `${name}: ${parts.filter((part) => part !== '').join(', ')}.`
  })
  const { globalLoads, globalStores } = sums
  const bytes = sectorBytes * ((globalLoads?.sectors ?? 0) + (globalStores?.sectors ?? 0))
  if (bytes > 0) sentences.push(`Moved between global memory and the kernel: ${bytesText(bytes)}.`)
  if ((sums.operations?.functionCalls ?? 0) > 0)
    sentences.push('Operations inside math functions are not counted.')
  return sentences
}
