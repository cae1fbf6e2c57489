import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import readline from 'node:readline'

import type { OpenedTiming } from '../../electron/contract/timing'
import { inputSpec } from '../../electron/contract/manifest'
import { unwrap } from '../../electron/contract/outcome'
import { startForkedHost } from '../../electron/engine/host/transport'
import { commandOptions, Workbench } from '../../electron/engine/workbench'
import { makeTestCache, testInstallation } from '../support/installation'
import { python } from '../support/python'
import { quantile, row } from './measure'
import type { BenchmarkOptions, Row } from './measure'

interface Case {
  name: string
  op: string
  args: (string | number)[]
  shape: number[]
  /** Said in place of a verdict. */
  unjudged?: string
}

const cases: Case[] = [
  // Hardly any work: what is more than the Timer's is the cost of our call path.
  { op: 'aten::relu', args: ['x'], shape: [10] },
  { op: 'aten::sigmoid', args: ['x'], shape: [1000] },
  { op: 'aten::softmax.int', args: ['x', -1], shape: [32, 64] },
  { op: 'aten::relu', args: ['x'], shape: [30_000] },
  { op: 'aten::mm', args: ['x', 'y'], shape: [128, 128] },
  { op: 'aten::cumsum', args: ['x', 0], shape: [100_000] },
  { op: 'aten::sigmoid', args: ['x'], shape: [1_000_000] },
  { op: 'aten::mm', args: ['x', 'y'], shape: [512, 512] },
  { op: 'aten::sort', args: ['x'], shape: [200_000] },
  { op: 'aten::exp.out', args: ['x', 'y'], shape: [20_000_000] },
  { op: 'aten::mm', args: ['x', 'y'], shape: [1536, 1536] },
  // Its output of 80 MB is mapped anew for each call, as glibc does from 32 MB on: half of the time or more is
  // the system's, for pages, which come faster where a process gets those back that it has just given up.
  {
    op: 'aten::exp',
    args: ['x'],
    shape: [20_000_000],
    unjudged: 'not judged: most of it is the system’s time for new pages',
  },
].map((one) => ({ ...one, name: `${one.op} of [${one.shape.join(', ')}]` }))

/**
 * How often both processes and all inputs are made anew, and rounds in each. Where a process's memory lies decides
 * over some percent of what is timed, for as long as the process lives.
 */
const processPairs = 16
/**
 * Of both processes. Large tensors lie on huge pages (libtorch asks the system for them then): with pages of 4 KiB, and
 * those of a virtual machine below, a matrix product of [512, 512] differed by 6 % from one process to the next, either's
 * alike. And glibc keeps what it is given back, up to the 32 MiB from which on it always asks the system: elsewhere what
 * a process had allocated before decided whether an output's pages were new ones for each call, 5 % of a sort.
 */
const memory = {
  THP_MEM_ALLOC_ENABLE: '1',
  MALLOC_MMAP_THRESHOLD_: String(32 * 2 ** 20),
  MALLOC_TRIM_THRESHOLD_: String(2 ** 30),
}
/** Of these pairs our spread may be larger in so many, by luck: two equal ones are in more in 1 of 94 runs. */
const mostLarger = 12
const mostRounds = 8
const leastRounds = 2
/** A round is short beside the seconds for which a neighbour's load lasts, so that both meet the same. */
const leastSeconds = 0.1
/** An interquartile range of fewer would be theirs by luck. */
const leastCalls = 10
/** Of medians, and of our call path in a call of 10 µs (in %). */
const mostOff = 0.03
const mostOverhead = 2
/** Of the median: interquartile ranges below this differ by luck. */
const leastSpread = 0.01

/**
 * torch.utils.benchmark.Timer in C++, all cases in one module (compiling takes half a minute). The number of a case,
 * and seconds, on a line of stdin are answered by the median, the interquartile range (seconds) and the calls in a
 * block. What one process has compiled the next finds in the folder that is given: the name there is Python's hash of
 * the source, which has to be the same one each time, as its time of writing has. It makes the calls that we make:
 * through the dispatcher, on a stack, as torch.ops and TorchScript do, which takes some 50 ns more than at::relu(x) in
 * C++ and 2 % of a relu of 30,000 elements. The first case alone is at::relu(x), to tell that. Inputs are made once for
 * a case, as ours: the Timer runs its setup before each block.
 */
