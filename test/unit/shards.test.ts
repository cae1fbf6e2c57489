import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { err, ok, unwrap } from '../../electron/contract/outcome'
import type { Shard } from '../../electron/contract/shards'
import { RunFollower } from '../../electron/engine/shards/follow-run'
import type { FollowEvent } from '../../electron/engine/shards/follow-run'
import { JournalReader, JournalWriter } from '../../electron/engine/shards/journal'
import { createRun, listRuns, openRun } from '../../electron/engine/shards/run-folder'
import type { Nodes } from '../../electron/engine/shards/nodes'
import type { RunFolder } from '../../electron/engine/shards/run-folder'
import { workerEvent } from '../../electron/contract/shards'
import { FakeNodes } from '../support/fake-nodes'
import type { Performance } from '../support/fake-nodes'

let home: string
beforeAll(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-shards-'))
})
afterAll(() => {
  fs.rmSync(home, { recursive: true, force: true })
})

async function newRun(count: number, jobs: number): Promise<RunFolder> {
  const shards = Array.from({ length: count }, (_, index): Shard => ({
    name: `shard ${index}`,
    work: index,
  }))
  const place = { kind: 'slurm' as const, options: [], opsmith: ['opsmith'] }
  return unwrap(
    await createRun(
      home,
      {
        version: '1',
        verb: 'bench',
        title: 'bench test',
        project: home,
        place,
        jobs,
        allowsSandbox: true,
        answer: { format: 'text', baseline: '', failAbove: 1 },
      },
      shards,
    ),
  )
}

const follow = (
  run: RunFolder,
  nodes: FakeNodes,
  more: { signal?: AbortSignal; onEvent?: (event: FollowEvent) => void } = {},
): RunFollower => new RunFollower(run, nodes, { lookTime: 2, ...more })

/** How often each shard was performed. */
function counted(perform: Performance): { perform: Performance; counts: Map<unknown, number> } {
  const counts = new Map<unknown, number>()
  return {
    counts,
    perform: (shard, job) => {
      counts.set(shard.work, (counts.get(shard.work) ?? 0) + 1)
      return perform(shard, job)
    },
  }
}

const square: Performance = ({ work }) => ok(Number(work) ** 2)

async function values(run: RunFolder): Promise<unknown[]> {
  const found: unknown[] = []
  for (let index = 0; index < run.manifest.shards; index += 1) {
    const result = await run.readResult(index)
    found.push(result?.outcome.ok ? result.outcome.value : undefined)
  }
  return found
}

