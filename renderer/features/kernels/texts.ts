import type { GpuFinding, GpuReport, GpuThread } from '../../../electron/contract/gpu-findings'
import type { Occupancy, OccupancyLimit } from '../../../electron/contract/occupancy'
import { formatCount } from '../../shell/primitives/format'
import { shortCount } from './metrics'

const placeText = ({ block, thread }: GpuThread): string =>
  `block (${block.join(', ')}), thread (${thread.join(', ')})`

/** "reverse_row, block (0, 0, 0), thread (31, 0, 0)" */
export function threadText({ kernel }: GpuFinding, thread: GpuThread): string {
  return kernel === '' ? placeText(thread) : `${kernel}, ${placeText(thread)}`
}

/** "write by block (0, 0, 0), thread (0, 0, 0)" */
export function accessText({ what, thread }: NonNullable<GpuFinding['other']>): string {
  return thread ? `${what} by ${placeText(thread)}` : what
}

/** "12 launches and 81,204 accesses checked: 3 findings"; of nothing, that is no pass. */
export function summaryText({ launches, accesses, findings }: GpuReport): string {
  const checked = `${formatCount(launches, 'launch', 'launches')} and ${formatCount(accesses, 'access', 'accesses')} checked`
  const count = findings.length === 0 ? 'no findings' : formatCount(findings.length, 'finding')
  return `${checked}: ${count}`
}

/** Where counts are shown, once. */
export const basisText =
  'These counts are for the code that clang generates. The code that nvcc generates may differ.'

/** "16.4 kB" */
export function bytesText(bytes: number): string {
  const text = shortCount(bytes)
  const [, figures = text, prefix = ''] = /^([\d.,]+)(\D?)$/.exec(text) ?? []
  return `${figures} ${prefix}B`
}

const limitNames: Readonly<Record<OccupancyLimit, string>> = {
  warps: 'warps',
  registers: 'registers',
  'shared-memory': 'shared memory',
  blocks: 'blocks',
}

/** "75 %: a multiprocessor runs 6 blocks (48 warps) at once. Limited by registers." */
export function occupancyText(
  { occupancy, blocks, warps, limitedBy }: Occupancy,
  knowsRegisters: boolean,
): string {
  const names = limitedBy.map((limit) => limitNames[limit])
  if (blocks === 0)
    return `This block cannot run: it needs more ${names.join(' and ')} than a block can have.`
  const limits = names.join(', ')
  const counts = `${formatCount(blocks, 'block')} (${formatCount(warps, 'warp')}) at once`
  const caveat = knowsRegisters
    ? ''
    : ' The registers of a thread are not known. They may lower the occupancy.'
  return `${Math.round(100 * occupancy)} %: a multiprocessor runs ${counts}. Limited by ${limits}.${caveat}`
}
