import path from 'node:path'

import {
  countRows,
  lanesOfWarp,
  launchesText,
  sectorBytes,
  wholeText,
} from '../contract/count-rows'
import { estimateLabel, estimateText } from '../contract/gpu-estimate'
import type { GlobalCounts, GpuCounts, GpuKernelCounts } from '../contract/gpu-counts'
import type { SourcePlace } from '../contract/gpu-findings'

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

/** The tables of a counted run, a kernel each. */
export function countsText(counts: GpuCounts, folder: string): string[] {
  const lines = [`opsmith: ${counts.basis}`]
  for (const kernel of counts.kernels) {
    const { total, arithmeticIntensity } = kernel
    lines.push('', `${kernel.kernel}: ${launchesText(kernel)}`)
    const rows = kernel.lines.flatMap((line) =>
      countRows(line).map(({ what, requests, lanes, cost }) => [
        placeText(folder, line.place),
        what,
        requests,
        lanes,
        cost,
      ]),
    )
    const head = ['line', 'what', 'requests', `lanes of ${lanesOfWarp}`, 'cost']
    lines.push(...aligned([head, ...rows]).map((line) => `  ${line}`))
    const moved = (access: GlobalCounts | undefined): string =>
      wholeText(sectorBytes * (access?.sectors ?? 0))
    lines.push(
      `  global memory: ${moved(total.globalLoads)} bytes read, ${moved(total.globalStores)} written`,
    )
    if (!total.operations)
      lines.push(
        '  operations are not counted: Opsmith found no objdump that can read the machine code. Install binutils or LLVM.',
      )
    else if (arithmeticIntensity !== null)
      lines.push(
        `  arithmetic intensity: ${arithmeticIntensity.toPrecision(3)} operations per byte of global memory`,
      )
    lines.push(`  occupancy, if registers do not limit it: ${occupancyText(kernel)}`)
    if (kernel.estimates.length > 0) {
      const times = kernel.estimates.map((one) => `${one.model} ${estimateText(one)}`)
      lines.push(`  time of a launch, ${estimateLabel}: ${times.join(', ')}`)
    }
  }
  if (counts.missedAccesses > 0)
    lines.push(
      '',
      `opsmith: ${wholeText(counts.missedAccesses)} accesses are not counted. Between two barriers or warp operations, a warp made more accesses than Opsmith can record.`,
    )
  return lines
}
