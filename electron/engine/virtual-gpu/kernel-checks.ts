/** What checked kernels did in op hosts, gathered until somebody asks. */
import { writtenGpuReport } from '../../contract/gpu-findings'
import type { GpuFinding, GpuReport, WrittenGpuReport } from '../../contract/gpu-findings'
import type { Installation } from '../installation'
import { locateReport, withoutRepeats } from './read-report'

const nothing: GpuReport = { launches: 0, accesses: 0, findings: [] }

export class KernelChecks {
  private report: GpuReport = nothing
  private located: Promise<void> = Promise.resolve()
  /** Changes when what is being located is wanted no more. */
  private epoch = 0

  constructor(
    private readonly services: { installation: Installation },
    private readonly onReport: (report: GpuReport) => void,
  ) {}

  /** @param lines of an op host: a `writtenGpuReport` each */
  take(lines: string): void {
    const { epoch } = this
    // What cannot be located is a report less, and not the end of all that follow.
    this.located = this.located.then(() => this.add(lines, epoch)).catch(() => undefined)
  }

  /** The findings of such lines alone. */
  async locate(lines: string): Promise<GpuFinding[]> {
    const reports = await Promise.all(
      writtenReports(lines).map((one) => locateReport(one, this.services.installation.root)),
    )
    return withoutRepeats(reports.flatMap(({ findings }) => findings))
  }

  private async add(lines: string, epoch: number): Promise<void> {
    for (const written of writtenReports(lines)) {
      const more = await locateReport(written, this.services.installation.root)
      if (epoch !== this.epoch) return
      const { launches, accesses, findings } = this.report
      this.report = {
        launches: launches + more.launches,
        accesses: accesses + more.accesses,
        findings: withoutRepeats([...findings, ...more.findings]),
      }
      this.onReport(this.report)
    }
  }

  /** All that was found since the last build. */
  async all(): Promise<GpuReport> {
    await this.located
    return this.report
  }

  /** Of an older build, nothing counts any more. */
  clear(): void {
    this.epoch += 1
    this.report = nothing
    this.onReport(nothing)
  }
}

/** Without what is no report: user code can write to the same connection. */
function writtenReports(lines: string): WrittenGpuReport[] {
  return lines.split('\n').flatMap((line) => {
    try {
      const written = writtenGpuReport.safeParse(JSON.parse(line))
      return written.success ? [written.data] : []
    } catch {
      return []
    }
  })
}
