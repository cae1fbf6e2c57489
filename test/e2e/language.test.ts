import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { findClangd } from '../../electron/engine/toolchain/find-clangd'
import { changeSettings } from '../../electron/engine/project/settings-file'
import { App } from '../support/app'
import { completions } from '../support/editor-parts'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

const clangd = await findClangd('')
/** libtorch's headers take clangd some seconds, more beside other work. */
const readTime = 480_000

let cache: TestCache
let app: App
let folder: string

const caller = 'src/calculate_force_cpu.cpp'
const kernel = 'src/force_kernel.cpp'

const onDisk = (file: string): string => fs.readFileSync(path.join(folder, file), 'utf8')

/** With the caret after the first `before` of the file. */
const goTo = async (file: string, before: string): Promise<void> => {
  await app.openFile(file)
  const text = await app.text(file)
  const lines = text.slice(0, text.indexOf(before) + before.length).split('\n')
  await app.caretAt(file, lines.length, (lines.at(-1)?.length ?? 0) + 1)
}

const ready = async (): Promise<void> => {
  await app.page.waitForFunction(
    () => {
      const item = document.querySelector<HTMLElement>('[data-testid="status-language"]')
      return item?.dataset['state'] === 'ready' && !item.textContent.includes('reading')
    },
    undefined,
    { timeout: readTime },
  )
}

type Command = { file: string; arguments: string[] }

/** Runs a command as the palette does. */
const command = async (title: string): Promise<void> => {
  await app.page.keyboard.press('Control+Shift+P')
  await app.testId('palette-input').fill(title)
  const chosen = app.testId('palette').locator('[data-selected=true]')
  await chosen.filter({ hasText: title }).waitFor()
  await app.page.keyboard.press('Enter')
}

beforeAll(async () => {
  if (!clangd.ok) return
  cache = makeTestCache()
  // Builds have tests of their own.
  await changeSettings(cache.places.configFolder, { buildOnSave: false })
  folder = copyProject(path.join(root, 'samples/calculate_force'), cache)
  // The window opens the first sources, and clangd takes seconds for the headers of each: only what is used here.
  const manifest = path.join(folder, 'opsmith.json')
  const text = fs.readFileSync(manifest, 'utf8')
  const lists = '"sources": ["src/*.cpp"],\n  "cudaSources": ["src/cuda/*"],'
  expect(text).toContain(lists)
  fs.writeFileSync(manifest, text.replace(lists, `"sources": ${JSON.stringify([caller, kernel])},`))
  app = await App.start(cache, folder, { hotCompile: false })
})
afterAll(async () => {
  if (!clangd.ok) return
  await app.close()
  cache.remove()
})

