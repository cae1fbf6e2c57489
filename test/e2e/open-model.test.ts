import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'

import { App, startOnceMore } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

let cache: TestCache
let app: App

beforeAll(() => {
  cache = makeTestCache()
})
afterAll(async () => {
  await app.close()
  cache.remove()
})

/** As a desktop starts the app for a file that was double-clicked. */
function modelIn(folder: string, name: string): string {
  fs.mkdirSync(folder, { recursive: true })
  const file = path.join(folder, name)
  fs.copyFileSync(path.join(root, 'test/cases/graphs/older.pt2'), file)
  return file
}

async function shown(name: string): Promise<void> {
  const panel = app.testId('graph-panel')
  await panel.getByText(name).waitFor()
  await panel.getByText(/\d+ nodes, \d+ edges/).waitFor()
}

it('a .pt2 that is opened from the desktop is shown as a graph, where no project is open', async () => {
  const model = modelIn(path.join(cache.home, 'Downloads'), 'first.pt2')
  app = await App.start(cache, model, { hotCompile: false, codeHelp: false })
  await app.resize(1280, 720)
  await shown('first.pt2')
  expect(await app.page.title()).toBe('models – Opsmith')
  expect(fs.existsSync(path.join(cache.home, 'projects/models/opsmith.json'))).toBe(true)
  expect(fs.readdirSync(path.dirname(model))).toEqual(['first.pt2'])
  await app.pictures('open-model')
})

it('a second one goes to the window that is open; one in a project opens that project', async () => {
  const second = modelIn(path.join(cache.home, 'Downloads'), 'second.pt2')
  expect(await startOnceMore(cache, second)).toBe(0)
  await shown('second.pt2')
  expect(await app.page.title()).toBe('models – Opsmith')
  const project = copyProject(path.join(root, 'samples/my_op'), cache)
  expect(await startOnceMore(cache, modelIn(project, 'third.pt2'))).toBe(0)
  await shown('third.pt2')
  expect(await app.page.title()).toBe('my_op – Opsmith')
})

it('a project that is named while the window starts opens after that of the start', async () => {
  await app.close()
  const named = copyProject(path.join(root, 'samples/sigmoid'), cache)
  const starting = App.start(cache, named, { hotCompile: false, codeHelp: false })
  const lock = path.join(cache.places.stateFolder, 'electron/SingletonLock')
  const isTaken = (): boolean => fs.lstatSync(lock, { throwIfNoEntry: false }) !== undefined
  await expect.poll(isTaken, { interval: 10, timeout: 60_000 }).toBe(true)
  const project = copyProject(path.join(root, 'samples/gc_layer'), cache)
  const second = await startOnceMore(cache, project)
  app = await starting
  expect(second).toBe(0)
  await expect.poll(() => app.page.title(), { timeout: 60_000 }).toBe('gc_layer – Opsmith')
  const text = fs.readFileSync(path.join(cache.places.configFolder, 'settings.json'), 'utf8')
  const { recentProjects } = z
    .object({ recentProjects: z.array(z.string()) })
    .parse(JSON.parse(text))
  const names = recentProjects.slice(0, 2).map((name) => path.basename(name))
  expect(names).toEqual(['gc_layer', 'sigmoid'])
})
