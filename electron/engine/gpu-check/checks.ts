import type { GpuCheckName } from '../../contract/gpu-check'
import type { DeviceKernel } from '../../contract/timing-device'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { checkFaults } from './check-faults'
import type { CheckOperator } from './check-faults'
import { usedBytes } from './facts'
import {
  judgeCache,
  judgeCeilings,
  judgeEvents,
  judgeGraph,
  judgeProfiler,
  judgeStreams,
  longSpin,
  shortSpin,
} from './judge-device'
import type { CacheFigures, StreamFinding } from './judge-device'
import { judgeDriver, judgeLibtorch, judgeToolchain, whyNoDevice } from './judge-tools'
import { median, sentence, skipped, withoutAnswer } from './judgement'
import type { Judgement } from './judgement'
import type { CallOfCheck, GpuSession, Timed } from './session'

/** What other services of the engine do for a check. */
export interface CheckTools {
  /** The kernels in a trace of libtorch's profiler; throws of what is no trace. */
  readKernels: (trace: string) => DeviceKernel[]
  /** The checks of one operator, as users get them. */
  checkOperator: CheckOperator
  /** One call's trace, written by the op host to a file that is read and removed. */
  readTrace: (write: (file: string) => Promise<Result<unknown>>) => Promise<Result<string>>
}

type Check = (session: GpuSession, tools: CheckTools) => Promise<Judgement>

/** Why the checks that run something on a GPU cannot; "" where they can. */
async function whyNothingRuns(session: GpuSession): Promise<string> {
  const { toolchain } = session.facts
  if (!toolchain.ok) return toolchain.error.message
  // A device of another kind brings its own backend.
  const isUsable = toolchain.value.libtorch.hasCuda || !session.device.startsWith('cuda')
  return Promise.resolve(whyNoDevice(session.facts, isUsable))
}

/** The same of those that need kernels of ours. */
async function whyNoKernelRuns(session: GpuSession): Promise<string> {
  const reason = await whyNothingRuns(session)
  if (reason !== '') return reason
  const library = await session.library()
  // Of a build that was stopped, the check says so itself.
  if (!library.ok) return library.error.code === 'cancelled' ? '' : library.error.message
  return library.value.report.ok
    ? ''
    : 'the kernels of this check do not build (see the check "CUDA toolkit")'
}

const onDevice =
  (why: (session: GpuSession) => Promise<string>, check: Check): Check =>
  async (session, tools) => {
    const reason = await why(session)
    return reason === '' ? await check(session, tools) : skipped(sentence(`Not run: ${reason}`))
  }

/** What nvcc makes, not whether it runs, can be told without a GPU. */
const toolchainCheck: Check = async (session) => {
  const { toolchain, nvcc } = session.facts
  if (!toolchain.ok) return skipped(toolchain.error.message)
  if (!toolchain.value.cuda)
    return skipped(
      'nvcc was not found, so CUDA sources cannot be compiled for a GPU. C++ operators are not affected.',
    )
  const library = await session.library()
  if (!library.ok) return withoutAnswer(library.error)
  const { report, refusedHost } = library.value
  const error = report.diagnostics.find(({ severity }) => severity === 'error')
  const kernels = new Set(
    report.steps.flatMap((step) => step.kernels ?? []).map(({ architecture }) => architecture),
  )
  const missing = await whyNothingRuns(session)
  return judgeToolchain({
    nvcc,
    refusedHost,
    missing,
    build: {
      error: report.ok ? '' : (error?.message ?? 'the linker fails'),
      seconds: report.seconds,
      kernels: [...kernels].map((one) => `sm_${one}`).join(', '),
    },
    ran: missing === '' && report.ok ? await runKernels(session) : undefined,
  })
}

async function runKernels(session: GpuSession): Promise<{ wrong: string[]; firstSeconds: number }> {
  // libtorch makes the context first.
  await session.run('aten::relu')
  const first = await session.run('opsmith_gpu_check::add_one')
  const wrong: string[] = []
  for (const op of ['opsmith_gpu_check::add_one', 'opsmith_gpu_check::add_one_torch']) {
    const why = await session.whyNotAddingOne(op, {})
    if (why !== '') wrong.push(why)
  }
  return { wrong, firstSeconds: first.ok ? first.value.seconds : 0 }
}

const driverCheck: Check = ({ facts }) => Promise.resolve(judgeDriver(facts))

