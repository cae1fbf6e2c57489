import fs from 'node:fs'
import path from 'node:path'

import { afterAll, expect, it } from 'vitest'

import { opsmith } from '../support/command-line'
import { copyUnoptimized, makeTestCache, root } from '../support/installation'

/** `--check-kernels`: findings as text, as JSON, as JUnit, and as an exit code. */

const cache = makeTestCache()
const folder = copyUnoptimized(path.join(root, 'test/cases/virtual_gpu_project'), cache)
afterAll(() => {
  cache.remove()
})

function withEntries(entries: { calls?: readonly object[]; checks?: readonly object[] }): void {
  const file = path.join(folder, 'opsmith.json')
  const manifest = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, unknown>
  fs.writeFileSync(file, JSON.stringify({ ...manifest, ...entries }))
}

const lineOf = (text: string): number => {
  const source = fs.readFileSync(path.join(folder, 'op.cu'), 'utf8').split('\n')
  return source.findIndex((line) => line.includes(text)) + 1
}

it('a race fails `opsmith run`, with its line in the text and in the JSON', async () => {
  withEntries({ calls: [{ op: 'gpu_project::mirror', args: ['row', false] }] })
  const line = lineOf('+ row[63')
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
  withEntries({ calls: [] })
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

it('what a kernel does wrong fails the operator check that launched it, once', async () => {
  const checks = ['mutation', 'aliasing']
  withEntries({
    checks: [
      { op: 'gpu_project::mirror', args: ['row', false], checks, shapes: 0 },
      // The check `threads` is skipped: kernels are checked one host thread at a time.
      { op: 'gpu_project::mirror', args: ['row', true], checks: [...checks, 'threads'], shapes: 0 },
      { op: 'gpu_project::past_end', args: ['row'], checks: ['mutation'], shapes: 0 },
      { op: 'gpu_project::claim', args: ['keys'], checks: ['determinism'], shapes: 0 },
    ],
  })
  const junit = path.join(cache.home, 'checks.xml')
  const checked = await opsmith(
    cache,
    'check',
    folder,
    '--check-kernels',
    '--json',
    '--junit',
    junit,
  )
  expect(checked.code, checked.stderr).toBe(1)
  const { results, operators } = JSON.parse(checked.stdout) as {
    results: { operator: number; status: string; reason?: string; line?: number }[]
    operators: { verdict: string }[]
  }
  expect(operators.map(({ verdict }) => verdict)).toEqual(['failed', 'passed', 'failed', 'failed'])
  const failed = results.filter(({ status }) => status === 'failed')
  expect(failed).toMatchObject([
    {
      operator: 0,
      // Without the barrier a thread reads what the other has not written, and races with it.
      reason: expect.stringMatching(
        /^(uninitialized-read: A kernel reads|shared-race: Two)/,
      ) as unknown,
      file: path.join(folder, 'op.cu'),
      kernels: expect.arrayContaining([
        expect.objectContaining({ check: 'shared-race', kernel: 'mirror_kernel' }),
      ]) as unknown,
    },
    {
      operator: 2,
      reason: expect.stringMatching(/out-of-bounds: A kernel writes 4 bytes/) as unknown,
      line: lineOf('x[count] = 1'),
    },
    {
      operator: 3,
      reason: expect.stringMatching(/^two calls on the same input/) as unknown,
      kernels: [
        expect.objectContaining({
          check: 'order-dependence',
          kernel: 'claim_kernel',
          place: { file: path.join(folder, 'op.cu'), line: lineOf('atomicCAS') },
        }),
      ],
    },
  ])
  expect([lineOf('+ row[63'), lineOf('row[threadIdx.x] = x')]).toContain(failed[0]?.line)
  const xml = fs.readFileSync(junit, 'utf8')
  expect(xml).toMatch(/<failure message="(uninitialized-read|shared-race): /)
  expect(xml).toContain('shared-race: Two threads access')
})
