import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

const run = promisify(execFile)
let cache: TestCache
/** A copy of this checkout with one feature more and one less. */
let copy: string

/** Links to everything but the sources of the window and the bundles. */
function copyCheckout(target: string): void {
  fs.mkdirSync(target)
  const own = new Set(['renderer', 'dist', '.git', 'test'])
  for (const name of fs.readdirSync(root)) {
    if (!own.has(name)) fs.symlinkSync(path.join(root, name), path.join(target, name))
  }
  fs.cpSync(path.join(root, 'renderer'), path.join(target, 'renderer'), { recursive: true })
  fs.cpSync(path.join(root, 'dist'), path.join(target, 'dist'), {
    recursive: true,
    filter: (file) => !file.startsWith(path.join(root, 'dist', 'renderer')),
  })
}

beforeAll(() => {
  cache = makeTestCache()
  copy = path.join(cache.home, 'opsmith-copy')
  copyCheckout(copy)
  const features = path.join(copy, 'renderer', 'features')
  fs.cpSync(path.join(root, 'test/cases/features/echo'), path.join(features, 'echo'), {
    recursive: true,
  })
  fs.rmSync(path.join(features, 'profile'), { recursive: true })
})
afterAll(() => {
  cache.remove()
})

describe('a folder in renderer/features', () => {
  it('a feature folder can be added or deleted, and the window still passes its types', async () => {
    const tsc = path.join(root, 'node_modules/typescript-7/bin/tsc')
    const project = path.join(copy, 'renderer')
    const config = path.join(project, 'tsconfig.json')
    // The copy has links to the types of what the window imports; they are built in the clone.
    await run(tsc, ['-b'], { cwd: root })
    const own = JSON.parse(fs.readFileSync(config, 'utf8')) as { compilerOptions: object }
    // Nothing of this check may be written through the links.
    const compilerOptions = { ...own.compilerOptions, noEmit: true, composite: false }
    fs.writeFileSync(config, JSON.stringify({ ...own, compilerOptions }))
    const checked = await run(tsc, ['-p', project], { cwd: copy }).catch((error: unknown) => error)
    expect(checked).toMatchObject({ stdout: '' })
  })

  it('an added feature is in the dock, the palette, Problems and Stop, and a deleted one is nowhere', async () => {
    const vite = path.join(root, 'node_modules/.bin/vite')
    // How large it is matters to nobody here.
    const options = ['--logLevel', 'error', '--minify', 'false', '--sourcemap', 'false']
    await run(vite, ['build', '--configLoader', 'runner', ...options], {
      cwd: copy,
      env: { ...process.env, NO_COLOR: '1' },
    })
    const folder = copyProject(path.join(root, 'samples/my_op'), cache)
    const app = await App.start(
      cache,
      folder,
      {
        hotCompile: false,
        codeHelp: false,
        buildOnSave: false,
      },
      copy,
    )
    try {
      await app.testId('rail-echo').waitFor()
      expect(await app.testId('rail-profile').count()).toBe(0)
      await app.testId('problem-row').filter({ hasText: 'The echo has a problem.' }).waitFor()

      await app.page.keyboard.press('Control+Alt+Y')
      await app.testId('echo-panel').waitFor()

      const stop = app.testId('toolbar-stop')
      await expect.poll(() => stop.isEnabled()).toBe(false)
      await app.page.keyboard.press('Control+Shift+P')
      await app.testId('palette-input').fill('Echo until stopped')
      await app.page.keyboard.press('Enter')
      await expect.poll(() => stop.isEnabled()).toBe(true)
      await stop.click()
      await expect.poll(() => stop.isEnabled()).toBe(false)

      await app.page.keyboard.press('Control+Shift+P')
      await app.testId('palette-input').fill('Show Profile')
      expect(await app.testId('palette-view.profile').count()).toBe(0)
    } finally {
      await app.close()
    }
  })
})
