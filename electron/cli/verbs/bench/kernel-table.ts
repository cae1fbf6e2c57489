import type { DeviceKernel, KernelList } from '../../../contract/timing-device'
import type { TimingRequest } from '../../../contract/timing-report'
import { timingNameOf } from '../../../engine/timing/plan'
import type { Workbench } from '../../../engine/workbench'
import { timeText, unitFor } from './table'
import { interruptSignal } from '../../interrupt'
import { exitCodes } from '../../exit-codes'
import { printError, printJson, printLines } from '../../print'

/** Of a name with its templates; JSON has all of it. */
const widestName = 60

const sizesText = (sizes: readonly number[] | undefined): string => sizes?.join('×') ?? ''

/** What the device did in one call, a line each, in the order in which it began. */
export function kernelLines(title: string, { device, kernels, note }: KernelList): string[] {
  if (kernels.length === 0) return [`${title} on ${device}`, `  ${note}`]
  const unit = unitFor(kernels.map(({ seconds }) => seconds))
  const header = ['', `[${unit[0]}]`, 'grid', 'block', 'registers', 'shared', 'occupancy']
  const cellsOf = (kernel: DeviceKernel): string[] => [
    kernel.name.length > widestName ? `${kernel.name.slice(0, widestName - 1)}…` : kernel.name,
    timeText(kernel.seconds, unit),
    sizesText(kernel.grid),
    sizesText(kernel.block),
    kernel.registers?.toString() ?? '',
    kernel.sharedMemory === undefined ? '' : `${kernel.sharedMemory} B`,
    kernel.occupancy === undefined ? '' : `${Math.round(kernel.occupancy * 100)} %`,
  ]
  const cells = [header, ...kernels.map(cellsOf)]
  const widths = header.map((_, column) =>
    Math.max(...cells.map((line) => line[column]?.length ?? 0)),
  )
  const lines = cells.map((line) =>
    line
      .map((text, column) =>
        column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
  return [`${title} on ${device}`, ...lines.map((line) => `  ${line}`)]
}

/** `opsmith bench --kernels`: of each benchmark one forward, kernel by kernel. */
export async function printKernels(
  workbench: Workbench,
  folder: string,
  entries: readonly TimingRequest[],
  json: boolean,
): Promise<number> {
  const lists: KernelList[] = []
  for (const entry of entries) {
    const list = await workbench.timings.kernels(folder, entry, { signal: interruptSignal() })
    if (!list.ok) return printError(list.error, json)
    lists.push(list.value)
    if (!json) printLines(kernelLines(timingNameOf(entry), list.value))
  }
  if (json) printJson({ ok: true, calls: lists })
  return exitCodes.good
}
