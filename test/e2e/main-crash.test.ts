import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, expect, it } from 'vitest'

import { App } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

const buildTime = 170_000
let cache: TestCache
let folder: string
let app: App

beforeAll(async () => {
  cache = makeTestCache()
  folder = copyProject(path.join(root, 'samples/my_op'), cache)
  app = await App.start(cache, folder, { hotCompile: false, codeHelp: false })
  await app.resize(1280, 720)
})
afterAll(async () => {
  await app.close()
  cache.remove()
})

/** The text of all files in this folder. Files that are still being written are left out. */
function keptIn(place: string): string {
  if (!fs.existsSync(place)) return ''
  const entries = fs.readdirSync(place, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && !entry.name.includes('.opsmith-'))
  return files
    .map((entry) => fs.readFileSync(path.join(entry.parentPath, entry.name), 'utf8'))
    .join('\n')
}

const ended = (): ReturnType<App['testId']> =>
  app.testId('notification').filter({ hasText: 'Opsmith ended unexpectedly' })

it('after a crash of main the next start says so, and has project, tabs, caret, text, inputs and results', async () => {
  await app.built(buildTime)
  await app.testId('rail-run').first().click()
  await app.testId('run-reference').fill('3 * x - y')
  await app.testId('run-go').click()
  await app.testId('run-comparison').first().waitFor()
  await app.openFile('program.py')
  await app.openFile('op.cpp')
  await app.replace('op.cpp', 'return 3 * x - y', 'return 4 * x - y')
  const typed = await app.text('op.cpp')
  await app.caretAt('op.cpp', 7, 3)
  // All of it is written some time after the last change.
  const { dataFolder, stateFolder } = cache.places
  const result = String.raw`"run":"{\"chosen\":{`
  await expect.poll(() => keptIn(path.join(dataFolder, 'results'))).toContain(result)
  await expect.poll(() => keptIn(path.join(dataFolder, 'drafts'))).toContain(JSON.stringify(typed))
  const layout = (): string => fs.readFileSync(path.join(stateFolder, 'layout.json'), 'utf8')
  await expect.poll(layout).toContain('"reference":"3 * x - y"')
  await expect.poll(layout).toContain('"position":{"lineNumber":7,"column":3}')

  app.electron.process().kill('SIGSEGV')
  await app.ended()
  // As from the desktop: no folder is named.
  app = await App.startAsItIs(cache, undefined)
  await app.resize(1280, 720)
  await ended().waitFor()
  const words = await ended().innerText()
  expect(words).toContain('a segmentation fault (SIGSEGV)')
  const [, report = ''] = /The report is in (\S+\.txt)/.exec(words) ?? []
  expect(fs.readFileSync(report, 'utf8')).toContain('.dmp')
  expect(await app.page.title()).toBe('my_op – Opsmith')
  for (const file of ['op.cpp', 'program.py'])
    await app.page.getByRole('tab', { name: file }).waitFor()
  expect(await app.text('op.cpp')).toBe(typed)
  await app.testId('status-cursor').filter({ hasText: /^7:3$/ }).waitFor()
  expect(await app.testId('run-reference').inputValue()).toBe('3 * x - y')
  await app.testId('stale-bar').filter({ hasText: 'earlier session' }).first().waitFor()
  await app.pictures('main-crash')
})

it('it is said once: a window that was closed starts without a word', async () => {
  await app.close()
  app = await App.startAsItIs(cache, undefined)
  await app.testId('explorer-file-op.cpp').waitFor()
  await app.built(buildTime)
  expect(await ended().count()).toBe(0)
})
