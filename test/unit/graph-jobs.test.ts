import { beforeEach, describe, expect, it } from 'vitest'

import type { CaptureReport } from '../../electron/contract/graph'
import { ok, type HostExit } from '../../electron/contract/outcome'
import {
  captureGraph,
  observeGraph,
  refreshGraph,
  showAgain,
  stopGraph,
  watchGraph,
} from '../../renderer/features/graph/capture'
import {
  changeChoice,
  firstChoice,
  graphStore,
  serveGraphs,
} from '../../renderer/features/graph/graph'
import {
  forgetGraph,
  graphError,
  graphJob,
  isGraphWorking,
  observeJob,
  shownGraph,
} from '../../renderer/features/graph/jobs'
import { touched } from '../../renderer/store/files'
import { connectMain, settled, type Held } from '../support/main-process'
import { openInWindow } from '../support/open-in-window'

const main = connectMain()
let captures: Held<'graph.capture'>
let observations: Held<'graph.observe'>
let drawn: Set<number>

const report = (capture: number, entry = 'f'): CaptureReport => ({
  capture,
  entry,
  form: 'script',
  seconds: 0,
  steps: [
    { name: 'captured', nodes: 2, seconds: 0 },
    { name: 'inline', nodes: 1, seconds: 0 },
  ],
  warnings: [],
  checks: [],
})

beforeEach(() => {
  captures = main.hold('graph.capture')
  observations = main.hold('graph.observe')
  drawn = new Set()
  main.answer('graph.read', ({ capture, step }) => ok({ graph: '{}', text: `${capture}, ${step}` }))
  main.answer('graph.release', ({ captures: released }) => ok({ released: released.length }))
  serveGraphs({
    load: (doc) => Promise.resolve(drawn.add(doc)),
    drop: (docs) => docs.forEach((doc) => drawn.delete(doc)),
  })
  graphJob.reset()
  observeJob.reset()
  forgetGraph()
  openInWindow('/project', {}, [{ path: 'op.cpp', role: 'source' }])
  changeChoice({ ...firstChoice, entry: 'f' })
  main.calls.length = 0
})

async function capture(number: number): Promise<void> {
  const capturing = captureGraph()
  await settled()
  captures.succeed(report(number))
  await capturing
}

const released = (): number[] => main.asked('graph.release').flatMap((input) => input.captures)
const text = (): string | undefined => shownGraph()?.graph.text

describe('a capture', () => {
  it('shows the last step of what was captured', async () => {
    await capture(1)
    expect(text()).toBe('1, 1')
    expect(isGraphWorking()).toBe(false)
  })

  it('is made once for equal wishes', async () => {
    const both = [captureGraph(), captureGraph()]
    await settled()
    captures.succeed(report(1))
    await Promise.all(both)
    expect(captures.begun).toHaveLength(1)
  })

  it('that nobody wants any more is waited for, released and not shown', async () => {
    const first = captureGraph()
    await settled()
    changeChoice({ form: 'trace' })
    const second = captureGraph()
    await settled()
    expect(captures.begun).toHaveLength(1)
    captures.succeed(report(1))
    await first
    expect(shownGraph()).toBeNull()
    expect(released()).toEqual([1])
    expect(main.asked('job.cancel')).toEqual([])
    await settled()
    captures.succeed(report(2))
    await second
    expect(text()).toBe('2, 1')
  })

  it('is cancelled for a newer one after 1.5 seconds', async () => {
    void captureGraph()
    await settled()
    const slow = captures.last.input.job
    changeChoice({ form: 'trace' })
    const began = performance.now()
    const second = captureGraph()
    await expect.poll(() => captures.begun.length).toBe(2)
    expect(performance.now() - began).toBeGreaterThan(1_400)
    expect(main.asked('job.cancel')).toEqual([{ job: slow }])
    captures.succeed(report(2))
    await second
    expect(text()).toBe('2, 1')
  })

  it('that is stopped leaves the graph that was shown', async () => {
    await capture(1)
    const second = captureGraph()
    await settled()
    await stopGraph()
    await second
    expect(text()).toBe('1, 1')
    expect(graphError()).toBeNull()
  })

  it('keeps the graph of the last build to compare with, and releases the one before that', async () => {
    await capture(1)
    touched('op.cpp')
    await capture(2)
    expect(released()).toEqual([])
    expect(graphJob.store.getState().value?.lastBuild?.report?.capture).toBe(1)
    touched('op.cpp')
    await capture(3)
    expect(released()).toEqual([1])
  })

  it('that ended the op host is not made again for the same sources', async () => {
    const stopWatching = watchGraph()
    const first = captureGraph()
    await settled()
    const exit: HostExit = {
      reason: 'segfault',
      generation: 1_000_000,
      message: 'It crashed.',
      phase: 'call f',
      stack: [],
      lastOutput: '',
    }
    captures.fail({ code: 'host.crashed', message: 'It crashed.', exit })
    await first
    await refreshGraph()
    expect(captures.begun).toHaveLength(1)
    touched('op.cpp')
    void refreshGraph()
    await settled()
    expect(captures.begun).toHaveLength(2)
    stopWatching()
  })
})

describe('another step', () => {
  it('is read, and nothing is captured', async () => {
    await capture(1)
    changeChoice({ step: 0 })
    await showAgain()
    expect(text()).toBe('1, 0')
    expect(captures.begun).toHaveLength(1)
    expect(released()).toEqual([])
  })
})

describe('an observation', () => {
  it('is made once a graph, and not while something is captured', async () => {
    await capture(1)
    const observing = observeGraph()
    await settled()
    observations.succeed({ seconds: 0, runs: 5, nodes: [] })
    await observing
    await observeGraph()
    expect(observations.begun).toHaveLength(1)
    void captureGraph()
    await settled()
    await observeGraph()
    expect(observations.begun).toHaveLength(1)
  })
})

describe('a project that closes', () => {
  it('leaves nothing: captures are released, graphs dropped', async () => {
    await capture(1)
    changeChoice({ compare: { kind: 'entry', entry: 'g' } })
    const again = showAgain()
    await settled()
    captures.succeed(report(2, 'g'))
    await again
    expect(shownGraph()?.compare?.graph.text).toBe('2, 1')
    expect(drawn.size).toBe(3)
    graphJob.reset()
    forgetGraph()
    expect(released().sort()).toEqual([1, 2])
    expect(drawn.size).toBe(0)
    expect(graphStore.getState().otherShots.size).toBe(0)
  })
})
