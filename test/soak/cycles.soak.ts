import fs from 'node:fs'
import path from 'node:path'

import { App } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'
import { grown } from './growth'
import type { Figure } from './growth'
import { appProcesses, figuresOf, processKinds } from './processes'
import type { SoakOptions, SoakResult } from './soak'

/** Megabytes; an allocator keeps some of what was freed. */
const memorySlack = { main: 40, renderer: 60, 'op host': 60, 'compile server': 40, clangd: 60 }
/** V8 takes and returns the pages of its heap one by one; the system allows 65,530 mappings of a process. */
const mappingSlack = 400
const megabyte = 2 ** 20

/** A name that is renamed once its file is whole, as the engine and writeAtomically() give it. */
const temporaryName = /^\.|\.\d+-[0-9a-f]{8}(\.d)?$/

function filesBelow(folder: string): fs.Dirent[] {
  if (!fs.existsSync(folder)) return []
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
}

/** Files that somebody has to remove: of op hosts, of the system's temporary folder, and with temporary names. */
function temporaryFiles(cache: TestCache, project: string): number {
  const profile = path.join(cache.folder, 'chromium')
  const own = [...Object.values(cache.places), project]
    .flatMap(filesBelow)
    .filter(({ name, parentPath }) => temporaryName.test(name) && !parentPath.startsWith(profile))
  const hosts = filesBelow(path.join(cache.folder, 'hosts'))
  return own.length + hosts.length + filesBelow(path.join(cache.home, 'tmp')).length
}

async function collectGarbage(app: App): Promise<void> {
  const session = await app.page.context().newCDPSession(app.page)
  await session.send('HeapProfiler.collectGarbage')
  await session.detach()
  await app.electron.evaluate(() => {
    type Require = (name: string) => unknown
    const { mainModule } = process as unknown as { mainModule: { require: Require } }
    const v8 = mainModule.require('node:v8') as typeof import('node:v8')
    const vm = mainModule.require('node:vm') as typeof import('node:vm')
    v8.setFlagsFromString('--expose-gc')
    const collect = vm.runInNewContext('gc') as () => void
    collect()
  })
}

/** Milliseconds. On a machine that is busy the plain build, which has a low priority, may take minutes. */
const longestRest = 20_000

/** Waits until nothing of the app works: the plain build that follows a hot one, clangd, checks; or long enough. */
async function atRest(app: App): Promise<void> {
  const isAtRest = (): boolean => {
    const part = (id: string): Element | null => document.querySelector(`[data-testid="${id}"]`)
    return (
      part('status-background') === null &&
      part('toolbar-stop')?.getAttribute('data-busy') === 'false' &&
      !/reading/.test(part('status-language')?.textContent ?? '')
    )
  }
  await app.page
    .waitForFunction(isAtRest, undefined, { polling: 500, timeout: longestRest })
    .catch(() => undefined)
}

class Figures {
  readonly all: Figure[] = []

  note(name: string, value: number, { unit, slack }: { unit: 'MB' | ''; slack: number }): void {
    const known = this.all.find((figure) => figure.name === name)
    if (known) known.values.push(value)
    else this.all.push({ name, unit, values: [value], slack })
  }
}

