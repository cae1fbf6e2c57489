import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { ok } from '../../electron/contract/outcome'
import { createJob, type Job } from '../../renderer/store/job'
import { projectStore } from '../../renderer/store/project'
import { connectMain, type OpenWork } from '../support/main-process'
import { openInWindow } from '../support/open-in-window'

const main = connectMain()

describe('a job whose input is read when its turn comes', () => {
  let work: OpenWork<{ job: string }, string>
  let job: Job<string, string>

  beforeEach(() => {
    vi.useFakeTimers()
    work = main.openWork()
    openInWindow('/project')
    job = createJob<string, string>({
      kind: 'turn',
      latest: 'wins',
      patience: 1_000,
      run: (_, { job: name }) => work.begin({ job: name }),
    })
  })
  afterEach(() => {
    vi.useRealTimers()
    projectStore.setState(projectStore.getInitialState(), true)
  })

  it('gives the turn to the newest wish when running work has ended in time', async () => {
    const first = job.run('first')
    const older = job.turn()
    const newer = job.turn()
    work.succeed('one')
    expect(await first).toEqual(ok('one'))
    expect(await older).toBe(false)
    expect(await newer).toBe(true)
    expect(main.asked('job.cancel')).toEqual([])
  })

  it('cancels running work after its patience, and not before', async () => {
    void job.run('first')
    const turn = job.turn()
    await vi.advanceTimersByTimeAsync(999)
    expect(main.asked('job.cancel')).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(await turn).toBe(true)
    expect(main.asked('job.cancel')).toHaveLength(1)
  })

  it('waits for other work, and loses its turn to a stop meanwhile', async () => {
    let end: () => void = () => undefined
    const other = new Promise<void>((resolve) => (end = resolve))
    const turn = job.turn(() => other)
    await job.stop()
    end()
    expect(await turn).toBe(false)
  })

  it('begins later only once, and not after a stop, a reset or another wish', async () => {
    const begin = vi.fn()
    job.later(300, begin)
    job.later(300, begin)
    await vi.advanceTimersByTimeAsync(300)
    expect(begin).toHaveBeenCalledTimes(1)
    for (const end of [() => job.stop(), () => job.reset(), () => job.turn(), () => job.clear()]) {
      job.later(300, begin)
      void end()
      await vi.advanceTimersByTimeAsync(300)
    }
    expect(begin).toHaveBeenCalledTimes(1)
  })
})
