import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import v8 from 'node:v8'
import vm from 'node:vm'

import { ok, unwrap } from '../../electron/contract/outcome'
import { RunFollower } from '../../electron/engine/shards/follow-run'
import { createRun } from '../../electron/engine/shards/run-folder'
import { FakeNodes } from '../support/fake-nodes'
import { judged, row } from './measure'
import type { BenchmarkOptions, Row } from './measure'

const count = 10_000
const nodes = 32
/** One of so many shards loses its worker at the first attempt. */
const deathEach = 500

/** Goals: milliseconds of CPU time for a shard, and bytes by which the memory may grow from the first fifth to the end. */
const mostTime = 20
const mostGrowth = 8 << 20

/** What 10,000 shards over simulated nodes cost; the nodes are in this process, so their part counts too. */
export async function run(options: BenchmarkOptions): Promise<Row[]> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-shards-'))
  const rounds = options.rounds ?? 1
  const times: number[] = []
  const growths: number[] = []
  const lost: number[] = []
  try {
    for (let round = 0; round < rounds; round += 1) {
      options.say(`${count} shards, ${nodes} nodes`)
      const made = await manyShards(home)
      times.push(made.milliseconds)
      growths.push(made.growth / 2 ** 20)
      lost.push(made.lost)
    }
  } finally {
    fs.rmSync(home, { recursive: true, force: true })
  }
  return [
    judged(row('CPU time of the engine for a shard', 'ms', times), times, { goal: mostTime }),
    judged(row(`memory that ${count} shards leave`, 'MiB', growths), growths.map(Math.abs), {
      goal: mostGrowth / 2 ** 20,
    }),
    judged(row('results that are missing', '', lost), lost, { goal: 0 }),
  ]
}

/** Bytes of what is still needed. */
function memory(): number {
  v8.setFlagsFromString('--expose-gc')
  const collect = vm.runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}

async function manyShards(
  home: string,
): Promise<{ milliseconds: number; growth: number; lost: number }> {
  const place = { kind: 'slurm' as const, options: [], opsmith: ['opsmith'] }
  const shards = Array.from({ length: count }, (_, work) => ({ name: `shard ${work}`, work }))
  const made = unwrap(
    await createRun(
      home,
      {
        version: '1',
        verb: 'bench',
        title: 'perf',
        project: home,
        place,
        jobs: nodes,
        allowsSandbox: true,
        answer: { format: 'text', baseline: '', failAbove: 1 },
      },
      shards,
    ),
  )
  const died = new Set<unknown>()
  const simulated = new FakeNodes(({ work }) => {
    if (Number(work) % deathEach !== 1 || died.has(work)) return ok({ rows: [work] })
    died.add(work)
    return 'dies'
  })
  let early = 0
  const before = process.cpuUsage()
  const follower = new RunFollower(made, simulated, {
    onEvent: (event) => {
      if (event.kind === 'result' && event.done === count / 5) early = memory()
    },
  })
  const summary = unwrap(await follower.follow())
  const { user, system } = process.cpuUsage(before)
  const growth = memory() - early
  const missing = await Promise.all(shards.map(async ({ work }) => await made.readResult(work)))
  const lost = missing.filter((result) => result?.outcome.ok !== true).length
  fs.rmSync(made.folder, { recursive: true })
  return { milliseconds: (user + system) / 1000 / count, growth, lost: lost + summary.failed.size }
}
