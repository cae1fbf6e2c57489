import fs from 'node:fs'
import path from 'node:path'

import { afterAll, expect, it } from 'vitest'

import { opsmith } from '../support/command-line'
import { copyUnoptimized, makeTestCache, root } from '../support/installation'

/** A run and a gradcheck with checked kernels find what depends on the order of blocks, and only that. */

const cache = makeTestCache()
const folder = copyUnoptimized(path.join(root, 'test/cases/order_of_blocks'), cache)
afterAll(() => {
  cache.remove()
})

const lineOf = (text: string): number => {
  const source = fs.readFileSync(path.join(folder, 'op.cu'), 'utf8').split('\n')
  return source.findIndex((line) => line.includes(text)) + 1
}

function withCalls(...operators: string[]): void {
  const file = path.join(folder, 'opsmith.json')
  const manifest = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, unknown>
  const calls = operators.map((name) => ({ op: `order_of_blocks::${name}`, args: ['x'] }))
  fs.writeFileSync(file, JSON.stringify({ ...manifest, calls }))
}

interface Printed {
  kernels: { findings: { check: string; kernel: string; place: { line: number } }[] }
}

it('a run whose result shows which block came first has a finding at the atomic', async () => {
  withCalls('select')
  const { code, stdout, stderr } = await opsmith(cache, 'run', folder, '--check-kernels', '--json')
  expect(code, stderr).toBe(1)
  expect((JSON.parse(stdout) as Printed).kernels.findings).toMatchObject([
    {
      check: 'order-dependence',
      kernel: 'select_kernel',
      place: { line: lineOf('out[atomicAdd(count, 1)]') },
    },
  ])
  expect(stderr).toContain('The result depends on the order in which blocks and warps run')
})

it('a run with the same kernel is right if its result does not show the order', async () => {
  withCalls('select_sorted')
  const { code, stdout, stderr } = await opsmith(cache, 'run', folder, '--check-kernels', '--json')
  expect(code, stderr).toBe(0)
  expect((JSON.parse(stdout) as Printed).kernels.findings).toEqual([])
})

it('a gradcheck names the backward kernel whose result differs', async () => {
  const { code, stdout, stderr } = await opsmith(
    cache,
    'gradcheck',
    folder,
    '--check-kernels',
    '--json',
  )
  expect(code, stderr).toBe(1)
  expect((JSON.parse(stdout) as Printed).kernels.findings).toMatchObject([
    {
      check: 'order-dependence',
      kernel: 'repeat_backward_kernel',
      place: { line: lineOf('seen = atomicCAS') },
    },
  ])
})
