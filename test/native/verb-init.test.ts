import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, expect, it } from 'vitest'

import { opsmith } from '../support/command-line'
import { copyProject, makeTestCache, root } from '../support/installation'

const cache = makeTestCache()
afterAll(() => {
  cache.remove()
})

const copyCase = (name: string): string =>
  copyProject(path.join(root, 'test/cases/import', name), cache)

it.each([
  ['template', 'template_ops', 'template_ops::muladd(Tensor a, Tensor b, float c) -> Tensor'],
  ['several', 'norm_cpp', 'norm_cpp::norm(Tensor x) -> Tensor'],
])('%s builds from `opsmith init --yes` alone', async (name, library, schema) => {
  const folder = copyCase(name)
  const made = await opsmith(cache, 'init', folder, '--yes')
  expect(made, made.stderr).toMatchObject({ code: 0 })
  expect(made.stdout).toContain('← setup.py:')
  expect(made.stderr).toContain(`Next: opsmith build ${folder}`)
  const built = await opsmith(cache, 'schemas', folder)
  expect(built, built.stderr).toMatchObject({ code: 0 })
  expect(built.stdout).toContain(schema)
  expect(fs.existsSync(path.join(folder, 'build', `lib${library}.so`))).toBe(true)
})

it('without a terminal and without --yes the proposal is printed, and nothing is written', async () => {
  const folder = copyCase('no_build_file')
  const shown = await opsmith(cache, 'init', folder)
  expect(shown.code).toBe(1)
  expect(shown.stdout).toContain('"src/bind.cpp"')
  expect(shown.stderr).toContain('--yes writes opsmith.json')
  expect(fs.existsSync(path.join(folder, 'opsmith.json'))).toBe(false)
  const untrusted = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-init-'))
  fs.cpSync(path.join(root, 'test/cases/import/several'), untrusted, { recursive: true })
  const read = await opsmith(cache, 'init', untrusted, '--extension', 'norm_cpp')
  fs.rmSync(untrusted, { recursive: true })
  expect(read.stderr).toContain('setup.py was not run: its authors are not trusted')
  expect(read.stderr).toContain('the text of setup.py was read')
  const wrong = await opsmith(cache, 'init', folder, '--python', '/no/python', '--json')
  expect(wrong.code).toBe(1)
  expect(JSON.parse(wrong.stdout)).toMatchObject({ written: false, source: 'sources' })
})
