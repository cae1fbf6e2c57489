import type { GpuFinding, GpuReport, GpuThread } from '../../../electron/contract/gpu-findings'
import { formatCount } from '../../shell/primitives/format'

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
