import { spawn } from 'node:child_process'
import readline from 'node:readline'

import { inputSpec } from '../../electron/contract/manifest'
import { unwrap } from '../../electron/contract/outcome'
import { startForkedHost } from '../../electron/engine/host/transport'
import { Workbench } from '../../electron/engine/workbench'
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
  // Its output of 80 MB is mapped anew for each call, as glibc does from 32 MB on. Most of the time is
  // the system's, for 19,532 page faults: 1.6 µs each where a process gets the pages back that it has
  // just given up, 1.8 to 1.9 µs where it made another such tensor meanwhile.
  {
    ...{ op: 'aten::exp', args: ['x'], shape: [20_000_000] },
    unjudged: 'not judged: most of it is the system’s time for new pages',
  },
].map((one) => ({ ...one, name: `${one.op} of [${one.shape.join(', ')}]` }))

const rounds = 9
const secondsPerRound = 0.3
/** Of medians, and of our call path in a call of 10 µs (in %). */
const mostOff = 0.03
const mostOverhead = 2
/** Of the median: interquartile ranges below this differ by luck. */
const leastSpread = 0.01

/**
 * torch.utils.benchmark.Timer in C++, all cases in one module (compiling takes half a minute): the numbers
 * of a case and a round on a line of stdin are answered by the median, the interquartile range (seconds) and
 * the calls in a block. It makes the calls that we make: through the dispatcher, on a stack, as torch.ops and TorchScript
 * do, which takes some 50 ns more than at::relu(x) in C++ and 2 % of a relu of 30,000 elements. The first
 * case alone is at::relu(x), to tell that. Inputs are made once a round, as ours: the Timer runs its setup
 * before each block.
 */
const timer = `
import json, os, sys, torch
from torch.utils.benchmark import Timer
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
for line in sys.stdin:
    os.environ["WHICH"] = line.strip()
    made = Timer("body();", "prepare();", declared, language="c++", num_threads=1)
    taken = made.blocked_autorange(min_run_time=${secondsPerRound})
    print(json.dumps([taken.median, taken.iqr, taken.number_per_run]), flush=True)
`

interface TimerAnswer {
  median: number
  spread: number
  calls: number
}

class TorchTimer {
  private readonly child = spawn(python, ['-c', timer, JSON.stringify(cases)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  private readonly lines = readline.createInterface(this.child.stdout)[Symbol.asyncIterator]()

  async time(index: number, round: number): Promise<TimerAnswer> {
    this.child.stdin.write(`${index} ${round}\n`)
    const answer = await this.lines.next()
    if (answer.done === true) throw new Error('torch.utils.benchmark.Timer has ended')
    const [median = 0, spread = 0, calls = 1] = JSON.parse(answer.value) as number[]
    return { median, spread, calls }
  }

  close(): void {
    this.child.kill()
  }
}

type Limits = { timeout: number; phase: string }

interface OurRound {
  /** Of one call, of each sample. */
  seconds: number[]
  /** In a sample. */
  calls: number
}

/** One round of ours: inputs made anew, then the same for all samples, as the Timer has it. */
async function ourRound(workbench: Workbench, given: Case, limits: Limits): Promise<OurRound> {
  const { op, args, shape } = given
  const inputs = {
    x: inputSpec.parse({ shape, seed: 0 }),
    ...(args.includes('y') ? { y: inputSpec.parse({ shape, seed: 1 }) } : {}),
  }
  const call = { op, args, inputs, direction: 'forward' as const, threads: 1 }
  const timed = { ...call, cold: false, fresh: false }
  const opened = unwrap(await workbench.hosts.call('bench.open', timed, limits))
  const each = opened.secondsPerCall * opened.callsPerSample
  const count = Math.max(5, Math.round(secondsPerRound / each))
  const input = { handle: opened.handle, count }
  const taken = unwrap(await workbench.hosts.call('bench.sample', input, limits))
  await workbench.hosts.call('bench.close', { handles: [opened.handle] }, limits)
  return { seconds: taken.seconds, calls: opened.callsPerSample }
}

/**
 * The interquartile range of blocks of as many calls as the Timer's. Our samples are shorter: what disturbs
 * one of them is spread over all calls of a longer block.
 */
function spreadOf({ seconds, calls }: OurRound, callsInBlock: number): number {
  const each = Math.max(1, Math.round(callsInBlock / calls))
  const blocks = Array.from({ length: Math.floor(seconds.length / each) }, (_, index) => {
    const block = seconds.slice(index * each, (index + 1) * each)
    return block.reduce((sum, one) => sum + one, 0) / each
  })
  return quantile(blocks, 0.75) - quantile(blocks, 0.25)
}

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`

/** Medians of each round against the Timer's of the same round, so that drift is in both. */
function medianVerdict(ours: readonly number[], theirs: readonly number[]): string {
  const ratios = ours.map((seconds, round) => seconds / (theirs[round] ?? Number.NaN))
  const off = quantile(ratios, 0.5) - 1
  return `${Math.abs(off) <= mostOff ? 'within' : 'NOT within'} ${percent(mostOff)}: ${percent(off)}`
}

function spreadVerdict(ours: number, theirs: number, median: number): string {
  const parts = `${percent(ours / median)} beside ${percent(theirs / median)} of the median`
  if (ours <= theirs) return `no larger: ${parts}`
  const isSmall = ours < leastSpread * median
  return isSmall ? `both below ${percent(leastSpread)}: ${parts}` : `LARGER: ${parts}`
}

/** Medians and interquartile ranges of ten operators beside torch.utils.benchmark.Timer's, taken in turn. */
export async function run(options: BenchmarkOptions): Promise<Row[]> {
  const cache = makeTestCache()
  const workbench = new Workbench(
    testInstallation(cache),
    startForkedHost,
    {},
    { keepSpare: false },
  )
  const peer = new TorchTimer()
  const rows: Row[] = []
  const limits = { timeout: 120, phase: 'timing' }
  try {
    await workbench.applySettings()
    for (const [index, given] of cases.entries()) {
      options.say(given.name)
      const ours: number[] = []
      const theirs: number[] = []
      const spreads: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] }
      for (let round = 0; round < rounds; round += 1) {
        const own = await ourRound(workbench, given, limits)
        ours.push(quantile(own.seconds, 0.5))
        const { median, spread, calls } = await peer.time(index, round)
        spreads.ours.push(spreadOf(own, calls))
        theirs.push(median)
        spreads.theirs.push(spread)
      }
      if (index === 0) {
        const overhead = ours.map((one, round) => (one - (theirs[round] ?? NaN)) / 1e-5)
        const shares = overhead.map((share) => 100 * share)
        const verdict = quantile(shares, 0.5) < mostOverhead ? 'under' : 'NOT under'
        rows.push({
          ...row('our call path, beside a C++ loop, of a call of 10 µs', '%', shares),
          verdict: `${verdict} ${mostOverhead} %`,
        })
        continue
      }
      const what = 'torch.utils.benchmark.Timer, C++'
      const own = row(given.name, 's', ours, { name: what, samples: theirs })
      const range = row('  its interquartile range', 's', spreads.ours, {
        name: what,
        samples: spreads.theirs,
      })
      rows.push(
        { ...own, verdict: given.unjudged ?? medianVerdict(ours, theirs) },
        { ...range, verdict: spreadVerdict(range.median, range.peerMedian ?? 0, own.median) },
      )
    }
    return rows
  } finally {
    peer.close()
    await workbench.close()
    cache.remove()
  }
}
