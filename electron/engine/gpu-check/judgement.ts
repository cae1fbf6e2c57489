import type { GpuCheck, GpuFigures } from '../../contract/gpu-check'
import type { WorkbenchError } from '../../contract/outcome'

/** What comes of one check. */
export type Judgement = Omit<GpuCheck, 'name'>

const judged =
  (status: Judgement['status']) =>
  (reason: string, figures: GpuFigures = {}): Judgement => ({ status, reason, figures })

export const passed = judged('passed')
export const doubtful = judged('warning')
export const failed = judged('failed')
export const skipped = judged('skipped')

/** Of a check that was stopped, or that had no more time. */
export const cutShort = skipped('Stopped.')

/** Of a question without an answer: what stopped it is no verdict. */
export function withoutAnswer({ code, message }: WorkbenchError): Judgement {
  return code === 'cancelled' ? cutShort : failed(sentence(message))
}

/** With a capital and a full stop; the first line of several. */
export function sentence(text: string): string {
  const [line = ''] = text.trim().split('\n')
  // Names of devices and tools stay as they are.
  const whole = /^(?:\w+:\d|(?:nvcc|nvidia-smi|libtorch|cuInit) )/.test(line)
    ? line
    : line.charAt(0).toUpperCase() + line.slice(1)
  return /[.!?]$/.test(whole) ? whole : `${whole}.`
}

/** What is wrong, else what is doubtful, else what was found. */
export function judge(
  { wrong, doubts, found }: { wrong: readonly string[]; doubts: readonly string[]; found: string },
  figures: GpuFigures,
): Judgement {
  if (wrong.length > 0) return failed(sentence([...wrong, ...doubts].join('; ')), figures)
  if (doubts.length > 0) return doubtful(sentence(`${doubts.join('; ')} (${found})`), figures)
  return passed(sentence(found), figures)
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

/** "1 GPU", "2 GPUs" */
export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

/** Of a part, 0 to 1: "3.1 %". */
export const percent = (part: number): string => `${(part * 100).toFixed(part < 0.1 ? 1 : 0)} %`

export const micro = (seconds: number): number => Number((seconds * 1e6).toFixed(3))
export const giga = (perSecond: number): number => Number((perSecond / 1e9).toFixed(1))
