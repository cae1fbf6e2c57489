import fs from 'node:fs'
import path from 'node:path'

import { App } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'
import { openEmptyWindow } from './empty-window'
import { quantile, row, sample } from './measure'
import type { BenchmarkOptions, Row } from './measure'

const linesOfLargeFile = 10_000

/** Seconds from the start of the process. */
interface Start {
  /** There is a window. */
  window: number
  /** It takes keys. */
  ready: number
  /** The source is shown, in an editor that can be typed in; without a project, the samples are. */
  shown: number
  /** The results of the last build are at hand. */
  built: number
  closed: number
}

/** Starts the window, with or without a project, until it shows what it showed last. */
async function start(cache: TestCache, project: string | undefined): Promise<Start> {
  const began = performance.now()
  const seconds = (): number => (performance.now() - began) / 1000
  const seen: Start = { window: 0, ready: 0, shown: 0, built: 0, closed: 0 }
  const app = await App.start(cache, project, { hotCompile: true }, root, async (page) => {
    seen.window = seconds()
    const whenTrue = async (isTrue: () => boolean): Promise<number> => {
      await page.waitForFunction(isTrue, undefined, { polling: 'raf', timeout: 120_000 })
      return seconds()
    }
    const ready = whenTrue(() => window.opsmithTest?.ready() === true)
    const shown = whenTrue(() => {
      const samples = document.querySelector('[data-testid^="gallery-open-"]')
      const lines = document.querySelector('[data-testid^="editor-"] .view-lines')
      return samples !== null || (lines?.textContent ?? '') !== ''
    })
    const isBuilt = (): boolean =>
      document.querySelector('[data-testid="status-build"]')?.getAttribute('data-state') === 'good'
    const built = project === undefined ? Promise.resolve(0) : whenTrue(isBuilt)
    const times = await Promise.all([ready, shown, built])
    ;[seen.ready, seen.shown, seen.built] = times
  })
  // As it is left by a user: what follows a build is over.
  if (project !== undefined) await app.testId('status-tools').filter({ hasText: 'lib' }).waitFor()
  const closing = performance.now()
  await app.close()
  seen.closed = (performance.now() - closing) / 1000
  return seen
}

/** An empty window of the same Electron, opened and closed. */
async function bareSeconds(cache: TestCache, rounds: number): Promise<number[]> {
  return await sample(rounds, async () => {
    const { electron } = await openEmptyWindow(cache)
    await electron.close()
  })
}

/** The sample, with three files of thousands of lines whose tabs are open. */
async function projectWithLargeFiles(cache: TestCache): Promise<string> {
  const project = copyProject(path.join(root, 'samples/my_op'), cache)
  const names = ['first.h', 'second.h', 'third.h']
  const line = (number: number): string => `inline int value_${number}() { return ${number}; }`
  const text = Array.from({ length: linesOfLargeFile }, (_, index) => line(index)).join('\n')
  for (const name of names) fs.writeFileSync(path.join(project, name), `#pragma once\n${text}\n`)
  const app = await App.start(cache, project, { hotCompile: true })
  for (const name of names) {
    await app.openFile(name)
    await app.focused(name)
  }
  await app.testId('status-build').filter({ hasText: 'built in' }).waitFor()
  await app.close()
  return project
}

/** From the start of the process until the window shows source and results; beside an empty window of the same Electron. */
export async function runStart(options: BenchmarkOptions): Promise<Row[]> {
  const { say, rounds = 5 } = options
  const cache = makeTestCache()
  // Another one: a window that is started without a project opens the last one.
  const cacheWithoutProjects = makeTestCache()
  try {
    say('empty window')
    const bare = {
      name: 'empty window of the same Electron, opened and closed',
      samples: await bareSeconds(cache, rounds),
    }
    const project = copyProject(path.join(root, 'samples/my_op'), cache)
    const large = await projectWithLargeFiles(cache)
    const repeat = async (what: string, opened: string | undefined): Promise<Start[]> => {
      const used = opened === undefined ? cacheWithoutProjects : cache
      // The first one builds, and is no start like the others.
      await start(used, opened)
      const starts: Start[] = []
      for (let round = 0; round < rounds; round += 1) {
        const one = await start(used, opened)
        say(`${what}: ${JSON.stringify(one)}`)
        starts.push(one)
      }
      return starts
    }
    const rowOf = (name: string, samples: readonly number[], goal: number): Row => {
      const isWithin = quantile(samples, 0.5) <= goal
      const worst = Math.max(...samples).toFixed(2)
      const verdict = `${isWithin ? 'within' : 'MISSES'} ${goal} s, worst ${worst} s`
      return { ...row(name, 's', samples, bare), verdict }
    }
    const rowsOf = (name: string, starts: readonly Start[]): Row[] => [
      rowOf(
        `${name}: window`,
        starts.map((one) => one.window),
        0.6,
      ),
      row(
        `${name}: takes keys`,
        's',
        starts.map((one) => one.ready),
        bare,
      ),
      rowOf(
        `${name}: source that one can type in`,
        starts.map((one) => one.shown),
        1.5,
      ),
      rowOf(
        `${name}: last results`,
        starts.map((one) => one.built),
        2,
      ),
    ]
    const plain = await repeat('built project', project)
    const withLarge = await repeat('three large files', large)
    const empty = await repeat('no project', undefined)
    return [
      ...rowsOf('built project', plain),
      ...rowsOf('three large files open', withLarge),
      rowOf(
        'no project: samples shown',
        empty.map((one) => one.shown),
        1,
      ),
      row(
        'close, with everything kept',
        's',
        plain.map((one) => one.closed),
      ),
    ]
  } finally {
    cache.remove()
    cacheWithoutProjects.remove()
  }
}

export { runStart as run }
