import fs from 'node:fs'
import path from 'node:path'

import { changeSettings } from '../../electron/engine/project/settings-file'
import { App } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'
import { emptyApp } from './empty-window'
import { quantile, row } from './measure'
import type { BenchmarkOptions, Row } from './measure'
import { StartedWindow } from './started-window'
import type { Seen } from './started-window'

const linesOfLargeFile = 10_000

/** Seconds from the start of the process; `closed`: from asking it to close until it ended. */
type Start = Seen & { closed: number }

/** Starts the window, with or without a project, until it shows what it showed last. */
async function start(cache: TestCache, project: string | undefined): Promise<Start> {
  const words = [root, ...(project === undefined ? [] : [project])]
  return await StartedWindow.use(cache, words, async (window) => {
    const seen = await window.seen(
      project === undefined ? ['ready', 'shown'] : ['ready', 'shown', 'built'],
    )
    if (project !== undefined) await window.toolsShown()
    // The app writes it as its window is closed.
    const place = path.join(cache.places.stateFolder, 'window.json')
    fs.rmSync(place, { force: true })
    const closed = await window.close()
    if (!fs.existsSync(place))
      throw new Error('the app ended without saving the place of its window')
    const seconds = (milliseconds: number): number =>
      milliseconds === 0 ? 0 : (milliseconds - window.spawnedAt) / 1000
    return {
      painted: seconds(seen.painted),
      ready: seconds(seen.ready),
      shown: seconds(seen.shown),
      built: seconds(seen.built),
      closed,
    }
  })
}

/** When a window with nothing in it has painted. */
async function emptyWindow(cache: TestCache, rounds: number): Promise<number[]> {
  const folder = emptyApp(cache)
  const once = (): Promise<number> =>
    StartedWindow.use(cache, [folder], async (window) => {
      const { painted } = await window.seen([])
      await window.close()
      return (painted - window.spawnedAt) / 1000
    })
  // The first start is slower than the others, so it does not count.
  await once()
  const seconds: number[] = []
  for (let round = 0; round < rounds; round += 1) seconds.push(await once())
  return seconds
}

/** As `App.start` has it: copies of samples go to the test's own folder, and compiling hot is on. */
async function prepare(cache: TestCache): Promise<void> {
  const projectsFolder = path.join(cache.home, 'projects')
  await changeSettings(cache.places.configFolder, { projectsFolder, hotCompile: true })
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
  await app.built()
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
      name: 'empty window of the same Electron',
      samples: await emptyWindow(cache, rounds),
    }
    for (const one of [cache, cacheWithoutProjects]) await prepare(one)
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
        starts.map((one) => one.painted),
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