describe('a run of shards', () => {
  it('1,000 shards on 8 nodes are done once each, and cost the engine less than 20 ms each', async () => {
    const run = await newRun(1000, 8)
    const { perform, counts } = counted(square)
    const nodes = new FakeNodes(perform)
    const events: FollowEvent[] = []
    const before = process.cpuUsage()
    const summary = unwrap(
      await follow(run, nodes, { onEvent: (event) => events.push(event) }).follow(),
    )
    const { user, system } = process.cpuUsage(before)
    expect(summary.failed.size).toBe(0)
    expect(await values(run)).toEqual(Array.from({ length: 1000 }, (_, index) => index ** 2))
    expect([...counts.values()]).toEqual(Array.from({ length: 1000 }, () => 1))
    const results = events.flatMap((event) => (event.kind === 'result' ? [event.shard] : []))
    expect(new Set(results).size).toBe(1000)
    expect(nodes.submissions).toEqual([8])
    // Both sides of it: the nodes are in this process.
    expect((user + system) / 1000 / 1000).toBeLessThan(20)
  }, 300_000)

  it('a job whose worker has come does not wait, also if the queue was asked before that', async () => {
    const run = await newRun(4, 2)
    const nodes = new FakeNodes(square)
    const waiting = { kind: 'waiting', lives: 1, note: 'the nodes are busy' } as const
    /** Asked once, when all jobs wait. */
    const queue: Nodes = {
      pause: 1e9,
      submit: (folder, count) => nodes.submit(folder, count),
      cancel: (folder, jobs) => nodes.cancel(folder, jobs),
      states: (_folder, jobs) =>
        Promise.resolve(ok(new Map(jobs.map((job) => [job, waiting] as const)))),
    }
    const notes: string[] = []
    const onEvent = (event: FollowEvent): void => {
      if (event.kind === 'waiting') notes.push(event.note)
    }
    unwrap(await new RunFollower(run, queue, { lookTime: 2, onEvent }).follow())
    // There is no note at all if both have come before the queue is asked.
    expect(notes.at(-1) ?? '').toBe('')
  })

  it('a shard whose worker died is done once more, by another worker', async () => {
    const run = await newRun(40, 4)
    let deaths = 0
    const { perform, counts } = counted((shard, job) => {
      if (Number(shard.work) % 10 !== 3 || deaths >= 4) return square(shard, job)
      deaths += 1
      return 'dies'
    })
    const events: FollowEvent[] = []
    const nodes = new FakeNodes(perform)
    const summary = unwrap(
      await follow(run, nodes, { onEvent: (event) => events.push(event) }).follow(),
    )
    expect(summary.failed.size).toBe(0)
    expect(await values(run)).not.toContain(undefined)
    expect(deaths).toBe(4)
    expect([...counts.values()].reduce((sum, one) => sum + one, 0)).toBe(44)
    const died = events.filter(({ kind }) => kind === 'died')
    expect(died).toHaveLength(4)
    expect(died[0]).toMatchObject({ reason: 'the node failed: n1', isLast: false })
  })

  it('a shard that died twice is named with the reason, and the others are done', async () => {
    const run = await newRun(20, 3)
    const { perform, counts } = counted((shard, job) =>
      shard.work === 7 ? 'dies' : square(shard, job),
    )
    const nodes = new FakeNodes(perform, 'the job reached its time limit (00:10:00) on node n2')
    const summary = unwrap(await follow(run, nodes).follow())
    expect([...summary.failed]).toEqual([
      [7, 'the job reached its time limit (00:10:00) on node n2'],
    ])
    expect(counts.get(7)).toBe(2)
    expect((await values(run)).filter((value) => value === undefined)).toHaveLength(1)
  })

  it('whoever takes a run over repeats no shard that has ended, and knows what died before', async () => {
    const run = await newRun(30, 2)
    const { perform, counts } = counted(async (shard, job) => {
      await new Promise((resolve) => setImmediate(resolve))
      return shard.work === 4 ? 'dies' : square(shard, job)
    })
    const nodes = new FakeNodes(perform)
    const leave = new AbortController()
    const left = await follow(run, nodes, {
      signal: leave.signal,
      onEvent: (event) => {
        if (event.kind === 'died') leave.abort()
      },
    }).follow()
    expect(left).toMatchObject({ ok: false, error: { code: 'cancelled' } })
    const again = unwrap(await openRun(run.folder))
    expect((await listRuns(home)).map(({ manifest }) => manifest.id)).toContain(run.manifest.id)
    const summary = unwrap(await follow(again, nodes).follow())
    expect([...summary.failed.keys()]).toEqual([4])
    expect(counts.get(4)).toBe(2)
    const others = [...counts].filter(([work]) => work !== 4)
    expect(others.map(([, count]) => count)).toEqual(others.map(() => 1))
    // A third one starts nothing, and finds the same.
    const before = nodes.submissions.length
    expect([...unwrap(await follow(again, nodes).follow()).failed.keys()]).toEqual([4])
    expect(nodes.submissions).toHaveLength(before)
  })

  it('a node that cannot work does not use up the shards, and the answer says what is wrong with it', async () => {
    const run = await newRun(50, 2)
    const { perform, counts } = counted((shard, job) =>
      job.endsWith('_0') && job.startsWith('1-')
        ? err('host.unavailable', 'The op host could not be started.')
        : square(shard, job),
    )
    const events: FollowEvent[] = []
    const nodes = new FakeNodes(perform)
    unwrap(await follow(run, nodes, { onEvent: (event) => events.push(event) }).follow())
    expect(await values(run)).not.toContain(undefined)
    expect([...counts.values()].reduce((sum, one) => sum + one, 0)).toBe(51)
    expect(events).toContainEqual({
      kind: 'died',
      shard: 0,
      reason: 'node n0: The op host could not be started.',
      isLast: false,
    })
  })

  it('workers that cannot begin end the run with their reason', async () => {
    const run = await newRun(5, 2)
    const nodes = new FakeNodes(square)
    nodes.submit = (_run, count) => {
      nodes.submissions.push(count)
      const job = `dead-${nodes.submissions.length}`
      nodes.ended.set(job, {
        kind: 'ended',
        lives: 1,
        isCancelled: false,
        reason: 'the worker failed on node n1: exit code 127',
      })
      return Promise.resolve(ok([job]))
    }
    nodes.states = () => Promise.resolve(ok(nodes.ended))
    const ended = await follow(run, nodes).follow()
    expect(ended).toMatchObject({
      ok: false,
      error: {
        code: 'target.unavailable',
        message:
          'No worker could start a shard (a part of the run): the worker failed on node n1: exit code 127.',
      },
    })
    expect(nodes.submissions).toHaveLength(2)
  })

  it('an error of a shard is its result', async () => {
    const run = await newRun(2, 1)
    const nodes = new FakeNodes(() => err('input.invalid', 'x has no elements.'))
    unwrap(await follow(run, nodes).follow())
    expect((await run.readResult(1))?.outcome).toEqual({
      ok: false,
      error: { code: 'input.invalid', message: 'x has no elements.' },
    })
  })

  it('NaN and infinities of a result come back', async () => {
    const run = await newRun(1, 1)
    const value = { a: Number.NaN, b: [Infinity, -Infinity], c: 0.5 }
    unwrap(await follow(run, new FakeNodes(() => ok(value))).follow())
    expect(await values(run)).toEqual([value])
  })

  it('a run that is stopped begins no more shards', async () => {
    const run = await newRun(500, 2)
    const { perform, counts } = counted(async (shard, job) => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      return square(shard, job)
    })
    const nodes = new FakeNodes(perform)
    const follower = follow(run, nodes, {
      onEvent: (event) => {
        if (event.kind === 'result' && event.done === 20) void follower.stop()
      },
    })
    expect(await follower.follow()).toMatchObject({
      ok: false,
      error: { message: 'The run was stopped.' },
    })
    const { size } = counts
    expect(size).toBeLessThan(500)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(counts.size).toBeLessThanOrEqual(size + 2)
  })

  it('a journal that is read while a line is written loses nothing', async () => {
    const file = path.join(home, 'half.jsonl')
    const reader = new JournalReader(file, workerEvent)
    expect(await reader.read()).toEqual([])
    fs.writeFileSync(file, '{"event":"finished","shard":1}\n\n{"event":"fin')
    expect(await reader.read()).toEqual([{ event: 'finished', shard: 1 }])
    fs.appendFileSync(file, 'ished","shard":2}\n')
    expect(await reader.read()).toEqual([{ event: 'finished', shard: 2 }])
  })

  it('a journal whose last line was cut off is written on', async () => {
    const file = path.join(home, 'cut.jsonl')
    fs.writeFileSync(file, '{"event":"finished","shard":1}\n{"event":"fin')
    await new JournalWriter(file).add({ event: 'finished', shard: 2 })
    expect(await new JournalReader(file, workerEvent).read()).toEqual([
      { event: 'finished', shard: 1 },
      { event: 'finished', shard: 2 },
    ])
  })
})