/** Adds the figures of one mark, and gives them as a line. */
async function take(app: App, cache: TestCache, project: string, to: Figures): Promise<string> {
  await atRest(app)
  await collectGarbage(app)
  // What has ended is reaped, and what was freed is given back.
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  const processes = appProcesses(app.electron.process().pid ?? 0)
  const words: string[] = []
  for (const kind of processKinds) {
    const figures = processes.filter((one) => one.kind === kind).map(({ pid }) => figuresOf(pid))
    const sum = (name: 'memory' | 'descriptors' | 'mappings'): number =>
      figures.reduce((total, one) => total + one[name], 0)
    if (kind !== 'other') {
      const slack = memorySlack[kind]
      to.note(`memory of ${kind}`, sum('memory') / megabyte, { unit: 'MB', slack })
      to.note(`mappings of ${kind}`, sum('mappings'), { unit: '', slack: mappingSlack })
    }
    to.note(`descriptors of ${kind}`, sum('descriptors'), { unit: '', slack: 10 })
    const megabytes = (sum('memory') / megabyte).toFixed(0)
    words.push(
      `${kind} ${figures.length}: ${megabytes} MB ${sum('descriptors')} fd ${sum('mappings')} maps`,
    )
  }
  const temporary = temporaryFiles(cache, project)
  to.note('temporary files', temporary, { unit: '', slack: 4 })
  to.note('processes', processes.length, { unit: '', slack: 3 })
  const kept = filesBelow(cache.folder).reduce(
    (sum, { parentPath, name }) =>
      sum + (fs.statSync(path.join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
  words.push(
    `${processes.length} processes`,
    `${temporary} temporary files`,
    `cache ${(kept / megabyte).toFixed(0)} MB`,
  )
  return words.join(' | ')
}

/** The largest element of the result that the Run panel shows. */
const result = async (app: App): Promise<string> =>
  (await app.testId('run-stat-0-max').first().textContent()) ?? ''

/** Edits, saves, and waits until the build, the run and the gradchecks of that text are shown. */
async function cycle(app: App, text: string): Promise<void> {
  await app.testId('tool-tab-run').click()
  const before = await result(app)
  await app.setText('op.cpp', text)
  await app.focused('op.cpp')
  await app.save()
  await app.page.waitForFunction(
    (old) => {
      const part = (id: string): Element | null => document.querySelector(`[data-testid="${id}"]`)
      const max = part('run-stat-0-max')?.textContent ?? ''
      return max !== '' && max !== old && part('stale-bar') === null
    },
    before,
    { polling: 50 },
  )
  await app.testId('tool-tab-gradcheck').click()
  await app.page.waitForFunction(
    () => {
      const part = (id: string): Element | null => document.querySelector(`[data-testid="${id}"]`)
      const rows = [...document.querySelectorAll('[data-testid^="gradcheck-entry-"]')]
      return (
        rows.length === 3 &&
        rows.every((row) => row.getAttribute('data-verdict') === 'passed') &&
        part('stale-bar') === null &&
        part('toolbar-stop')?.getAttribute('data-busy') === 'false'
      )
    },
    undefined,
    { polling: 50 },
  )
}

/** Edit, build, run and gradcheck, again and again in the real window: what the app holds must not grow. */
export async function run({ cycles, every, say }: SoakOptions): Promise<SoakResult> {
  const cache = makeTestCache(['objects', 'builds'])
  const project = copyProject(path.join(root, 'samples/my_op'), cache)
  const temporary = path.join(cache.home, 'tmp')
  fs.mkdirSync(temporary)
  process.env['TMPDIR'] = temporary
  const app = await App.start(cache, project, { hotCompile: true })
  try {
    await app.openFile('op.cpp')
    const source = await app.text('op.cpp')
    await app.testId('toolbar-build').click()
    await app.built()
    await app.testId('tool-tab-run').click()
    await app.testId('run-go').click()
    await app.testId('run-comparison').first().waitFor()
    const figures = new Figures()
    let started = performance.now()
    for (let done = 1; done <= cycles; done += 1) {
      // An operator that was never built, with the gradient that belongs to it.
      const factor = (3 + done / 1000).toFixed(3)
      await cycle(
        app,
        source.replace('3 * x', `${factor} * x`).replace('3 * grad', `${factor} * grad`),
      )
      if (done % every > 0) continue
      const seconds = (performance.now() - started) / 1000 / every
      const line = await take(app, cache, project, figures)
      say(`cycle ${done}, ${seconds.toFixed(2)} s each | ${line}`)
      started = performance.now()
    }
    return { problems: grown(figures.all) }
  } finally {
    await app.close()
    cache.remove()
  }
}
