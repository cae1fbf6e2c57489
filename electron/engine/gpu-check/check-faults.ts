import { checkEntry } from '../../contract/manifest'
import type { CheckEntry } from '../../contract/manifest'
import { inputSpec } from '../../contract/manifest-values'
import type { InputSpec } from '../../contract/manifest-values'
import type { OperatorCheckReport } from '../../contract/operator-check'
import type { Result, WorkbenchError } from '../../contract/outcome'
import type { CallLimits, LibraryCalls } from '../builds/libraries'
import { judgeFaults } from './judge-device'
import type { FaultFinding } from './judge-device'
import { withoutAnswer } from './judgement'
import type { Judgement } from './judgement'
import type { GpuSession } from './session'

interface Fault {
  name: string
  op: string
  args?: (string | number)[]
  /** After which the call is given up. */
  seconds: number
  isNamed: (error: WorkbenchError, op: string) => boolean
}

const endlessSeconds = 5

/** More than any device has: 64 TiB. */
const tooMuch = 2 ** 46

/** The op host was ended for its device, and the message names the operator that broke it. */
const namesLostDevice = ({ exit, message }: WorkbenchError, op: string): boolean =>
  exit?.reason === 'device' && message.includes(op)

const faults: readonly Fault[] = [
  {
    name: 'an out-of-bounds write',
    op: 'store_outside',
    seconds: 20,
    isNamed: namesLostDevice,
  },
  {
    name: 'an assertion in a kernel',
    op: 'assertion',
    seconds: 20,
    isNamed: (error, op) => namesLostDevice(error, op) && /assert/i.test(error.message),
  },
  {
    name: 'a kernel that never ends',
    op: 'endless',
    seconds: endlessSeconds,
    isNamed: ({ code, message }, op) => code === 'host.timeout' && message.includes(op),
  },
  {
    name: 'an allocation that is too large',
    op: 'allocate',
    args: ['x', tooMuch],
    seconds: 20,
    // The call's own exception, as libtorch words it.
    isNamed: ({ code, message }) => code === 'operator.check' && /out of memory/i.test(message),
  },
]

async function meet(session: GpuSession, fault: Fault): Promise<FaultFinding> {
  const { name, args, seconds, isNamed } = fault
  const op = `opsmith_gpu_check::${fault.op}`
  const run = await session.run(op, { ...(args ? { args } : {}), seconds })
  const next = await session.whyNotAddingOne('opsmith_gpu_check::add_one', {})
  return {
    fault: name,
    answer: run.ok ? '' : (run.error.message.split('\n')[0] ?? ''),
    isNamed: !run.ok && isNamed(run.error, op),
    isNextRight: next === '',
  }
}

/** Where its inputs are chooses the op hosts: electron/engine/check. */
export type CheckOperator = (
  library: LibraryCalls,
  entry: CheckEntry,
  limits: CallLimits,
) => Promise<Result<OperatorCheckReport>>

const checkSeconds = 40

async function checked(
  session: GpuSession,
  check: CheckOperator,
  { name, x }: { name: string; x: InputSpec },
): Promise<Result<OperatorCheckReport>> {
  const op = `opsmith_gpu_check::${name}`
  const entry = checkEntry.parse({ op, args: ['x'], inputs: { x }, shapes: 0 })
  return await check(session.calls(), entry, { timeout: checkSeconds, signal: session.signal })
}

/**
 * What became of a backward on the CPU that crashes, where its checks did not find a crash; "" where they did. They
 * make it in a copy of their op host. An op host that sees a GPU can make none, and would end.
 */
export async function whyUnprotected(session: GpuSession, check: CheckOperator): Promise<string> {
  const x = inputSpec.parse({ shape: [4], dtype: 'float64', requires_grad: true })
  const report = await checked(session, check, { name: 'crashing_backward', x })
  if (!report.ok) return report.error.message
  const failures = report.value.findings.filter(({ status }) => status === 'failed')
  if (failures.some(({ reason }) => /memory fault/.test(reason))) return ''
  const [first] = failures
  return first
    ? `the operator checks report "${first.reason}"`
    : 'the operator checks report no failure'
}

/** Each fault, then a call that must be right; operator checks of what is right, on the device and on the CPU. */
export async function checkFaults(session: GpuSession, check: CheckOperator): Promise<Judgement> {
  const found: FaultFinding[] = []
  for (const fault of faults) {
    found.push(await meet(session, fault))
    if (session.signal.aborted) return withoutAnswer({ code: 'cancelled', message: '' })
  }
  const x = inputSpec.parse({ shape: [8], device: session.device, seed: 0 })
  const report = await checked(session, check, { name: 'add_one', x })
  if (!report.ok) return withoutAnswer(report.error)
  const failures = report.value.findings.filter(({ status }) => status === 'failed')
  return judgeFaults({
    faults: found,
    failedChecks: failures.map(({ check, reason }) => `"${check}" (${reason})`),
    unprotected: await whyUnprotected(session, check),
  })
}
