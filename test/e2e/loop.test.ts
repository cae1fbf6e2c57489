import fs from 'node:fs'
import path from 'node:path'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { ConnectionWatch } from '../support/connections'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

const buildTime = 170_000

const reading = (text: string | null): number => Number(text)

describe('the edit, build and run loop', () => {
  let cache: TestCache
  let app: App | undefined

  beforeEach(() => {
    cache = makeTestCache()
  })
  afterEach(async () => {
    await app?.close()
    app = undefined
    cache.remove()
  })

  it('a sample opens, an edit of its kernel is built on save, and the new result is shown', async () => {
    const connections = new ConnectionWatch(cache.home)
    app = await App.start(cache)
    const running = app
    // The whole card is the button: here next to its picture, far from its name.
    // The first page has the keyboard.
    await app.page.locator('main button:focus').filter({ hasText: 'Open folder' }).waitFor()
    await app.testId('gallery-card-my_op').click({ position: { x: 4, y: 4 } })
    await app.testId('explorer-file-op.cpp').waitFor()
    await app.openFile('op.cpp')
    await app.testId('toolbar-build').click()
    await app.built(buildTime)
    await app.testId('schema-row-my_op::my_op').waitFor()
    await app.page.getByRole('tab', { name: /Run/ }).first().click()
    await app.testId('run-go').click()
    const comparison = app.testId('run-comparison').first()
    await comparison.waitFor()
    expect((await comparison.textContent()) ?? '').toMatch(/match|equal/i)
    const before = reading(await app.testId('run-stat-0-max').first().textContent())
    await app.picture('loop-run')

    // Four times x instead of three: the same run repeats by itself after the build.
    await app.replace('op.cpp', 'return 3 * x - y;', 'return 4 * x - y;')
    await app.save()
    await expect
      .poll(async () => reading(await running.testId('run-stat-0-max').first().textContent()), {
        timeout: buildTime,
      })
      .not.toBe(before)
    await expect
      .poll(async () => (await running.testId('run-comparison').first().textContent()) ?? '')
      .toMatch(/differs/i)
    await app.picture('loop-differs')

    // As after the window's own process died: what was open is there again.
    await app.page.reload()
    await app.testId('explorer-file-op.cpp').waitFor()
    // No process of the session has connected to another machine.
    expect(connections.count).toBeGreaterThan(3)
    expect(connections.end()).toEqual([])
  })

  it('an edit is built by the compile server, and the plain build that follows is published', async () => {
    const folder = copyProject(path.join(root, 'samples/my_op'), cache)
    app = await App.start(cache, folder, { hotCompile: true, codeHelp: false })
    const running = app
    await app.openFile('op.cpp')
    await app.testId('toolbar-build').click()
    await app.built(buildTime)
    await app.page.getByRole('tab', { name: /Build/ }).first().click()
    const settled = running.testId('build-settled')
    const text = await app.text('op.cpp')
    // A number that was never built before: an object from the cache is a plain one.
    const isBuiltHot = async (): Promise<boolean> => {
      const before = await running.page.evaluate(() => window.opsmithTest?.build.report()?.key)
      await running.setText('op.cpp', text.replace('3 * x', `${Date.now()} * x`))
      await running.save()
      // Another edit would end this build: a slow machine would never see the end of one.
      await running.page.waitForFunction(
        (key) => window.opsmithTest?.build.report()?.key !== key,
        before,
        { timeout: buildTime },
      )
      const hot = await running.page.evaluate(() => window.opsmithTest?.build.report()?.hot)
      return hot === true
    }
    // Once the server is up: it starts some seconds after a build that did without it.
    await expect.poll(isBuiltHot, { timeout: 2 * buildTime, interval: 5_000 }).toBe(true)
    await expect
      .poll(() => settled.textContent(), { timeout: buildTime })
      .toMatch(/built by the compile server; the build for timings and exports took [\d.]+/)
    await app.picture('loop-hot')
    const library = fs.readFileSync(path.join(folder, 'build', 'libmy_op.so'))
    expect(library.includes('opsmith_shared_code')).toBe(false)
  }, 600_000)

  it('a precompiled header that could not be made is reported', async () => {
    // A compiler like the real one, but for precompiled headers.
    const compiler = path.join(cache.home, 'clang++-odd')
    const real = process.env['OPSMITH_COMPILER'] ?? 'c++'
    const script = `#!/bin/sh\ncase "$*" in *c++-header*) echo no headers today >&2; exit 1;; esac\nexec ${real} "$@"\n`
    fs.writeFileSync(compiler, script, { mode: 0o755 })
    app = await App.start(cache, undefined, { hotCompile: false, codeHelp: false, compiler })
    const said = app.testId('notification').filter({ hasText: 'could not precompile' })
    await said.waitFor()
    expect(await said.textContent()).toMatch(/You can still build/)
    // Nothing is under way any more.
    expect(await app.testId('status-background').count()).toBe(0)
  })
})