const libtorchCheck: Check = async (session) => {
  const { toolchain, driver } = session.facts
  if (!toolchain.ok) return skipped(toolchain.error.message)
  const told = await session.call('device.libtorch', {})
  if (!told.ok) return withoutAnswer(told.error)
  const { isCudaBuild, devices, config } = told.value
  const reason = whyNoDevice(session.facts, isCudaBuild)
  if (reason !== '' || !driver) return skipped(sentence(`Not run: ${reason}`))
  const additions: string[] = []
  for (let index = 0; index < devices; index += 1) {
    const device = `cuda:${index}`
    additions.push(await session.whyNotAddingOne('aten::add.Scalar', { args: ['x', 1], device }))
  }
  const { version } = toolchain.value.libtorch
  return judgeLibtorch({ version, isCudaBuild, devices, config, driver, additions })
}

const spin = (seconds: number, place = 0): CallOfCheck => ({
  op: 'opsmith_gpu_check::spin',
  args: ['x', Math.round(seconds * 1e9), place],
})

/** Samples, and how many of them the host was too late for. */
const aheadOf = (all: readonly Timed[]): { samples: number; behind: number } => ({
  samples: all.reduce((sum, { seconds }) => sum + seconds.length, 0),
  behind: all.reduce((sum, { behind }) => sum + behind, 0),
})

const eventsCheck: Check = async (session) => {
  const nothing = await session.timed({ op: 'aten::alias' }, { cold: true, count: 200 })
  if (!nothing.ok) return withoutAnswer(nothing.error)
  const short = await session.timed(spin(shortSpin), { count: 30 })
  if (!short.ok) return withoutAnswer(short.error)
  const long = await session.timed(spin(longSpin), { count: 5 })
  if (!long.ok) return withoutAnswer(long.error)
  return judgeEvents({
    nothing: nothing.value.seconds,
    short: median(short.value.seconds),
    long: median(long.value.seconds),
    ...aheadOf([nothing.value, short.value, long.value]),
  })
}

/** As opsmith_gpu_check::place counts them (native/gpu_check/kernels.h). */
const places = [
  { where: 'the current stream', expected: 'timed' },
  { where: 'the default stream while another stream is current', expected: 'not captured' },
  { where: 'its own blocking stream', expected: 'timed' },
  { where: 'its own non-blocking stream', expected: 'asynchronous' },
  { where: 'the current stream, with a wait in forward', expected: 'waits' },
]

const streamsCheck: Check = async (session) => {
  const findings: StreamFinding[] = []
  for (const [place, { where, expected }] of places.entries()) {
    const found = await recognise(session, spin(200e-6, place), expected === 'not captured')
    if (!found.ok) return withoutAnswer(found.error)
    findings.push({ where, expected, found: found.value })
  }
  return judgeStreams(findings)
}

async function recognise(
  session: GpuSession,
  call: CallOfCheck,
  isReplayed: boolean,
): Promise<Result<string>> {
  if (isReplayed) {
    const replayed = await session.replayed(call, 3)
    if (!replayed.ok) return replayed
    return ok(replayed.value.missing === '' ? 'captured' : 'not captured')
  }
  return await session.opened(call, {}, ({ traps }) => {
    const trap = traps.find(({ kind }) => kind === 'asynchronous' || kind === 'waits')
    return Promise.resolve(ok(trap?.kind ?? 'timed'))
  })
}

/** Parts of the L2 cache that are read again and again. */
const partsOfCache = [1 / 8, 1 / 4, 1 / 2, 3 / 4, 1, 1.5, 2, 3, 4, 8]
const rounds = 8

const cacheCheck: Check = async (session) => {
  const { driver } = session.facts
  const [device] = driver?.devices ?? []
  if (!device || device.cacheBytes === 0)
    return skipped('Not run: the driver does not report the size of the L2 cache.')
  const { cacheBytes, multiprocessors } = device
  const read = (bytes: number, times: number): CallOfCheck => ({
    op: 'opsmith_gpu_check::read',
    args: ['x', times, 8 * multiprocessors],
    // Four numbers at a time.
    shapes: { x: [Math.max(4, Math.floor(bytes / 16) * 4)] },
  })
  const curve: { bytes: number; bytesPerSecond: number }[] = []
  for (const part of partsOfCache) {
    const bytes = part * cacheBytes
    const taken = await session.timed(read(bytes, rounds), { count: 10 })
    if (!taken.ok) return withoutAnswer(taken.error)
    curve.push({ bytes, bytesPerSecond: (rounds * bytes) / median(taken.value.seconds) })
  }
  const figures: Pick<CacheFigures, 'warm' | 'cold'> = { warm: 0, cold: 0 }
  for (const state of ['warm', 'cold'] as const) {
    const options = { cold: state === 'cold', count: 30 }
    const taken = await session.timed(read(cacheBytes / 4, 1), options)
    if (!taken.ok) return withoutAnswer(taken.error)
    figures[state] = median(taken.value.seconds)
  }
  return judgeCache({ cacheBytes, curve, warm: figures.warm, cold: figures.cold })
}

