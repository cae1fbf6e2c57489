import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { activeParameter, completions, decorations, signatureHelp } from '../support/editor-parts'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

const buildTime = 170_000
let cache: TestCache
let app: App
let folder: string
let program: string

beforeAll(async () => {
  cache = makeTestCache()
  folder = copyProject(path.join(root, 'samples/gc_layer'), cache)
  program = fs.readFileSync(path.join(folder, 'program.py'), 'utf8')
  app = await App.start(cache, folder)
  await app.built(buildTime)
})
afterAll(async () => {
  await app.close()
  cache.remove()
})

/** Runs a command as the palette does. */
async function command(title: string): Promise<void> {
  await app.page.keyboard.press('Control+Shift+P')
  await app.testId('palette-input').fill(title)
  await app.page.keyboard.press('Enter')
}

const messages = async (): Promise<string[]> =>
  (await app.markers('program.py')).map(({ line, message }) => `${line}: ${message}`)

const cursorLine = async (): Promise<number> =>
  Number(((await app.testId('status-cursor').textContent()) ?? '').split(':')[0])

/** The caret at the end of a line, as a click would put it. */
async function caretAt(file: string, line: number): Promise<void> {
  await app.caretAt(file, line)
  await app.page.keyboard.press('End')
}

describe('the TorchScript program in the editor', () => {
  it('errors of each function show while the user types and disappear when they are corrected', async () => {
    await app.openFile('program.py')
    await expect.poll(messages).toEqual([])
    const wrong = `${program}

def short(a, x, w):
    return torch.ops.gc_layer.gc_layer(a, x, w)


def unknown(x):
    return torch.ops.gc_layer.nothing(x)
`
    await app.setText('program.py', wrong)
    const typed = performance.now()
    await expect.poll(messages, { interval: 20 }).toHaveLength(2)
    console.log(`errors of the program shown after ${Math.round(performance.now() - typed)} ms`)
    const [first = '', second = ''] = await messages()
    const lineOf = (text: string): number =>
      wrong.split('\n').findIndex((line) => line.includes(text)) + 1
    expect(first).toBe(
      `${lineOf('.gc_layer(a, x, w)')}: gc_layer::gc_layer does not accept these arguments: Argument b not provided`,
    )
    expect(second).toBe(`${lineOf('nothing(x)')}: Unknown builtin op: gc_layer::nothing`)
    await command('Show Problems')
    const rows = app.testId('problem-row')
    await expect.poll(() => rows.count()).toBe(2)
    expect(await rows.first().textContent()).toContain('torchscript')
    await app.picture('program-problems')
    await app.setText('program.py', program)
    await expect.poll(messages, { interval: 20 }).toEqual([])
    await expect.poll(() => rows.count()).toBe(0)
  })

  it('operators are completed, signatures and schemas are shown, and F12 goes to the kernel', async () => {
    const { keyboard } = app.page
    const lines = program.trimEnd().split('\n').length
    await caretAt('program.py', lines)
    await keyboard.press('Enter')
    await keyboard.type('y = torch.ops.')
    const suggestions = completions(app.page)
    await suggestions.getByText('gc_layer', { exact: true }).first().waitFor()
    await keyboard.type('gc_layer.')
    await suggestions.getByText('gc_layer', { exact: true }).first().waitFor()
    await suggestions.getByText('backward', { exact: true }).first().waitFor()
    await app.picture('program-completion')
    await keyboard.type('gc_layer')
    await keyboard.press('Escape')
    await keyboard.type('(a, ')
    const signature = signatureHelp(app.page)
    await signature.getByText('Tensor w').first().waitFor()
    await expect.poll(() => activeParameter(app.page).textContent()).toBe('Tensor x')
    await app.picture('program-signature')
    await keyboard.press('Escape')

    await app.setText('program.py', program)
    const call = program.split('\n').findIndex((line) => line.includes('return torch.ops')) + 1
    await caretAt('program.py', call)
    // Within the operator's name.
    const at = (program.split('\n')[call - 1] ?? '').indexOf('.gc_layer(') + 3
    await keyboard.press('Home')
    await keyboard.press('Home')
    for (let step = 0; step < at; step += 1) await keyboard.press('ArrowRight')
    await keyboard.press('Control+K')
    await keyboard.press('Control+I')
    const hover = app.page.getByRole('tooltip')
    await hover.getByText('gc_layer::gc_layer(Tensor a').first().waitFor()
    await app.picture('program-hover')
    await keyboard.press('Escape')
    await keyboard.press('F12')
    const source = fs.readFileSync(path.join(folder, 'gc_layer.cpp'), 'utf8').split('\n')
    const kernel = source.findIndex((text) => text.includes('gc_forward(')) + 1
    await app.focused('gc_layer.cpp')
    await expect.poll(cursorLine).toBe(kernel)
  })
})

