import fs from 'node:fs'
import path from 'node:path'

import { afterAll, expect, it } from 'vitest'

import { opsmith } from '../support/command-line'
import { copyProject, makeTestCache, root } from '../support/installation'

/** `--check-kernels`: findings as text, as JSON, as JUnit, and as an exit code. */

const cache = makeTestCache()
const folder = copyProject(path.join(root, 'test/cases/virtual_gpu_project'), cache)
afterAll(() => {
  cache.remove()
})

function withCalls(calls: readonly object[]): void {
  const file = path.join(folder, 'opsmith.json')
  const manifest = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, unknown>
  fs.writeFileSync(file, JSON.stringify({ ...manifest, calls }))
}

it('a race fails `opsmith run`, with its line in the text and in the JSON', async () => {
  withCalls([{ op: 'gpu_project::mirror', args: ['row', false] }])
  const source = fs.readFileSync(path.join(folder, 'op.cu'), 'utf8').split('\n')
  const line = source.findIndex((text) => text.includes('+ row[63')) + 1
  const plain = await opsmith(cache, 'run', folder)
  expect(plain.code).toBe(0)
  const checked = await opsmith(cache, 'run', folder, '--check-kernels', '--json')
  expect(checked.code).toBe(1)
  expect(checked.stderr).toMatch(new RegExp(`op\\.cu:${line}: shared-race: Two threads`))
  expect(JSON.parse(checked.stdout)).toMatchObject({
    ok: true,
    kernels: {
      launches: 1,
      findings: expect.arrayContaining([
        expect.objectContaining({ check: 'shared-race', kernel: 'mirror_kernel' }),
      ]) as unknown,
    },
  })
})

it('a run without kernels is no pass', async () => {
  withCalls([])
  const checked = await opsmith(cache, 'run', folder, '--check-kernels')
  expect(checked.code).toBe(1)
  expect(checked.stderr).toContain('no kernel ran, so nothing was checked')
})

it('a gradcheck passes, and its JUnit has what the checks of its kernels found: nothing', async () => {
  const junit = path.join(cache.home, 'kernels.xml')
  const checked = await opsmith(cache, 'gradcheck', folder, '--check-kernels', '--junit', junit)
  expect(checked.code, checked.stderr).toBe(0)
  expect(checked.stderr).toMatch(/no findings; \d+ launches and \d+ accesses to memory checked/)
  const xml = fs.readFileSync(junit, 'utf8')
  expect(xml).toMatch(/<testsuite name="kernel checks" tests="1" failures="0"/)
})
