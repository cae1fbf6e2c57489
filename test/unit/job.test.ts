import { beforeEach, describe, expect, it, vi } from 'vitest'

import { err, ok } from '../../electron/contract/outcome'
import type { Result } from '../../electron/contract/outcome'
import { runStamp, touched, withProgram } from '../../renderer/store/files'
import { createJob, type Job } from '../../renderer/store/job'
import { schemasStore } from '../../renderer/store/schemas'
import { connectMain, settled, type OpenWork } from '../support/main-process'
import { openInWindow } from '../support/open-in-window'

const main = connectMain()
let inMain: OpenWork<{ job: string }, string>

type Options = Omit<Parameters<typeof createJob<string, string, number>>[0], 'run' | 'kind'>

function jobOf(options: Options): Job<string, string, number> {
  return createJob<string, string, number>({
    kind: 'test',
    stamp: () => 'sources 1',
    ...options,
    run: (_input, { job }) => inMain.begin({ job }),
  })
}

/** Ends the work that runs. */
function finish(job: Job<string, string, number>, result: Result<string>): void {
  const { running } = job.store.getState()
  inMain.begun.find(({ input }) => input.job === running)?.end(result)
}

beforeEach(() => {
  inMain = main.openWork()
  openInWindow('/a')
})

describe('a job', () => {
  it('a job keeps the value of its work and the sources it is of', async () => {
    const job = jobOf({ latest: 'wins' })
    const work = job.run('x')
    expect(job.isRunning()).toBe(true)
    finish(job, ok('value'))
    expect(await work).toEqual(ok('value'))
    expect(job.store.getState()).toMatchObject({
      running: null,
      value: 'value',
      error: null,
      stamp: 'sources 1',
    })
  })

  it('work that begins with a value begins before the window can render it', async () => {
    const seen: unknown[] = []
    const job = jobOf({
      latest: 'wins',
      known: (value, input) => seen.push([value, input, job.store.getState().value]),
    })
    // As React does, which renders in the turn after a change.
    job.store.subscribe((now, before) => {
      if (now.value !== before.value) queueMicrotask(() => seen.push('rendered'))
    })
    const work = job.run('x')
    finish(job, ok('value'))
    await work
    expect(seen).toEqual([['value', 'x', 'value'], 'rendered'])
  })

  it('work is of the library in the op host, whatever is on disk by then', async () => {
    schemasStore.setState({ stamp: 'build 1' })
    const job = createJob<string, string>({
      kind: 'test',
      latest: 'wins',
      run: (_input, { job: name }) => inMain.begin({ job: name }),
    })
    const work = job.run('x')
    touched('op.cpp')
    inMain.begun.at(-1)?.end(ok('value'))
    await work
    expect(job.store.getState().stamp).toBe(withProgram('build 1'))
    expect(job.store.getState().stamp).not.toBe(runStamp())
    schemasStore.setState(schemasStore.getInitialState(), true)
  })

  it('a newer wish ends the running work, and only the newer value stays', async () => {
    const job = jobOf({ latest: 'wins' })
    const first = job.run('old')
    const second = job.run('new')
    await settled()
    expect(main.asked('job.cancel')).toHaveLength(1)
    finish(job, ok('new value'))
    await second
    expect(await first).toMatchObject({ ok: false })
    expect(job.store.getState().value).toBe('new value')
  })

  it('of several wishes that wait the last one is served', async () => {
    const job = jobOf({ latest: 'wins' })
    void job.run('first')
    const second = job.run('second')
    const third = job.run('third')
    await settled()
    finish(job, ok('third value'))
    expect(await second).toBeNull()
    expect(await third).toEqual(ok('third value'))
  })

  it('a job that refuses newer wishes lets the running work end', async () => {
    const job = jobOf({ latest: 'refused' })
    const first = job.run('first')
    expect(await job.run('second')).toBeNull()
    expect(main.asked('job.cancel')).toEqual([])
    finish(job, ok('first value'))
    expect(await first).toEqual(ok('first value'))
  })

  it('running work gets its patience before it is cancelled', async () => {
    const job = jobOf({ latest: 'wins', patience: 5_000 })
    const first = job.run('first')
    const second = job.run('second')
    await settled()
    expect(main.asked('job.cancel')).toEqual([])
    finish(job, ok('in time'))
    expect(await first).toEqual(ok('in time'))
    await settled()
    expect(main.asked('job.cancel')).toEqual([])
    finish(job, ok('second value'))
    expect(await second).toEqual(ok('second value'))
  })

  it('an answer that arrives after another project was opened is dropped and released', async () => {
    const release = vi.fn()
    const job = jobOf({ latest: 'wins', release })
    const work = job.run('x')
    openInWindow('/b')
    finish(job, ok('of the old project'))
    expect(await work).toBeNull()
    expect(job.store.getState()).toMatchObject({ running: null, value: null })
    expect(release).toHaveBeenCalledWith('of the old project')
  })

  it('an answer that is no longer wanted is dropped', async () => {
    let isAsked = true
    const job = jobOf({ latest: 'wins', isWanted: () => isAsked })
    const work = job.run('x')
    isAsked = false
    finish(job, ok('late'))
    expect(await work).toBeNull()
    expect(job.store.getState().value).toBeNull()
  })

  it('a stopped job keeps the value from before', async () => {
    const job = jobOf({ latest: 'wins' })
    const first = job.run('x')
    finish(job, ok('value'))
    await first
    const second = job.run('y')
    expect(job.store.getState().stopping).toBe(false)
    const stopped = job.stop()
    expect(job.store.getState().stopping).toBe(true)
    await stopped
    await second
    expect(job.store.getState()).toMatchObject({
      running: null,
      stopping: false,
      value: 'value',
      error: null,
    })
  })

  it('an error replaces the value, or stays next to it where the job keeps values', async () => {
    for (const keepsValue of [false, true]) {
      const job = jobOf({ latest: 'wins', keepsValue })
      const first = job.run('x')
      finish(job, ok('value'))
      await first
      const second = job.run('y')
      finish(job, err('operator.check', 'It failed.'))
      await second
      expect(job.store.getState().value).toBe(keepsValue ? 'value' : null)
      expect(job.store.getState().error?.message).toBe('It failed.')
    }
  })

  it('a value that another one replaces is released', async () => {
    const release = vi.fn()
    const job = jobOf({ latest: 'wins', release })
    for (const value of ['first', 'second']) {
      const work = job.run(value)
      finish(job, ok(value))
      await work
    }
    expect(release.mock.calls).toEqual([['first']])
  })

  it('progress comes only from events about this job', async () => {
    const job = jobOf({
      latest: 'wins',
      progress: { event: 'build.progressed', read: ({ done }) => done },
    })
    void job.run('x')
    const id = job.store.getState().running ?? ''
    main.send('build.progressed', { job: 'another', done: 7, steps: 9, running: [], errors: [] })
    expect(job.store.getState().progress).toBeNull()
    main.send('build.progressed', { job: id, done: 3, steps: 9, running: [], errors: [] })
    expect(job.store.getState().progress).toBe(3)
    finish(job, ok('done'))
    await settled()
  })

  it('a reset forgets everything, and work that still runs does not come back', async () => {
    const job = jobOf({ latest: 'wins' })
    const work = job.run('x')
    const id = job.store.getState().running ?? ''
    job.reset()
    expect(main.asked('job.cancel')).toEqual([{ job: id }])
    expect(await work).toBeNull()
    expect(job.store.getState()).toMatchObject({ running: null, value: null, stamp: null })
  })

  it('a job without a project does nothing', async () => {
    openInWindow(null)
    const job = jobOf({ latest: 'wins' })
    expect(await job.run('x')).toBeNull()
    expect(job.isRunning()).toBe(false)
  })
})