describe('the assembly panel', () => {
  it('the panel shows the function at the caret and colours its lines in both editors', async () => {
    const source = fs.readFileSync(path.join(folder, 'gc_layer.cpp'), 'utf8').split('\n')
    const line = source.findIndex((text) => text.includes('a.mm(x)')) + 1
    await command('Show Assembly')
    await app.testId('assembly-panel').waitFor()
    await caretAt('gc_layer.cpp', line)
    await app.testId('assembly-name').filter({ hasText: 'gc_forward' }).waitFor()
    const rows = app.testId('assembly-row')
    await app.page.locator(`[data-testid=assembly-row][data-line="${line}"]`).first().waitFor()
    expect(Number(await app.testId('assembly-rows').getAttribute('data-rows'))).toBeGreaterThan(100)
    expect(await app.testId('assembly-mix').textContent()).toMatch(/\d+ instructions\d+ calls/)
    await decorations(app.page, 'assembly-gutter').first().waitFor()
    await command('Theme: dark')
    await app.picture('assembly-dark')

    // A row leads to its line.
    const other = await rows.evaluateAll(
      (all, own) =>
        all
          .map((row) => Number(row.getAttribute('data-line')))
          .find((number) => number > 0 && number !== own) ?? 0,
      line,
    )
    expect(other).toBeGreaterThan(0)
    await app.page.locator(`[data-testid=assembly-row][data-line="${other}"]`).first().click()
    await expect.poll(cursorLine).toBe(other)
    // The pointer on a row marks its line in the editor.
    await decorations(app.page, 'assembly-hover').first().waitFor()

    // What clang says of the lines, after them in the editor too.
    await app.testId('assembly-remarks').check()
    await decorations(app.page, 'assembly-after').first().waitFor({ timeout: buildTime })
    await app.testId('assembly-rows').focus()
    await app.page.keyboard.press('Home')
    await expect.poll(() => app.testId('assembly-foot').textContent()).toContain('Push')
    // It leaves the precompiled header as it is: seconds, not ten.
    await app.testId('assembly-against').selectOption({ label: 'other flags …' })
    await app.testId('assembly-flags').fill('-Xclang -disable-llvm-passes')
    await app.page.keyboard.press('Enter')
    await app.testId('assembly-compared').waitFor({ timeout: buildTime })
    expect(await app.testId('assembly-compared-with').textContent()).toMatch(
      /disable-llvm-passes: \d+ instructions\+ now: \d+ instructions\d+ rows differ/,
    )
    // The other side is chosen as freely.
    await app.testId('assembly-base').selectOption({ label: 'other flags …' })
    await app
      .testId('assembly-base-flags')
      .fill('-Xclang -disable-llvm-passes -Xclang -disable-lifetime-markers')
    await app.page.keyboard.press('Enter')
    await expect
      .poll(() => app.testId('assembly-compared-with').textContent(), { timeout: buildTime })
      .toMatch(
        /disable-llvm-passes: \d+ instructions\+ .*-disable-lifetime-markers: \d+ instructions/,
      )
    await app.picture('assembly-compared')
    await app.testId('assembly-against').selectOption('')
    await app.testId('assembly-remarks').uncheck()

    await app.testId('assembly-function').selectOption({ index: 1 })
    await app.testId('assembly-name').filter({ hasText: 'gc_backward' }).waitFor()
    expect(await app.testId('assembly-follow').isChecked()).toBe(false)
    await app.testId('assembly-show-addresses').check()
    await app.testId('assembly-show-inlined').uncheck()
    await command('Theme: light')
    await app.picture('assembly-light')
  })

  it('the panel shows the new instructions after a build', async () => {
    const count = async (): Promise<string> =>
      (await app.testId('assembly-mix').textContent())?.match(/^\d+/)?.[0] ?? ''
    const before = await count()
    await app.openFile('gc_layer.cpp')
    const text = await app.text('gc_layer.cpp')
    const backward = text.slice(text.indexOf('gc_backward'))
    const statement = /return [^;]+;/.exec(backward)?.[0] ?? ''
    expect(statement).not.toBe('')
    await app.replace('gc_layer.cpp', statement, `TORCH_CHECK(a.numel() != 77); ${statement}`)
    await app.save()
    await expect.poll(count, { timeout: buildTime }).not.toBe(before)
    expect(await app.testId('assembly-name').textContent()).toBe('gc_backward')
  })
})

describe('the build time chart', () => {
  it('the flame chart shows the phases of each file and what took the longest', async () => {
    await command('Show Build')
    await app.testId('build-time').click()
    await app.testId('build-trace').click()
    const flame = app.testId('build-flame')
    await flame.waitFor({ timeout: buildTime })
    expect(Number(await flame.getAttribute('data-spans'))).toBeGreaterThan(20)
    const phases = (await app.testId('build-phases').textContent()) ?? ''
    expect(phases).toMatch(/gc_layer\.cpp[\d.]+ m?s/)
    await flame.focus()
    await app.page.keyboard.press('ArrowRight')
    expect(await app.testId('build-time-selected').textContent()).toMatch(/gc_layer\.cpp.*compiler/)
    await app.page.keyboard.press('ArrowDown')
    expect(await app.testId('build-time-selected').textContent()).toContain('ExecuteCompiler')
    await app.picture('build-time-light')
    await command('Theme: dark')
    await app.picture('build-time-dark')
  })
})
