import type { HostInput } from '../../contract/host-calls'
import type { Argument, InputSpec } from '../../contract/manifest-values'
import type { OperatorCheckFinding, OperatorCheckReport } from '../../contract/operator-check'
import type { WorkbenchError } from '../../contract/outcome'
import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { LibraryCalls } from '../builds/libraries'
import type { CallOptions } from '../host/host-client'
import type { HostPool } from '../host/host-pool'
import { inputsNamed } from '../project/call-text'
import { skippedFinding } from './operator-check-case'

type CheckRequest = HostInput<'operatorCheck.run'> & {
  checks: OperatorCheckFinding['check'][]
}

/**
 * Devices hidden from libtorch: after its first backward a process that sees one can make no backward in a copy, and
 * copies are what checks of the CPU are made in.
 */
const withoutDevices = { CUDA_VISIBLE_DEVICES: '', OPSMITH_VIRTUAL_DEVICE: '' }

/** Then it is not the check that ends them, but the call. */
const mostEnds = 3

const hasEnded = ({ code }: WorkbenchError): boolean =>
  code === 'host.crashed' || code === 'host.timeout'

/**
 * The op hosts that operator checks are made in. On the CPU each check is made in a copy of the op host in use, or,
 * where libtorch sees a device, of one that does not. Calls on a device are out of reach of a copy: they are made in
 * an op host that is there to be ended by them.
 */
export class CheckHosts {
  private hidden: Promise<Result<HostPool>> | undefined
  private disposable: Promise<Result<HostPool>> | undefined

  constructor(private readonly library: LibraryCalls) {}

  async check(request: CheckRequest, options: CallOptions): Promise<Result<OperatorCheckReport>> {
    const { library } = this
    if (isOnDevice(request)) return await this.checkOnDevice(request, options)
    const seen = await library.call('host.devices', {}, options)
    if (!seen.ok) return seen
    if (seen.value.count === 0) return await library.call('operatorCheck.run', request, options)
    this.hidden ??= library.openHostsBeside(withoutDevices)
    return await this.checkIn(await this.hidden, request, options)
  }

  /** All checks in one op host; where that ends, one after the other, to see which of them it was. */
  private async checkOnDevice(
    request: CheckRequest,
    options: CallOptions,
  ): Promise<Result<OperatorCheckReport>> {
    this.disposable ??= this.library.openHostsBeside()
    const hosts = await this.disposable
    const started = performance.now()
    const whole = await this.checkIn(hosts, request, options)
    if (whole.ok || !hasEnded(whole.error)) return whole
    const findings: OperatorCheckFinding[] = []
    let kernelReports = ''
    if (hosts.ok) {
      hosts.value.onKernelReports = (lines) => {
        kernelReports += lines
      }
    }
    let op = request.op
    let ends = 0
    for (const check of request.checks) {
      if (ends >= mostEnds) {
        const reason = `${ends} other checks crashed or timed out, so Opsmith did not run this check`
        findings.push(skippedFinding(check, reason))
        continue
      }
      kernelReports = ''
      const alone = await this.checkIn(hosts, { ...request, checks: [check] }, options)
      if (alone.ok) {
        op = alone.value.op
        findings.push(...alone.value.findings)
      } else if (hasEnded(alone.error)) {
        ends += 1
        findings.push({
          ...skippedFinding(check, alone.error.message),
          status: 'failed',
          advice: alone.error.hint ?? '',
          kernelReports: kernelReports === '' ? [] : [{ report: kernelReports, shownBy: '' }],
        })
      } else {
        return alone
      }
    }
    const isGood = findings.every(({ status }) => status !== 'failed')
    return ok({ op, ok: isGood, seconds: (performance.now() - started) / 1000, findings })
  }

  private async checkIn(
    hosts: Result<HostPool>,
    request: CheckRequest,
    options: CallOptions,
  ): Promise<Result<OperatorCheckReport>> {
    if (!hosts.ok) return hosts
    return await this.library.callBeside(hosts.value, 'operatorCheck.run', request, options)
  }

  async close(): Promise<void> {
    const opened = await Promise.all([this.hidden, this.disposable])
    await Promise.all(opened.flatMap((hosts) => (hosts?.ok ? [hosts.value.close()] : [])))
  }
}

function isOnDevice({ args, inputs, fromSchema }: CheckRequest): boolean {
  if (fromSchema === true) return false
  const specs = inputs as Readonly<Record<string, InputSpec>>
  return inputsNamed(args as Argument[], specs).some(
    (name) => (inputs[name]?.device ?? 'cpu') !== 'cpu',
  )
}