const timer = `
import json, os, sys, torch
from torch.utils.benchmark import Timer
from torch.utils.benchmark.utils import cpp_jit
cases = json.loads(sys.argv[1])
def value(given):
    return given if isinstance(given, str) else f"c10::IValue(int64_t{{{given}}})"
def prepared(number, case):
    name, _, overload = case["op"].partition(".")
    shape = ", ".join(map(str, case["shape"]))
    given = ", ".join(map(value, case["args"]))
    return f'''case {number}: x = at::randn({{{shape}}});
      if ({int("y" in case["args"])}) y = at::randn({{{shape}}});
      op = c10::Dispatcher::singleton().findSchemaOrThrow("{name}", "{overload}");
      args = {{{given}}}; break;'''
declared = """
#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <cstdlib>
#include <optional>
#include <string>
static at::Tensor x, y;
static std::optional<c10::OperatorHandle> op;
static std::vector<c10::IValue> args, stack;
static int which = 0;
static void prepare() {
  static std::string made;
  const std::string wanted = std::getenv("WHICH");
  if (wanted == made) return;
  made = wanted;
  which = std::atoi(wanted.c_str());
  args.clear();
  x = y = at::Tensor();
  switch (which) {
""" + "".join(prepared(*one) for one in enumerate(cases)) + """
  }
  const auto& all = op->schema().arguments();
  for (size_t i = args.size(); i < all.size(); ++i) args.push_back(*all[i].default_value());
}
static inline void body() {
  if (which == 0) { at::relu(x); return; }
  stack = args;
  op->callBoxed(stack);
  stack.clear();
}
"""
torch.set_num_threads(1)
cpp_jit._BUILD_ROOT = sys.argv[2]
load = cpp_jit.cpp_extension.load
def load_compiled(name, sources, **given):
    # It has just been written, as it was: ninja goes by when that was.
    os.utime(sources[0], (0, 0))
    return load(name, sources, **given)
cpp_jit.cpp_extension.load = load_compiled
# Making one asks ninja each time.
made = Timer("body();", "prepare();", declared, language="c++", num_threads=1)
for line in sys.stdin:
    os.environ["WHICH"], seconds = line.split()
    taken = made.blocked_autorange(min_run_time=float(seconds))
    print(json.dumps([taken.median, taken.iqr, taken.number_per_run]), flush=True)
`

/** The first and the last core that this process may run on. */
const [timedCore, ownCore] = ((): [string, string] => {
  const status = fs.readFileSync('/proc/self/status', 'utf8')
  const allowed = /^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? '0'
  return [/^\d+/.exec(allowed)?.[0] ?? '0', /\d+$/.exec(allowed)?.[0] ?? '0']
})()

/**
 * Keeps a process on a core. Either timed one would stay on a core of its own else, and for minutes one core may be a
 * third slower than the other: what shares it, outside of a virtual machine, is not seen from within. What asks them
 * keeps to another, or would be in the first calls of a round, before which the Timer warms up for longer than we do.
 */
function pin(pid: number | undefined, core: string): void {
  execFileSync('taskset', ['-a', '-c', '-p', core, String(pid)])
}

interface TimerAnswer {
  median: number
  spread: number
  calls: number
}

class TorchTimer {
  private readonly child
  private readonly lines

  /** @param compiled the folder of what was compiled */
  constructor(compiled: string) {
    this.child = spawn(python, ['-c', timer, JSON.stringify(cases), compiled], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, PYTHONHASHSEED: '0' },
    })
    this.lines = readline.createInterface(this.child.stdout)[Symbol.asyncIterator]()
  }

  get pid(): number | undefined {
    return this.child.pid
  }

  async time(index: number, seconds: number): Promise<TimerAnswer> {
    this.child.stdin.write(`${index} ${seconds}\n`)
    const answer = await this.lines.next()
    if (answer.done === true) throw new Error('torch.utils.benchmark.Timer has ended')
    const [median = 0, spread = 0, calls = 1] = JSON.parse(answer.value) as number[]
    return { median, spread, calls }
  }

  close(): void {
    this.child.kill()
  }
}

