import type { TimingReport } from '../../../contract/timing-report'

/** What every machine's numbers need next to them. */
export function machineLine({ machine, seconds, ceilings, ceilingsDoubt }: TimingReport): string {
  const copies = ceilings
    ? `; a large copy moves ${(ceilings.bytesPerSecond / 1e9).toPrecision(3)} GB/s with ${ceilings.threads} thread${ceilings.threads === 1 ? '' : 's'}`
    : ''
  const parts = [
    `On ${machine.processor}, ${machine.cores} cores${copies}.`,
    ...(ceilingsDoubt === '' ? [] : [ceilingsDoubt]),
    ...(machine.countersMissing === ''
      ? []
      : [`Instructions and cycles are not counted: ${machine.countersMissing}.`]),
    `The measurements took ${seconds.toFixed(1)} s.`,
  ]
  return parts.join(' ')
}
