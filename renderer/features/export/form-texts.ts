import type { AbiReport, ExportStep } from '../../../electron/contract/export'
import type { IconName } from '../../shell/primitives/Icon'
import type { FormState } from './store'

/** Colour never says it alone: each has a word and a shape. */
export const stateMarks: Record<FormState, { word: string; icon: IconName; tone: string }> = {
  waiting: { word: 'waiting', icon: 'clock', tone: 'muted' },
  running: { word: 'running', icon: 'play', tone: 'muted' },
  done: { word: 'done', icon: 'check', tone: 'tone-ok' },
  partly: { word: 'done, partly proven', icon: 'check', tone: 'tone-warning' },
  written: { word: 'written, not proven', icon: 'file', tone: 'muted' },
  failed: { word: 'failed', icon: 'error', tone: 'tone-error' },
  stopped: { word: 'stopped', icon: 'stop', tone: 'muted' },
}

export const stepMarks: Record<ExportStep['status'], { icon: IconName; tone: string }> = {
  ok: { icon: 'check', tone: 'tone-ok' },
  failed: { icon: 'error', tone: 'tone-error' },
  skipped: { icon: 'absent', tone: 'tone-warning' },
}

/** "6 passed, 1 not tried" */
export function countsText(steps: readonly ExportStep[]): string {
  const count = (status: ExportStep['status']): number =>
    steps.filter((step) => step.status === status).length
  return [
    count('ok') > 0 ? `${count('ok')} passed` : '',
    count('failed') > 0 ? `${count('failed')} failed` : '',
    count('skipped') > 0 ? `${count('skipped')} not tried` : '',
  ]
    .filter((text) => text !== '')
    .join(', ')
}

/** The rows of the report, in the words of the tools that print them. */
export function abiRows(abi: AbiReport): [name: string, value: string][] {
  const orNone = (list: readonly string[], none: string): string =>
    list.length === 0 ? none : list.join(', ')
  return [
    ['Machine', abi.architecture],
    ['libtorch', `${abi.minimumLibtorch}.x, built with ${abi.libtorch}`],
    ['C++ ABI', `_GLIBCXX_USE_CXX11_ABI=${abi.cxx11Abi ? 1 : 0}`],
    ['glibc', abi.glibc === '' ? 'any' : `${abi.glibc} or newer`],
    ['libstdc++', abi.glibcxx === '' ? 'any' : `GLIBCXX_${abi.glibcxx} or newer`],
    ['C++ runtime', abi.cxxabi === '' ? 'any' : `CXXABI_${abi.cxxabi} or newer`],
    ['CUDA', orNone(abi.cudaArchitectures, 'no device code')],
    ['Needs', orNone(abi.needed, 'no other library')],
    ['Run-path', orNone(abi.runPath, 'none')],
    ['Size', sizeText(abi.bytes)],
  ]
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  const kib = bytes / 1024
  return kib < 1024 ? `${kib.toFixed(0)} KiB` : `${(kib / 1024).toFixed(1)} MiB`
}
