import path from 'node:path'

import type { OperatorCheckReport } from '../../electron/contract/operator-check'
import { unwrap } from '../../electron/contract/outcome'
import { startForkedHost } from '../../electron/engine/host/transport'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { commandOptions, Workbench } from '../../electron/engine/workbench'
import { libtorchCases } from '../parity/libtorch-cases'
import { hiddenFaults, hiddenProject } from '../support/hidden-faults'
import { copyProject, makeTestCache, root, testInstallation } from '../support/installation'
import { row } from './measure'
import type { BenchmarkOptions, Row } from './measure'

/** Seconds that the checks of one call may take. */
const timeout = 300
const samples = ['sigmoid', 'my_op', 'rms_norm', 'gc_layer', 'calculate_force']
const limits = { timeout }

/** Failures that are right, with the reason: the operator is wrong, or its answer is meant to depend on what is checked. */
const faultsOfLibtorch = new Map([
  ['linear algebra: linalg_matrix_exp(x): dtypes', 'inf and NaN in float16 and bfloat16'],
  ['linear algebra: linalg_eigvalsh(x): gradients', 'fails torch.autograd.gradcheck too'],
  ['linear algebra: linalg_cholesky(x): gradients', 'fails torch.autograd.gradcheck too'],
  ['shape: as_strided(x, [2, 2], [1, 2]): layouts', 'takes memory by its place'],
  [
    'layers and normalization: batch_norm(x, y, z, None, None, true, 0.1, 0.00001, false): gradient_layouts',
    'backward reads a weight with a step of 2 as if it were contiguous',
  ],
])

function isFaultOfLibtorch(alarm: string): boolean {
  return [...faultsOfLibtorch.keys()].some((known) => alarm.startsWith(`${known}: `))
}

/** What failed, by operator: each is a false alarm on an operator that is right. */
function alarms(name: string, report: OperatorCheckReport): string[] {
  return report.findings
    .filter(({ status }) => status === 'failed')
    .map(({ check, reason }) => `${name}: ${check}: ${reason}`)
}

function verdict(kind: string, failed: readonly string[]): string {
  return failed.length === 0 ? `no ${kind}` : `${failed.length} times ${kind}: ${failed.join('; ')}`
}

/** The default run of each check: of the samples, of right operators next to wrong ones, of libtorch's. */
class Checks {
  readonly rows: Row[] = []

  constructor(
    private readonly workbench: Workbench,
    private readonly options: BenchmarkOptions,
  ) {}

  private isAsked(name: string): boolean {
    return name.includes(this.options.only ?? '')
  }

  private add(name: string, seconds: readonly number[], words: string): void {
    this.rows.push({ ...row(name, 's', seconds), verdict: words })
  }

  /** All calls of a sample, one after the other. */
  async sample(folder: string): Promise<void> {
    const name = path.basename(folder)
    if (!this.isAsked(name)) return
    this.options.say(name)
    unwrap(await this.workbench.builds.build(folder))
    const started = performance.now()
    const outcomes = unwrap(await this.workbench.operatorChecks.runAll(folder, limits))
    const seconds = (performance.now() - started) / 1000
    const failed = outcomes.flatMap((one) => (one.report ? alarms(one.name, one.report) : []))
    this.add(`${name}, ${outcomes.length} calls`, [seconds], verdict('failed', failed))
  }

  /** Each wrong operator fails, each right one next to it passes. */
  async hidden(folder: string): Promise<void> {
    const name = 'operators with a hidden fault'
    if (!this.isAsked(name)) return
    unwrap(await this.workbench.builds.build(folder))
    unwrap(await this.workbench.libraries.load(folder, limits))
    const { inputs } = unwrap(await readManifest(folder))
    const seconds: number[] = []
    const missed: string[] = []
    const failed: string[] = []
    for (const fault of hiddenFaults) {
      for (const op of [fault.op, fault.right]) {
        this.options.say(op)
        const call = { op, args: fault.args, inputs }
        const report = unwrap(
          await this.workbench.hosts.call('operatorCheck.run', call, { ...limits, phase: op }),
        )
        seconds.push(report.seconds)
        if (op === fault.right) failed.push(...alarms(op, report))
        else if (report.ok) missed.push(op)
      }
    }
    this.add(name, seconds, verdict('missed', missed))
    this.add('right operators next to them', seconds, verdict('failed', failed))
  }

  async libtorch(): Promise<void> {
    const name = `${libtorchCases.size} calls of libtorch's operators`
    if (!this.isAsked(name)) return
    const seconds: number[] = []
    const failed: string[] = []
    for (const [call, entry] of libtorchCases) {
      this.options.say(call)
      const report = unwrap(
        await this.workbench.hosts.call('operatorCheck.run', entry, { ...limits, phase: call }),
      )
      seconds.push(report.seconds)
      const found = alarms(call, report)
      for (const alarm of found) this.options.say(alarm)
      failed.push(...found)
    }
    const known = failed.filter(isFaultOfLibtorch)
    const others = failed.filter((alarm) => !isFaultOfLibtorch(alarm))
    const words = verdict('false alarm', others)
    this.add(name, seconds, `${words}; ${known.length} faults of libtorch's own`)
  }
}

/** How long the default operator checks take, and on which right operators they fail. */
export async function run(options: BenchmarkOptions): Promise<Row[]> {
  const cache = makeTestCache()
  const workbench = new Workbench(testInstallation(cache), startForkedHost, {}, commandOptions)
  try {
    await workbench.applySettings()
    const checks = new Checks(workbench, options)
    for (const name of samples)
      await checks.sample(copyProject(path.join(root, 'samples', name), cache))
    await checks.hidden(copyProject(hiddenProject, cache))
    await checks.libtorch()
    return checks.rows
  } finally {
    await workbench.close()
    cache.remove()
  }
}