// clangd gives way to compilers: beside other tests it gets a part of a core.
describe.skipIf(!clangd.ok)('C++ in the editor', { timeout: 2 * readTime }, () => {
  it('a mistake is shown while the user types and disappears when it is corrected', async () => {
    await app.openFile(caller)
    await ready()
    await app.replace(caller, '  return force;', '  return forse;')
    const typed = Date.now()
    await expect
      .poll(async () => (await app.markers(caller)).map((marker) => marker.message).join(), {
        interval: 20,
        timeout: readTime,
      })
      .toMatch(/undeclared identifier 'forse'; did you mean 'force'/)
    process.stderr.write(`a mistake is shown ${Date.now() - typed} ms after it was typed\n`)
    const row = app.testId('problem-row').filter({ hasText: 'forse' })
    await app.testId('tool-tab-problems').click()
    await row.first().waitFor()
    await app.picture('language-mistake')
    await app.replace(caller, '  return forse;', '  return force;')
    await expect.poll(async () => (await app.markers(caller)).length, { timeout: readTime }).toBe(0)
  })

  it('completion and hover work on names of libtorch', async () => {
    const row = completions(app.page).getByRole('option').filter({ hasText: 'empty_like' })
    await ready()
    // It comes by itself, without Ctrl+Space; where clangd had no answer in time, as soon as one types again.
    const typed = async (): Promise<boolean> => {
      await goTo(caller, '  const at::Tensor incoming = grad_output.contiguous();')
      await app.page.keyboard.press('Enter')
      await app.page.keyboard.type('auto y = at::empty_li', { delay: 20 })
      const isShown = await row
        .first()
        .waitFor({ timeout: 20_000 })
        .then(() => true)
        .catch(() => false)
      if (isShown) await app.picture('language-completion')
      await app.page.keyboard.press('Escape')
      for (let count = 0; count < 22; count += 1) await app.page.keyboard.press('Control+Z')
      await expect.poll(async () => (await app.text(caller)) === onDisk(caller)).toBe(true)
      return isShown
    }
    await expect.poll(typed, { timeout: readTime }).toBe(true)

    await goTo(caller, 'const at::Tens')
    await app.page.keyboard.press('Control+K')
    await app.page.keyboard.press('Control+I')
    const hover = app.page.getByRole('tooltip').filter({ hasText: 'TensorBody.h' })
    await hover.first().waitFor({ timeout: readTime })
    await app.picture('language-hover')
    await app.page.keyboard.press('Escape')
  })

  it('"Go to definition" opens a header of libtorch, which is read-only', async () => {
    await goTo(caller, 'const at::Tens')
    await app.page.keyboard.press('F12')
    const header = app.page.locator('[data-testid^="editor-/"][data-testid$="TensorBody.h"]')
    await header.first().waitFor({ timeout: readTime })
    const name = (await header.first().getAttribute('data-testid'))?.slice('editor-'.length) ?? ''
    const before = await app.text(name)
    await app.focused(name)
    await app.page.keyboard.type('x')
    expect(await app.text(name)).toBe(before)
    await app.picture('language-definition')
  })

  it('going to a name of the project leads to its line, with clangd', async () => {
    await ready()
    await app.page.keyboard.press('Control+t')
    await app.testId('palette-input').fill('calculate_force_grad_cpu')
    const chosen = app.testId('palette-symbol').and(app.page.locator('[data-selected=true]'))
    await chosen.filter({ hasText: caller }).waitFor()
    await app.page.keyboard.press('Enter')
    await app.focused(caller)
    const lines = (await app.text(caller)).split('\n')
    const line = lines.findIndex((one) => one.includes('calculate_force_grad_cpu(')) + 1
    await app
      .testId('status-cursor')
      .filter({ hasText: new RegExp(`^${line}:`) })
      .waitFor()
  })

  it('a rename changes every file and saves only on request', async () => {
    const answerTime = 100_000
    const isRenamed = async (): Promise<boolean> =>
      /\bcollect_forces\b/.test(await app.text(kernel))
    // Where clangd had no answer, the window says so, and one asks again.
    const rename = async (): Promise<string> => {
      // By an answer that came late.
      if (await isRenamed()) return 'renamed'
      await goTo(kernel, 'void add_for')
      await ready()
      await app.page.keyboard.press('F2')
      const field = app.page.getByRole('textbox', { name: /^Rename input/ })
      const isShown = await field.waitFor({ timeout: answerTime }).then(
        () => true,
        () => false,
      )
      if (!isShown) return 'no field for the new name'
      await field.fill('collect_forces')
      await app.page.keyboard.press('Enter')
      return await expect
        .poll(isRenamed, { timeout: answerTime })
        .toBe(true)
        .then(
          () => 'renamed',
          async () =>
            `not renamed: ${(await app.testId('notification').allTextContents()).join('; ')}`,
        )
    }
    await expect.poll(rename, { timeout: readTime }).toBe('renamed')
    const files = [kernel, caller, 'include/force_kernel.h']
    for (const file of files) {
      await expect.poll(() => app.text(file), { timeout: readTime }).toMatch(/\bcollect_forces\b/)
      expect(onDisk(file)).not.toMatch(/collect_forces/)
    }
    const told = app.testId('notification').filter({ hasText: 'Renamed to collect_forces' })
    await told.waitFor()
    expect(await told.textContent()).toMatch(/3 places of 3 files.*src\/force_kernel\.cpp:\d+/)
    await app.picture('language-rename')
    await told.getByRole('button', { name: 'Save all' }).click()
    for (const file of files) {
      await expect.poll(() => onDisk(file)).toMatch(/collect_forces/)
    }
  })

  it('the palette offers the language commands', async () => {
    await goTo(kernel, 'void collect_for')
    await command('Find references')
    await app.page.getByText(/References \(\d+\)/).waitFor({ timeout: readTime })
    await app.picture('language-references')
    await app.page.keyboard.press('Escape')
    await app.page.keyboard.press('Control+Shift+P')
    const actions = ['Go to definition', 'Rename in all files', 'Format document', 'Restart clangd']
    for (const action of actions) {
      await app.testId('palette').getByText(action).first().waitFor()
    }
    await app.page.keyboard.press('Escape')
  })

  it('clangd compiles with the options chosen in Settings', async () => {
    const flagsOfKernel = (): string[] => {
      const of = path.join(cache.folder, 'clangd')
      const file = fs
        .readdirSync(of)
        .map((name) => path.join(of, name, 'compile_commands.json'))
        .find((one) => fs.existsSync(one))
      const commands = JSON.parse(fs.readFileSync(file ?? '', 'utf8')) as Command[]
      return commands.find((one) => one.file.endsWith(kernel))?.arguments ?? []
    }
    expect(flagsOfKernel()).toContain('-O2')
    expect(flagsOfKernel()).not.toContain('-ffast-math')
    await command('Show Settings')
    await app.testId('settings-optimization').selectOption('O1')
    await app.testId('settings-fast-math').check()
    await app.testId('settings-march-native').check()
    await expect
      .poll(flagsOfKernel)
      .toEqual(expect.arrayContaining(['-O1', '-ffast-math', '-march=native']))
    expect(flagsOfKernel()).not.toContain('-O2')
  })

  it('code help that is turned off ends clangd, and its commands name the setting', async () => {
    const item = app.testId('status-language')
    const pid = Number(await item.getAttribute('data-pid'))
    await command('Show Settings')
    await app.testId('settings-code-help').uncheck()
    await item.waitFor({ state: 'detached' })
    await expect.poll(() => fs.existsSync(`/proc/${pid}`)).toBe(false)
    await app.openFile(kernel)
    await app.focused(kernel)
    await command('Go to definition')
    const off = app
      .testId('notification')
      .filter({ hasText: 'Code help is off: turn it on in Settings.' })
    await off.waitFor()
    await command('Show Settings')
    await app.testId('settings-code-help').check()
    await item.and(app.page.locator('[data-state=ready]')).waitFor()
  })

  it('a clangd that ends is reported and can be started again', async () => {
    const item = app.testId('status-language')
    const pid = Number(await item.getAttribute('data-pid'))
    // It is shown for some seconds.
    const told = app
      .testId('notification')
      .filter({ hasText: /was killed by SIGKILL/ })
      .waitFor()
    process.kill(pid, 'SIGKILL')
    await told
    await app.picture('language-killed')
    await ready()
    expect(Number(await item.getAttribute('data-pid'))).not.toBe(pid)
    await app.openFile(kernel)
    await app.replace(kernel, 'if (neighbour < 0) continue;', 'if (neighbor < 0) continue;')
    await expect
      .poll(async () => (await app.markers(kernel)).map((marker) => marker.message).join(), {
        timeout: readTime,
      })
      .toMatch(/neighbor/)
  })
})
