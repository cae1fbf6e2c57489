import fs from 'node:fs'
import path from 'node:path'

import { _electron } from 'playwright-core'
import type { ElectronApplication } from 'playwright-core'

import type { Graph } from '../../electron/contract/graph'
import type { Motion } from '../../renderer/features/graph/test-hook'
import { App } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'
import { resnetGraph, syntheticGraph, transformerGraph } from './graphs'
import { row } from './measure'
import type { BenchmarkOptions, Row } from './measure'

const size = { width: 1600, height: 1000 }
const frameCount = 180
/** Milliseconds; a screen that shows sixty frames a second gives each this long, and a little. */
const frameLimit = 1000 / 60 + 1

const graphs: { name: string; make: () => Graph; rounds: number }[] = [
  { name: 'ResNet-50', make: resnetGraph, rounds: 3 },
  { name: 'transformer, 24 layers', make: () => transformerGraph(24), rounds: 3 },
  { name: 'DAG of 10,000', make: () => syntheticGraph(10_000), rounds: 3 },
  { name: 'DAG of 100,000', make: () => syntheticGraph(100_000), rounds: 2 },
]

/** Above this, a picture made of SVG elements is not tried: the page would take minutes to open. */
const largestSvg = 16e6

interface Memory {
  /** The window's process with its workers, megabytes. */
  window: number
  /** All processes of the app. */
  all: number
}

interface Measured {
  first: number[]
  whole: number[]
  motions: { name: string; motion: Motion }[]
  memory: Memory
  svg: string
}

/**
 * Graphs in the real window: how soon they are seen, how smoothly they move, and what they cost, beside
 * the same Electron with an empty page, and with the same picture as SVG elements, as most viewers draw.
 */
export async function runWindow(options: BenchmarkOptions): Promise<Row[]> {
  const cache = makeTestCache()
  try {
    options.say('an empty window')
    const bare = await measureBare(cache, '')
    const rows: Row[] = []
    for (const { name, make, rounds } of graphs) {
      options.say(name)
      const measured = await measureGraph(cache, make(), rounds)
      rows.push(row(`${name}: opened, first picture`, 's', measured.first))
      rows.push(row(`${name}: opened, whole picture`, 's', measured.whole))
      options.say(`${name}: as SVG elements`)
      const isSmall = measured.svg.length > 0 && measured.svg.length < largestSvg
      const svg = isSmall ? await measureBare(cache, measured.svg) : null
      for (const { name: what, motion } of measured.motions) {
        const title = `${name}: ${what}`
        const isPan = what.startsWith('pan')
        const peer = svg === null ? bare : svg
        rows.push(
          row(`${title}, between frames`, 'ms', motion.frames, {
            name: svg === null ? 'an empty page' : 'the same as SVG elements',
            samples: isPan ? peer.pan : peer.zoom,
          }),
          row(`${title}, frames a second`, '1/s', [rate(motion.frames)]),
          row(`${title}, late frames`, '%', [lateShare(motion.frames)]),
          row(`${title}, frames painted whole`, '%', [(100 * motion.whole) / motion.frames.length]),
        )
      }
      const empty = { name: 'an empty window', samples: [bare.memory.window] }
      rows.push(row(`${name}: memory of the window`, 'MB', [measured.memory.window], empty))
      const none = { name: 'an empty window', samples: [bare.memory.all] }
      rows.push(row(`${name}: memory of the app`, 'MB', [measured.memory.all], none))
    }
    rows.push(row('empty page: between frames', 'ms', bare.pan))
    return rows
  } finally {
    cache.remove()
  }
}

function rate(frames: readonly number[]): number {
  return (1000 * frames.length) / frames.reduce((sum, time) => sum + time, 0)
}

function lateShare(frames: readonly number[]): number {
  return (100 * frames.filter((time) => time > frameLimit).length) / frames.length
}

async function measureGraph(cache: TestCache, graph: Graph, rounds: number): Promise<Measured> {
  const project = copyProject(path.join(root, 'samples/warp_perspective'), cache)
  fs.writeFileSync(path.join(project, 'graph.json'), JSON.stringify(graph))
  fs.writeFileSync(path.join(project, 'small.json'), JSON.stringify(syntheticGraph(20)))
  const app = await App.start(cache, project)
  try {
    await resize(app.electron)
    await app.testId('tool-tab-graph').click()
    await complete(app)
    await app.testId('graph-enlarge').click()
    await complete(app)
    const first: number[] = []
    const whole: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      // Another graph between: the same one again would be laid out as it was before.
      await app.page.evaluate(() => window.opsmithTest?.graph.openFile('small.json'))
      await complete(app)
      const times = await app.page.evaluate(() => window.opsmithTest?.graph.timeOpen('graph.json'))
      first.push((times?.first ?? Number.NaN) / 1000)
      whole.push((times?.whole ?? Number.NaN) / 1000)
    }
    const motions = await measureMotions(app)
    const memory = await memoryOf(app.electron)
    await app.page.evaluate(() => window.opsmithTest?.graph.exportAs('svg', 'graph.svg'))
    const svg = fs.readFileSync(path.join(project, 'graph.svg'), 'utf8')
    return { first, whole, motions, memory, svg }
  } finally {
    await app.close()
  }
}

