/** What checked kernels did wrong in the calls of operator checks, as part of the checks' verdicts. */
import type { GpuFinding } from '../../contract/gpu-findings'
import type { OperatorCheckFinding, PlacedFinding } from '../../contract/operator-check'

/** Finds the lines of what an op host reported: a `writtenGpuReport` a line. */
export type LocateKernelFindings = (lines: string) => Promise<GpuFinding[]>

/** A finding with what its kernels did wrong; of that the place, where the check itself has none. */
type JudgedFinding = Omit<OperatorCheckFinding, 'kernelReports'> &
  Pick<PlacedFinding, 'file' | 'line' | 'kernels'>

/**
 * A check fails where its kernels did something wrong that no earlier check says: most kernels do the same in every
 * check.
 * @param findings in the order in which they were made
 */
export async function withKernelFindings(
  findings: readonly OperatorCheckFinding[],
  locate: LocateKernelFindings,
): Promise<JudgedFinding[]> {
  const seen = new Set<string>()
  const judged: JudgedFinding[] = []
  for (const { kernelReports = [], ...finding } of findings) {
    let verdict: JudgedFinding = finding
    for (const { report, ...shown } of kernelReports) {
      const located = await locate(report)
      // Each call that ends its op host says why.
      const hasEnded = shown.shownCase === undefined
      const kernels = located.filter((one) => hasEnded || !seen.has(keyOf(one)))
      for (const one of kernels) seen.add(keyOf(one))
      verdict = together(verdict, kernels, shown)
    }
    judged.push(verdict)
  }
  return judged
}

const keyOf = ({ check, place, other }: GpuFinding): string =>
  JSON.stringify([check, place, other?.file, other?.line])

function together(
  finding: JudgedFinding,
  kernels: readonly GpuFinding[],
  shown: Pick<OperatorCheckFinding, 'shownBy' | 'shownCase'>,
): JudgedFinding {
  const [first] = kernels
  if (!first) return finding
  const all = [...(finding.kernels ?? []), ...kernels]
  const { file, line } = first.place
  const place = file === '' ? {} : { file, line }
  const sentence = `${first.check}: ${first.message}`
  if (finding.status !== 'failed') {
    const { check, input } = finding
    const words = { reason: sentence, advice: first.remedy, index: [], ...shown }
    return { check, status: 'failed', input, ...words, ...place, kernels: all }
  }
  // A call that ended its op host did so by what the kernel did.
  if (shown.shownCase === undefined) {
    const reason = `${finding.reason} ${sentence}`
    return { ...finding, reason, advice: first.remedy, ...place, kernels: all }
  }
  return { ...finding, kernels: all }
}