const limits = { timeout: 120, phase: 'timing' }

interface OurRound {
  /** Of one call, of each sample. */
  seconds: number[]
  /** In a sample. */
  calls: number
}

/** Ours on one set of inputs, the same for all samples, as the Timer has it. */
class OurTimer {
  private constructor(
    private readonly workbench: Workbench,
    private readonly opened: OpenedTiming,
  ) {}

  static async on(workbench: Workbench, { op, args, shape }: Case): Promise<OurTimer> {
    const inputs = {
      x: inputSpec.parse({ shape, seed: 0 }),
      ...(args.includes('y') ? { y: inputSpec.parse({ shape, seed: 1 }) } : {}),
    }
    const call = { op, args, inputs, direction: 'forward' as const, threads: 1 }
    const timed = { ...call, cold: false, fresh: false }
    return new OurTimer(workbench, unwrap(await workbench.hosts.call('timing.open', timed, limits)))
  }

  /** Of a round; a few calls of the slowest. */
  get seconds(): number {
    return Math.max(leastSeconds, leastCalls * this.opened.secondsPerCall)
  }

  get rounds(): number {
    return Math.max(leastRounds, Math.round((mostRounds * leastSeconds) / this.seconds))
  }

  async time(): Promise<OurRound> {
    const { handle, callsPerSample, secondsPerCall } = this.opened
    const count = Math.ceil(this.seconds / (secondsPerCall * callsPerSample))
    const { hosts } = this.workbench
    const { seconds } = unwrap(await hosts.call('timing.sample', { handle, count }, limits))
    return { seconds, calls: callsPerSample }
  }

  async close(): Promise<void> {
    await this.workbench.hosts.call('timing.close', { handles: [this.opened.handle] }, limits)
  }
}

/**
 * The interquartile range of blocks of as many calls as the Timer's. Our samples are shorter: what disturbs one of
 * them is spread over all calls of a longer block, so that blocks of 5 % fewer calls would be 5 % further apart. A
 * sample that two blocks share is a part of either.
 */