const square = (size: number): Record<string, number[]> => ({ x: [size, size], y: [size, size] })

/** Long enough for a clock to rise, and for power and heat to lower it again. */
const workingSeconds = 3

const ceilingsCheck: Check = async (session) => {
  const [device] = session.facts.driver?.devices ?? []
  if (!device) return skipped('The driver finds no GPU.')
  const ceilings = await session.call('timing.deviceCeilings', { device: session.device })
  if (!ceilings.ok) return withoutAnswer(ceilings.error)
  const product = { op: 'aten::mm', args: ['x', 'y'], shapes: square(4096) }
  const worked = await session.timed(product, { count: 20, seconds: workingSeconds })
  if (!worked.ok) return withoutAnswer(worked.error)
  const { states } = worked.value
  const counts = states.flatMap(({ otherProcesses }) => otherProcesses ?? [])
  return judgeCeilings({
    device,
    ceilings: ceilings.value,
    clocks: states.flatMap(({ clock }) => clock ?? []),
    slowedBy: [...new Set(states.flatMap(({ slowedBy }) => slowedBy))],
    otherProcesses: counts.length > 0 ? Math.max(...counts) : undefined,
    unread: states[0]?.missing ?? '',
  })
}

const captures = 100

const graphCheck: Check = async (session) => {
  const call = { expression: 'torch.relu(torch.mm(x, y))', shapes: square(1024) }
  const warm = await session.timed(call, { count: 20 })
  if (!warm.ok) return withoutAnswer(warm.error)
  const replayed = await session.replayed(call)
  if (!replayed.ok) return withoutAnswer(replayed.error)
  const refusals: Record<string, string> = {}
  const refused: Record<string, CallOfCheck> = {
    dropout: { op: 'aten::dropout', args: ['x', 0.5, true] },
    nonzero: { op: 'aten::nonzero' },
  }
  for (const [name, one] of Object.entries(refused)) {
    const tried = await session.replayed(one, 3)
    if (!tried.ok) return withoutAnswer(tried.error)
    refusals[name] = tried.value.missing
  }
  const before = await usedBytes()
  const again = await session.opened(call, {}, async ({ handle }) => {
    for (let made = 0; made < captures; made += 1) {
      const one = await session.call('timing.replay', { handle, count: 1 })
      if (!one.ok) return one
    }
    return ok(null)
  })
  if (!again.ok) return withoutAnswer(again.error)
  return judgeGraph({
    missing: replayed.value.missing,
    replayed: median(replayed.value.seconds),
    warm: median(warm.value.seconds),
    refusals,
    before,
    after: await usedBytes(),
  })
}

const profilerCheck: Check = async (session, { readKernels, readTrace }) => {
  const call = { op: 'aten::relu', shapes: { x: [1 << 24] } }
  const before = await session.timed(call, { count: 50 })
  if (!before.ok) return withoutAnswer(before.error)
  let missing = ''
  const trace = await readTrace((file) =>
    session.opened(call, {}, async ({ handle }) => {
      const written = await session.call('timing.profile', { handle, path: file })
      if (written.ok) missing = written.value.missing
      return written
    }),
  )
  let kernels: Result<DeviceKernel[]>
  try {
    kernels = trace.ok ? ok(readKernels(trace.value)) : trace
  } catch {
    kernels = err(
      'internal',
      'Opsmith cannot read the trace of libtorch’s profiler, so kernel times were not compared. Run the GPU self-test again.',
    )
  }
  const after = await session.timed(call, { count: 50 })
  if (!after.ok) return withoutAnswer(after.error)
  return judgeProfiler({
    kernels: kernels.ok ? kernels.value : [],
    missing: kernels.ok ? missing : kernels.error.message,
    before: median(before.value.seconds),
    after: median(after.value.seconds),
  })
}

export const checks: Readonly<Record<GpuCheckName, Check>> = {
  driver: driverCheck,
  libtorch: libtorchCheck,
  toolchain: toolchainCheck,
  events: onDevice(whyNoKernelRuns, eventsCheck),
  streams: onDevice(whyNoKernelRuns, streamsCheck),
  cache: onDevice(whyNoKernelRuns, cacheCheck),
  ceilings: onDevice(whyNothingRuns, ceilingsCheck),
  graph: onDevice(whyNothingRuns, graphCheck),
  profiler: onDevice(whyNothingRuns, profilerCheck),
  faults: onDevice(whyNoKernelRuns, (session, { checkOperator }) =>
    checkFaults(session, checkOperator),
  ),
}