// One project for these tests, each of which begins where the one before it ended.
describe('a project that is edited', () => {
  let cache: TestCache
  let app: App
  let folder: string

  beforeAll(async () => {
    cache = makeTestCache()
    folder = copyProject(path.join(root, 'samples/my_op'), cache)
    app = await App.start(cache, folder)
  })
  afterAll(async () => {
    await app.close()
    cache.remove()
  })

  it('a compiler error shows on its line and disappears when the line is corrected', async () => {
    await app.openFile('op.cpp')
    const good = await app.text('op.cpp')
    const lines = good.split('\n')
    const at = lines.findIndex((line) => /return /.test(line))
    lines[at] = '  return not_declared_anywhere;'
    await app.setText('op.cpp', lines.join('\n'))
    await app.save()
    await app
      .testId('problem-row')
      .filter({ hasText: 'not_declared_anywhere' })
      .first()
      .waitFor({ timeout: buildTime })
    const markers = await app.markers('op.cpp')
    expect(markers.map((marker) => marker.line)).toContain(at + 1)
    expect(markers.find((marker) => marker.line === at + 1)?.message).toMatch(
      /not_declared_anywhere/,
    )
    await app.picture('loop-error')

    await app.setText('op.cpp', good)
    await app.save()
    await app.built(buildTime)
    await app.page.waitForFunction(() => window.opsmithTest?.markers('op.cpp').length === 0)
    expect(fs.readFileSync(path.join(folder, 'op.cpp'), 'utf8')).toBe(good)
  })

  it('unsaved changes survive closing the window and are offered again', async () => {
    await app.openFile('op.cpp')
    const onDisk = await app.text('op.cpp')
    await app.setText('op.cpp', `${onDisk}\n// not saved\n`)
    await app.close()
    expect(fs.readFileSync(path.join(folder, 'op.cpp'), 'utf8')).toBe(onDisk)

    app = await App.start(cache, folder)
    await app.openFile('op.cpp')
    await app.page.waitForFunction(() =>
      window.opsmithTest?.editorText('op.cpp')?.includes('// not saved'),
    )
    await app.save()
    await expect
      .poll(() => fs.readFileSync(path.join(folder, 'op.cpp'), 'utf8'))
      .toContain('// not saved')
  })

  it('a change by another editor is loaded, and never overwritten without a question', async () => {
    await app.openFile('op.cpp')
    const file = path.join(folder, 'op.cpp')
    const before = fs.readFileSync(file, 'utf8')
    fs.writeFileSync(file, `// theirs\n${before}`)
    await app.page.waitForFunction(() =>
      window.opsmithTest?.editorText('op.cpp')?.startsWith('// theirs'),
    )

    await app.setText('op.cpp', `// mine\n${before}`)
    fs.writeFileSync(file, `// theirs again\n${before}`)
    await app.testId('conflict-bar').waitFor()
    await app.save()
    const refused = app
      .testId('notification')
      .filter({ hasText: 'changed on disk after you opened it' })
    await refused.waitFor()
    expect(fs.readFileSync(file, 'utf8').startsWith('// theirs again')).toBe(true)
    await app.picture('loop-conflict')
  })
})
