import { beforeEach, describe, expect, it, vi } from 'vitest'

import { ok, type Result } from '../../electron/contract/outcome'
import { createJob, createLane, type Job } from '../../renderer/store/job'
import { connectMain, settled, type OpenWork } from '../support/main-process'
import { openInWindow } from '../support/open-in-window'

const main = connectMain()
let work: OpenWork<{ job: string }, string>

beforeEach(() => {
  work = main.openWork()
  openInWindow('/project')
})

const run = (_: string, { job }: { job: string }): Promise<Result<string>> => work.begin({ job })

describe('jobs that share a lane', () => {
  const twoJobs = (): { first: Job<string, string>; second: Job<string, string> } => {
    const lane = createLane()
    return {
      first: createJob<string, string>({ kind: 'first', latest: 'wins', lane, patience: 20, run }),
      second: createJob<string, string>({
        kind: 'second',
        latest: 'wins',
        lane,
        patience: 20,
        run,
      }),
    }
  }

  it('wait for one another, and take the value of what ends in time', async () => {
    const { first, second } = twoJobs()
    const before = first.run('a')
    const after = second.run('b')
    await settled()
    expect(work.begun.map(({ input }) => input.job.split('-')[0])).toEqual(['first'])
    work.succeed('of the first')
    await settled()
    work.succeed('of the second')
    expect(await before).toEqual(ok('of the first'))
    expect(await after).toEqual(ok('of the second'))
  })

  it('end what another runs when it takes longer than the patience', async () => {
    const { first, second } = twoJobs()
    const before = first.run('a')
    const after = second.run('b')
    expect(await before).toMatchObject({ ok: false, error: { code: 'cancelled' } })
    await settled()
    work.succeed('of the second')
    expect(await after).toEqual(ok('of the second'))
  })

  it('refuse a wish while another runs, when they are told to', async () => {
    const lane = createLane()
    const first = createJob<string, string>({ kind: 'first', latest: 'wins', lane, run })
    const second = createJob<string, string>({ kind: 'second', latest: 'refused', lane, run })
    const running = first.run('a')
    expect(await second.run('b')).toBeNull()
    work.succeed('done')
    await running
    const later = second.run('b')
    work.succeed('later')
    expect(await later).toEqual(ok('later'))
  })
})

describe('wishes of equal keys', () => {
  it('are one piece of work', async () => {
    const job = createJob<string, string>({ kind: 'k', latest: 'wins', key: (text) => text, run })
    const results = [job.run('a'), job.run('a')]
    work.succeed('done')
    expect(await Promise.all(results)).toEqual([ok('done'), ok('done')])
    expect(work.begun).toHaveLength(1)
  })

  it('are asked again after a stop, and after the first has ended', async () => {
    const job = createJob<string, string>({ kind: 'k', latest: 'wins', key: (text) => text, run })
    const first = job.run('a')
    await job.stop()
    expect(await first).toMatchObject({ ok: false, error: { code: 'cancelled' } })
    const second = job.run('a')
    await settled()
    work.succeed('second')
    expect(await second).toEqual(ok('second'))
    void job.run('a')
    expect(work.begun).toHaveLength(3)
  })
})

describe('a value', () => {
  it('arrives before it is shown, and the one before is released after it is replaced', async () => {
    const seen: string[] = []
    const shown = (): string => job.store.getState().value ?? 'nothing'
    const job: Job<string, string> = createJob<string, string>({
      kind: 'v',
      latest: 'wins',
      run: (text) => Promise.resolve(ok(text)),
      arrived: (value) => seen.push(`${value} arrives, ${shown()} is shown`),
      release: (value) => seen.push(`${value} is released, ${shown()} is shown`),
    })
    await job.run('first')
    await job.run('second')
    expect(seen).toEqual([
      'first arrives, nothing is shown',
      'second arrives, first is shown',
      'first is released, second is shown',
    ])
  })

  it('is for nobody once a newer wish waits', async () => {
    const newest = vi.fn<(isNewest: boolean) => void>()
    const job = createJob<string, string>({
      kind: 'n',
      latest: 'wins',
      patience: 1_000,
      run: async (text, { job: name, isNewest }) => {
        const result = await work.begin({ job: name })
        newest(isNewest())
        return result.ok ? ok(text) : result
      },
    })
    void job.run('old')
    const second = job.run('new')
    work.succeed('')
    await settled()
    work.succeed('')
    await second
    expect(newest.mock.calls).toEqual([[false], [true]])
  })
})
