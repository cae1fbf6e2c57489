import { beforeEach, describe, expect, it } from 'vitest'

import { err, ok } from '../../electron/contract/outcome'
import { createJob, createLane, type Outcome } from '../../renderer/store/job'
import { connectMain, settled } from '../support/main-process'
import { openInWindow } from '../support/open-in-window'

const main = connectMain()
beforeEach(() => {
  openInWindow('/project')
})

/** A job whose runs end when the test says so. */
function controlled(
  options: Partial<Parameters<typeof createJob<string, string, string>>[0]> = {},
): {
  job: ReturnType<typeof createJob<string, string, string>>
  ends: ((outcome: Outcome<string>) => void)[]
} {
  const ends: ((outcome: Outcome<string>) => void)[] = []
  const job = createJob<string, string, string>({
    kind: 'test',
    latest: 'wins',
    run: () => new Promise((resolve) => ends.push(resolve)),
    ...options,
  })
  return { job, ends }
}

describe('a job', () => {
  it('keeps what was done before it was stopped, without an error', async () => {
    const { job, ends } = controlled()
    job.set({ value: 'before' })
    const run = job.run('a')
    ends[0]?.({ ...err('cancelled', 'Stopped.'), partial: 'half' })
    await run
    expect(job.store.getState()).toMatchObject({ value: 'half', error: null, running: null })
  })

  it('keeps what was done before it failed, with the error', async () => {
    const { job, ends } = controlled({ keepsValue: true })
    const run = job.run('a')
    ends[0]?.({ ...err('io', 'Disk full.'), partial: 'half' })
    await run
    expect(job.store.getState().value).toBe('half')
    expect(job.store.getState().error?.code).toBe('io')
  })

  it('frees a part of a result that is not wanted any more', async () => {
    const freed: string[] = []
    const { job, ends } = controlled({ release: (value) => freed.push(value) })
    const run = job.run('a')
    openInWindow('/other')
    ends[0]?.({ ...err('cancelled', 'Stopped.'), partial: 'half' })
    expect(await run).toBeNull()
    expect(freed).toEqual(['half'])
    expect(job.store.getState().value).toBeNull()
  })

  it('that overtakes begins at once, and drops the older answer whenever it comes', async () => {
    const { job, ends } = controlled({ latest: 'overtakes' })
    const older = job.run('a')
    const newer = job.run('b')
    await settled()
    expect(ends).toHaveLength(2)
    ends[1]?.(ok('new'))
    expect(await newer).toEqual(ok('new'))
    ends[0]?.(ok('old'))
    expect(await older).toBeNull()
    expect(job.store.getState().value).toBe('new')
    expect(main.asked('job.cancel')).toHaveLength(0)
  })

  it('of the machine runs without a project, and its result outlives one', async () => {
    openInWindow(null)
    const { job, ends } = controlled({ anyProject: true })
    const run = job.run('a')
    openInWindow('/other')
    ends[0]?.(ok('found'))
    await run
    expect(job.store.getState().value).toBe('found')
    const bound = controlled()
    openInWindow(null)
    expect(await bound.job.run('a')).toBeNull()
    expect(bound.ends).toHaveLength(0)
  })

  it('reads events of several names, of its own runs only', async () => {
    const { job, ends } = controlled({
      progress: [
        { event: 'timing.progressed', read: ({ done }, before) => `${before ?? ''}${done}` },
        { event: 'export.output', read: ({ text }, before) => `${before ?? ''}${text}` },
      ],
    })
    const run = job.run('a')
    const name = job.store.getState().running ?? ''
    main.send('timing.progressed', { job: name, done: 1, total: 2 })
    main.send('export.output', { job: name, form: 'cmake', step: 'build', text: 'x' })
    main.send('timing.progressed', { job: 'another', done: 9, total: 9 })
    expect(job.store.getState().progress).toBe('1x')
    ends[0]?.(ok('done'))
    await run
  })

  it('waits until another job of its lane has ended', async () => {
    const lane = createLane()
    const first = controlled({ lane })
    const second = controlled({ lane })
    void first.job.run('a')
    const run = second.job.run('b')
    await settled()
    expect(main.asked('job.cancel')).toHaveLength(1)
    expect(second.ends).toHaveLength(0)
    first.ends[0]?.(err('cancelled', 'Stopped.'))
    await settled()
    expect(second.ends).toHaveLength(1)
    second.ends[0]?.(ok('b'))
    expect(await run).toEqual(ok('b'))
  })
})