function spreadOf({ seconds, calls }: OurRound, callsInBlock: number): number {
  const samplesInBlock = Math.max(1, callsInBlock / calls)
  /** Seconds of so many samples, the last one in part. */
  const until = (samples: number): number => {
    const whole = Math.floor(samples)
    return (sums[whole] ?? NaN) + (samples - whole) * (seconds[whole] ?? 0)
  }
  const sums = [0]
  for (const [index, one] of seconds.entries()) sums.push((sums[index] ?? NaN) + one)
  const count = Math.floor(seconds.length / samplesInBlock)
  if (count === 0) throw new Error('a round is shorter than a block of the Timer')
  const blocks = Array.from(
    { length: count },
    (_, index) =>
      (until((index + 1) * samplesInBlock) - until(index * samplesInBlock)) / samplesInBlock,
  )
  return quantile(blocks, 0.75) - quantile(blocks, 0.25)
}

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`

/** Medians of each round against the Timer's of the same round, so that drift is in both. */
function medianVerdict(ours: readonly number[], theirs: readonly number[]): string {
  const ratios = ours.map((seconds, round) => seconds / (theirs[round] ?? Number.NaN))
  const off = quantile(ratios, 0.5) - 1
  return `${Math.abs(off) <= mostOff ? 'within' : 'NOT within'} ${percent(mostOff)}: ${percent(off)}`
}

/**
 * A sign test over the pairs of processes. Of one round the interquartile range is that of a few blocks, and says
 * little; the rounds of a pair share where its memory lies, so that they are one observation.
 */
function spreadVerdict({ ours, theirs, pairs }: Spreads, median: number): string {
  const isLarger = (pair: number): boolean => {
    const of = (spreads: number[]): number =>
      quantile(
        spreads.filter((_, round) => pairs[round] === pair),
        0.5,
      )
    return of(ours) > of(theirs)
  }
  const numbers = [...new Set(pairs)]
  const larger = numbers.filter(isLarger).length
  const [own, other] = [quantile(ours, 0.5), quantile(theirs, 0.5)]
  const parts = `${percent(own / median)} beside ${percent(other / median)} of the median, larger in ${larger} of ${numbers.length} pairs of processes`
  if (larger <= mostLarger) return `no larger: ${parts}`
  const isSmall = Math.max(own, other) < leastSpread * median
  return isSmall ? `both below ${percent(leastSpread)}: ${parts}` : `LARGER: ${parts}`
}

/** What was measured of a case, a number a round. */
interface Measured {
  ours: number[]
  theirs: number[]
  spreads: Spreads
}

interface Spreads {
  ours: number[]
  theirs: number[]
  /** Which processes each round was of. */
  pairs: number[]
}

function rowsOf({ name, unjudged }: Case, { ours, theirs, spreads }: Measured): Row[] {
  const what = 'torch.utils.benchmark.Timer, C++'
  const own = row(name, 's', ours, { name: what, samples: theirs })
  const range = row('  its interquartile range', 's', spreads.ours, {
    name: what,
    samples: spreads.theirs,
  })
  return [
    { ...own, verdict: unjudged ?? medianVerdict(ours, theirs) },
    { ...range, verdict: spreadVerdict(spreads, own.median) },
  ]
}

function callPath({ ours, theirs }: Measured): Row {
  const shares = ours.map((one, round) => (100 * (one - (theirs[round] ?? NaN))) / 1e-5)
  const verdict = quantile(shares, 0.5) < mostOverhead ? 'under' : 'NOT under'
  return {
    ...row('our call path, beside a C++ loop, of a call of 10 µs', '%', shares),
    verdict: `${verdict} ${mostOverhead} %`,
  }
}

/** Medians and interquartile ranges of ten operators beside torch.utils.benchmark.Timer's, taken in turn. */
export async function run(options: BenchmarkOptions): Promise<Row[]> {
  Object.assign(process.env, memory)
  const cache = makeTestCache()
  const workbench = new Workbench(testInstallation(cache), startForkedHost, {}, commandOptions)
  const compiled = path.join(cache.home, 'timer')
  fs.mkdirSync(compiled)
  let peer: TorchTimer | undefined
  const measured = cases.map((): Measured => ({
    ours: [],
    theirs: [],
    spreads: { ours: [], theirs: [], pairs: [] },
  }))
  try {
    await workbench.applySettings()
    pin(process.pid, ownCore)
    for (let pair = 0; pair < processPairs; pair += 1) {
      peer?.close()
      const started = new TorchTimer(compiled)
      peer = started
      pin(started.pid, timedCore)
      unwrap(await workbench.hosts.restart())
      pin(unwrap(await workbench.hosts.host()).pid, timedCore)
      for (const [index, given] of cases.entries()) {
        options.say(`${given.name}, processes ${pair + 1} of ${processPairs}`)
        const timer = await OurTimer.on(workbench, given)
        const { ours, theirs, spreads } = measured[index] as Measured
        const theirTime = (): Promise<TimerAnswer> => started.time(index, timer.seconds)
        for (let round = 0; round < timer.rounds; round += 1) {
          // A B, B A: what drifts does so for both.
          const before = round % 2 === 0 ? undefined : await theirTime()
          const own = await timer.time()
          const { median, spread, calls } = before ?? (await theirTime())
          ours.push(quantile(own.seconds, 0.5))
          spreads.ours.push(spreadOf(own, calls))
          theirs.push(median)
          spreads.theirs.push(spread)
          spreads.pairs.push(pair)
        }
        await timer.close()
      }
    }
    return cases.flatMap((given, index) => {
      const all = measured[index] as Measured
      return index === 0 ? [callPath(all)] : rowsOf(given, all)
    })
  } finally {
    peer?.close()
    await workbench.close()
    cache.remove()
  }
}
