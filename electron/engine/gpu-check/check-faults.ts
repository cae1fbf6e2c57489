import { inputSpec } from '../../contract/manifest-values'
import type { WorkbenchError } from '../../contract/outcome'
import { judgeFaults } from './judge-device'
import type { FaultFinding } from './judge-device'
import { withoutAnswer } from './judgement'
import type { Judgement } from './judgement'
import { firstDevice } from './session'
import type { GpuSession } from './session'

interface Fault {
  name: string
  op: string
  args?: (string | number)[]
  /** After which the call is given up. */
  seconds: number
  isNamed: (error: WorkbenchError, op: string) => boolean
}

/** The op host was ended for its device, and the message names the operator that broke it. */
function namesLostDevice(error: WorkbenchError, op: string): boolean {
  return error.exit?.reason === 'device' && error.message.includes(op)
}

const endlessSeconds = 5

/** More than any device has: 64 TiB. */
const tooMuch = 2 ** 46

const faults: readonly Fault[] = [
  {
    name: 'a write outside of its memory',
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
    isNamed: ({ code }) => code === 'host.timeout',
  },
  {
    name: 'more memory than there is',
    op: 'allocate',
    args: ['x', tooMuch],
    seconds: 20,
    isNamed: ({ message }) => /memory/i.test(message),
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

/** Whether the op host that checks a backward which crashes is there afterwards. */
async function isProtected(session: GpuSession): Promise<boolean | undefined> {
  const hosts = await session.hosts()
  if (!hosts.ok) return undefined
  const { pid } = hosts.value.state()
  const x = inputSpec.parse({ shape: [4], dtype: 'float64', requires_grad: true })
  const op = 'opsmith_gpu_check::crashing_backward'
  await session.call('operatorCheck.run', { op, args: ['x'], inputs: { x } })
  return hosts.value.state().pid === pid
}

/** Each fault, then a call that must be right; operator checks of what is right, on the device and on the CPU. */
export async function checkFaults(session: GpuSession): Promise<Judgement> {
  const found: FaultFinding[] = []
  for (const fault of faults) {
    found.push(await meet(session, fault))
    if (session.signal.aborted) return withoutAnswer({ code: 'cancelled', message: '' })
  }
  const x = inputSpec.parse({ shape: [8], device: firstDevice, seed: 0 })
  const op = 'opsmith_gpu_check::add_one'
  const checked = await session.call('operatorCheck.run', { op, args: ['x'], inputs: { x } })
  if (!checked.ok) return withoutAnswer(checked.error)
  const failures = checked.value.findings.filter(({ status }) => status === 'failed')
  return judgeFaults({
    faults: found,
    failedChecks: failures.map(({ check, reason }) => `"${check}" (${reason})`),
    isProtected: await isProtected(session),
  })
}
