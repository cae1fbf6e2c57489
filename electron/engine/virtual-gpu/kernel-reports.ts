/** What checked or counted kernels did in op hosts, gathered until somebody asks. */

/** How the lines of one kind of report become one report of all calls since the last build. */
export interface ReportKind<Report> {
  nothing: Report
  /** A line of an op host, with the places of the project's sources; undefined for what is no such report. */
  read: (written: unknown, folder: string) => Promise<Report | undefined>
  merge: (before: Report, more: Report) => Report
}

export class KernelReports<Report> {
  private report: Report
  private located: Promise<void> = Promise.resolve()
  /** Changes when what is being located is wanted no more. */
  private epoch = 0

  constructor(
    private readonly kind: ReportKind<Report>,
    private readonly onReport: (report: Report) => void,
  ) {
    this.report = kind.nothing
  }

  /**
   * @param lines of an op host: a report as JSON each, of this kind or another
   * @param folder of the project whose library is in that op host
   */
  take(lines: string, folder: string): void {
    const { epoch } = this
    // What cannot be located is a report less, and not the end of all that follow.
    this.located = this.located.then(() => this.add(lines, folder, epoch)).catch(() => undefined)
  }

  /** What such lines report, which is not added to the rest. */
  async read(lines: string, folder: string): Promise<Report> {
    let report = this.kind.nothing
    for await (const more of this.reportsIn(lines, folder)) report = this.kind.merge(report, more)
    return report
  }

  private async add(lines: string, folder: string, epoch: number): Promise<void> {
    for await (const more of this.reportsIn(lines, folder)) {
      if (epoch !== this.epoch) return
      this.report = this.kind.merge(this.report, more)
      this.onReport(this.report)
    }
  }

  private async *reportsIn(lines: string, folder: string): AsyncGenerator<Report> {
    for (const line of lines.split('\n').filter((one) => one !== '')) {
      const report = await this.kind.read(parsed(line), folder)
      if (report !== undefined) yield report
    }
  }

  /** All since the last build. */
  async all(): Promise<Report> {
    await this.located
    return this.report
  }

  /** Of an older build, nothing counts any more. */
  clear(): void {
    this.epoch += 1
    this.report = this.kind.nothing
    this.onReport(this.report)
  }
}

/** Undefined for what is not JSON: user code can write to the same connection. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown
  } catch {
    return undefined
  }
}
