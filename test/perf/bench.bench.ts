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
  /** The same call in C++, for the Timer. */
  cpp: string
}

const cases: Case[] = [
  // Hardly any work: what is more than the Timer's is the cost of our call path.
  { op: 'aten::relu', args: ['x'], shape: [10], cpp: 'at::relu(x)' },
  { op: 'aten::sigmoid', args: ['x'], shape: [1000], cpp: 'at::sigmoid(x)' },
  { op: 'aten::softmax.int', args: ['x', -1], shape: [32, 64], cpp: 'at::softmax(x, -1)' },
  // Of 100,000 elements, input and output just fill a cache of 1 MB: with either timer the time then depends
  // on where the process's pages lie, by 5 % from one process to the next.
  { op: 'aten::relu', args: ['x'], shape: [30_000], cpp: 'at::relu(x)' },
  { op: 'aten::mm', args: ['x', 'y'], shape: [128, 128], cpp: 'at::mm(x, y)' },
  { op: 'aten::cumsum', args: ['x', 0], shape: [100_000], cpp: 'at::cumsum(x, 0)' },
  { op: 'aten::sigmoid', args: ['x'], shape: [1_000_000], cpp: 'at::sigmoid(x)' },
  { op: 'aten::mm', args: ['x', 'y'], shape: [512, 512], cpp: 'at::mm(x, y)' },
  { op: 'aten::sort', args: ['x'], shape: [200_000], cpp: 'at::sort(x)' },
  { op: 'aten::exp', args: ['x'], shape: [20_000_000], cpp: 'at::exp(x)' },
  { op: 'aten::mm', args: ['x', 'y'], shape: [1536, 1536], cpp: 'at::mm(x, y)' },
].map((one) => ({ ...one, name: `${one.op} of [${one.shape.join(', ')}]` }))

const rounds = 9
const secondsPerRound = 0.3
/** Of medians, and of our call path in a call of 10 µs (in %). */
const mostOff = 0.03
const mostOverhead = 2
/** Of the median: interquartile ranges below this differ by luck. */
const leastSpread = 0.01

/**
 * torch.utils.benchmark.Timer in C++, all cases in one module (compiling takes half a minute): the
 * number of a case on a line of stdin is answered by the median and the interquartile range, in seconds.
 */
const timer = `
import json, os, sys, torch
from torch.utils.benchmark import Timer
cases = json.loads(sys.argv[1])
body = "".join(f"case {i}: {case['cpp']}; break;" for i, case in enumerate(cases))
shapes = "".join(f"case {i}: return {{{', '.join(map(str, case['shape']))}}};" for i, case in enumerate(cases))
declared = f"""
#include <ATen/ATen.h>
#include <cstdlib>
static at::Tensor x, y;
static int which = 0;
static std::vector<int64_t> shape() {{ switch (which) {{ {shapes} }} return {{}}; }}
static inline void body() {{ switch (which) {{ {body} }} }}
"""
setup = 'which = std::atoi(std::getenv("WHICH")); x = at::randn(shape()); y = at::randn(shape());'
torch.set_num_threads(1)
for line in sys.stdin:
    os.environ["WHICH"] = line.strip()
    made = Timer("body();", setup, declared, language="c++", num_threads=1)
    taken = made.blocked_autorange(min_run_time=${secondsPerRound})
    print(json.dumps([taken.median, taken.iqr]), flush=True)
`

class TorchTimer {
  private readonly child = spawn(python, ['-c', timer, JSON.stringify(cases)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  private readonly lines = readline.createInterface(this.child.stdout)[Symbol.asyncIterator]()

  async time(index: number): Promise<{ median: number; spread: number }> {
    this.child.stdin.write(`${index}\n`)
    const answer = await this.lines.next()
    if (answer.done === true) throw new Error('torch.utils.benchmark.Timer has ended')
    const [median = 0, spread = 0] = JSON.parse(answer.value) as number[]
    return { median, spread }
  }

  close(): void {
    this.child.kill()
  }
}

type Limits = { timeout: number; phase: string }

/**
 * One round of ours: inputs made anew, as the Timer's setup does, then the same for all samples, as the
 * Timer has it.
 */
async function ourRound(workbench: Workbench, given: Case, limits: Limits): Promise<number[]> {
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
  return taken.seconds
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
        const seconds = await ourRound(workbench, given, limits)
        ours.push(quantile(seconds, 0.5))
        spreads.ours.push(quantile(seconds, 0.75) - quantile(seconds, 0.25))
        const { median, spread } = await peer.time(index)
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
        { ...own, verdict: medianVerdict(ours, theirs) },
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
