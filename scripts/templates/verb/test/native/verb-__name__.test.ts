import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { opsmith } from '../support/command-line'
import { makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

let cache: TestCache

beforeAll(() => {
  cache = makeTestCache()
})
afterAll(() => {
  cache.remove()
})

describe('opsmith __name__', () => {
  it('the sources of a project are listed', async () => {
    const project = path.join(root, 'samples/my_op')
    const { code, stdout } = await opsmith(cache, '__name__', project, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ ok: true, sources: ['op.cpp'] })
  })

  it('a folder without opsmith.json gets an error', async () => {
    const { code, stderr } = await opsmith(cache, '__name__', cache.home)
    expect(code).toBe(2)
    expect(stderr).toContain('opsmith.json')
  })
})