async function measureMotions(app: App): Promise<Measured['motions']> {
  const motions: Measured['motions'] = []
  const { page } = app
  /** Pixels a frame: about a thousand a second, a quick hand. */
  const pan = async (name: string, zoom: number | null): Promise<void> => {
    await page.evaluate((at) => {
      const hook = window.opsmithTest?.graph
      hook?.fit()
      const fitted = hook?.state().viewport
      if (hook && fitted && at !== null) {
        // The middle of the graph: its beginning is often a single box.
        const width = 1600 / fitted.zoom
        const height = 900 / fitted.zoom
        const x = fitted.x + width / 2 - 800 / at
        hook.setViewport({ x, y: fitted.y + height / 2 - 450 / at, zoom: at })
      }
    }, zoom)
    await complete(app)
    const motion = await page.evaluate(
      (frames) => window.opsmithTest?.graph.pan(-14, -11, frames),
      frameCount,
    )
    if (motion) motions.push({ name, motion })
  }
  await pan('panning, all of it in view', null)
  await pan('panning at zoom 0.25', 0.25)
  await pan('panning at zoom 1', 1)
  const zoom = async (name: string, factor: number): Promise<void> => {
    const motion = await page.evaluate(
      ([by, frames]) => window.opsmithTest?.graph.zoom(by, frames),
      [factor, frameCount] as const,
    )
    if (motion) motions.push({ name, motion })
    await complete(app)
  }
  await page.evaluate(() => window.opsmithTest?.graph.fit())
  await complete(app)
  // From all of it to zoom 1 and more, and back.
  const far = (await page.evaluate(() => window.opsmithTest?.graph.state().viewport?.zoom)) ?? 1
  const factor = Math.pow(2 / far, 1 / frameCount)
  await zoom('zooming in', factor)
  await zoom('zooming out', 1 / factor)
  return motions
}

async function resize(electron: ElectronApplication): Promise<void> {
  await electron.evaluate(({ BrowserWindow }, { width, height }) => {
    for (const window of BrowserWindow.getAllWindows()) window.setSize(width, height)
  }, size)
}

async function complete(app: App): Promise<void> {
  await app.page.waitForFunction(
    () => {
      const now = window.opsmithTest?.graph.state()
      if (now && now.error !== '') throw new Error(now.error)
      return now !== undefined && now.boxes > 0 && !now.working && now.complete
    },
    undefined,
    { timeout: 120_000 },
  )
}

async function memoryOf(electron: ElectronApplication): Promise<Memory> {
  const processes = await electron.evaluate(({ app }) =>
    app.getAppMetrics().map(({ type, memory }) => ({ type, kilobytes: memory.workingSetSize })),
  )
  const sum = (of: typeof processes): number =>
    of.reduce((total, process) => total + process.kilobytes / 1024, 0)
  return { window: sum(processes.filter(({ type }) => type === 'Tab')), all: sum(processes) }
}

interface Bare {
  pan: number[]
  zoom: number[]
  memory: Memory
}

/** An empty page of the same size (one small box moves, so that there are frames), or one with an SVG. */
async function measureBare(cache: TestCache, svg: string): Promise<Bare> {
  const folder = fs.mkdtempSync(path.join(cache.home, 'bare-'))
  const content = svg === '' ? '<div style="width:40px;height:40px;background:#888"></div>' : svg
  fs.writeFileSync(
    path.join(folder, 'page.html'),
    `<!doctype html><meta charset="utf-8"><body style="margin:0;overflow:hidden"><div id="moved" style="transform-origin:0 0;width:max-content">${content}</div>`,
  )
  fs.writeFileSync(path.join(folder, 'package.json'), '{"name":"bare","main":"main.js"}')
  fs.writeFileSync(
    path.join(folder, 'main.js'),
    `const { app, BrowserWindow } = require('electron')
app.whenReady().then(() => new BrowserWindow(${JSON.stringify(size)}).loadFile('page.html'))`,
  )
  const electron = await _electron.launch({
    executablePath: process.env['OPSMITH_ELECTRON'] ?? '',
    args: ['--no-sandbox', folder],
    timeout: 120_000,
  })
  try {
    const page = await electron.firstWindow({ timeout: 120_000 })
    await page.waitForLoadState('load', { timeout: 120_000 })
    const move = (isZoom: boolean): Promise<number[]> =>
      page.evaluate(
        async ([zooms, frames]) => {
          const element = document.getElementById('moved')
          const times: number[] = []
          let last = 0
          for (let i = 0; i <= frames; i += 1) {
            const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve))
            if (last > 0) times.push(now - last)
            last = now
            const scale = zooms ? Math.pow(2, -(i % 90) / 30) : 1
            const by = zooms ? 0 : -12 * (i % 60)
            if (element) element.style.transform = `translate(${by}px,${by}px) scale(${scale})`
          }
          return times
        },
        [isZoom, frameCount] as const,
      )
    await move(false)
    const pan = await move(false)
    const zoom = await move(true)
    return { pan, zoom, memory: await memoryOf(electron) }
  } finally {
    await electron.close()
  }
}
