import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { problemMessage } from '../support/editor-parts'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

const buildTime = 170_000
let cache: TestCache
let folder: string
let app: App

beforeAll(async () => {
  cache = makeTestCache()
  folder = copyProject(path.join(root, 'samples/warp_perspective'), cache)
  // OpenCV is not what this is about.
  fs.writeFileSync(
    path.join(folder, 'opsmith.json'),
    '{ "name": "linted", "sources": ["op.cpp"] }\n',
  )
  fs.writeFileSync(path.join(folder, 'op.cpp'), source)
  app = await App.start(cache, folder)
  await app.openFile('op.cpp')
})
afterAll(async () => {
  await app.close()
  cache.remove()
})

const source = `#include <ATen/ATen.h>
#include <torch/library.h>

at::Tensor first(const at::Tensor& x) {
  TORCH_CHECK(x.scalar_type() == at::kFloat, "first: x must be float32");
  const at::Tensor rows = x.contiguous();
  const float* from = rows.const_data_ptr<float>();
  return at::full({1}, from[0]);
}

TORCH_LIBRARY(linted, m) {
  m.def("first(Tensor x) -> Tensor", &first);
}
`

describe('lints', () => {
  it('a lint shows while the user types, gives its reason, and its quick fix removes it', async () => {
    expect(await app.markers('op.cpp')).toEqual([])
    await app.replace('op.cpp', 'from = rows.const', 'from = x.const')
    const row = app.page.locator('[data-code="opsmith-not-contiguous"]')
    // Lints wait until the first build has ended.
    await row.waitFor({ timeout: buildTime })
    const markers = await app.markers('op.cpp')
    expect(markers.map(({ line, severity }) => ({ line, severity }))).toEqual([
      { line: 7, severity: 'warning' },
    ])
    await row.getByTestId('problem-more').click()
    await row.getByTestId('markdown').waitFor()
    expect(await row.getByTestId('markdown').locator('pre').first().textContent()).toContain(
      'x.contiguous()',
    )
    await app.page.emulateMedia({ colorScheme: 'dark' })
    await app.picture('lint-dark')
    await app.page.emulateMedia({ colorScheme: 'light' })
    expect(await row.getByTestId('markdown').locator('p').first().textContent()).toMatch(
      /^The code uses a pointer to the elements of a tensor/,
    )
    await row.getByTestId('problem-fix').first().click()
    await row.waitFor({ state: 'detached' })
    // The list has the keyboard: a key must not change the text.
    await app.page.locator('[data-testid=tool-problems]:focus').waitFor()
    await app.page.keyboard.press('x')
    expect(await app.text('op.cpp')).toContain('const auto x_contiguous = x.contiguous();')
    expect(await app.text('op.cpp')).toContain('from = x_contiguous.const_data_ptr')
  })

  it('the code of a lint in the hover of the editor opens its entry in Help', async () => {
    await app.setText('op.cpp', source.replace('from = rows.const', 'from = x.const'))
    await app.page.locator('[data-code="opsmith-not-contiguous"]').waitFor()
    const place = await app.page.evaluate(() => window.opsmithTest?.markers('op.cpp')[0])
    await app.caretAt('op.cpp', place?.line ?? 0, place?.column)
    await app.page.keyboard.press('Control+k')
    await app.page.keyboard.press('Control+i')
    await app.page.getByRole('link', { name: 'opsmith-not-contiguous' }).click()
    const heading = app.page.locator('[data-anchor="opsmith-not-contiguous"]')
    await expect.poll(() => heading.evaluate((one) => one === document.activeElement)).toBe(true)
    expect(await app.testId('help-guide').getAttribute('data-page')).toBe('reference/lints')
    await app.setText('op.cpp', source)
    await app.openFile('op.cpp')
  })

  it('F8 goes to the next lint and shows its message at the line, until Escape', async () => {
    const two = source.replace('from = rows.const', 'from = x.const')
    await app.setText(
      'op.cpp',
      two.replace('const at::Tensor& x)', 'const at::Tensor& x, float a)'),
    )
    await expect.poll(async () => (await app.markers('op.cpp')).length).toBe(2)
    await app.caretAt('op.cpp', 1)
    const message = problemMessage(app.page)
    for (const [key, line, text] of [
      ['F8', 4, /first has an/],
      ['F8', 7, /x may not be/],
      ['F8', 4, /first has an/],
      ['Shift+F8', 7, /x may not be/],
    ] as const) {
      await app.page.keyboard.press(key)
      await message.filter({ hasText: text }).waitFor()
      await app
        .testId('status-cursor')
        .filter({ hasText: new RegExp(`^${line}:`) })
        .waitFor()
    }
    await app.pictures('problem')
    await app.page.keyboard.press('Escape')
    await message.waitFor({ state: 'detached' })
    await app.focused('op.cpp')
    await app.setText('op.cpp', source)
    await expect.poll(() => app.markers('op.cpp')).toEqual([])
  })

  it("the editor's quick fix menu offers the fix of a lint", async () => {
    await app.setText(
      'op.cpp',
      source.replace('const at::Tensor& x)', 'const at::Tensor& x, float a)'),
    )
    await app.page.waitForFunction(() =>
      window.opsmithTest?.markers('op.cpp').some((marker) => marker.line === 4),
    )
    await app.caretAt('op.cpp', 4)
    const place = await app.page.evaluate(() => window.opsmithTest?.markers('op.cpp')[0])
    expect(place?.message).toContain('has an argument of type float')
    await app.testId('editor-op.cpp').getByRole('textbox').first().focus()
    await app.page.keyboard.press('End')
    for (let back = 0; back < 6; back += 1) await app.page.keyboard.press('ArrowLeft')
    await app.page.keyboard.press('Control+.')
    await app.page.getByText('Change float to double').first().waitFor()
    await app.picture('lint-quick-fix')
    await app.page.keyboard.press('Enter')
    await app.page.waitForFunction(() =>
      window.opsmithTest?.editorText('op.cpp')?.includes('double a)'),
    )
  })

  it("a compiler error is explained in a sentence, and the compiler's own text is one click away", async () => {
    await app.setText(
      'op.cpp',
      source.replace('const at::Tensor& x)', 'const at::Tensor& x, float factor)'),
    )
    await app.save()
    const row = app.page.locator('[data-testid="problem-row"][data-severity="error"]').first()
    await row.waitFor({ timeout: buildTime })
    const text = await row.getByTestId('problem-text').textContent()
    expect(text).toContain('An operator cannot take float')
    expect((await app.markers('op.cpp')).some((marker) => marker.severity === 'error')).toBe(true)
    await row.getByTestId('problem-more').click()
    await row.getByTestId('markdown').waitFor()
    await row.getByText('Message of the compiler').click()
    const raw = await row.locator('details pre').textContent()
    expect(raw).toContain('static assertion failed')
    await app.picture('compiler-text')
  })
})
