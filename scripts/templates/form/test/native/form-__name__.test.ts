import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { opsmith } from '../support/command-line'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

let cache: TestCache
let project: string

beforeAll(() => {
  cache = makeTestCache()
  project = copyProject(path.join(root, 'samples/my_op'), cache)
})
afterAll(() => {
  cache.remove()
})

describe('the export form __name__', () => {
  it('the files of the form are written and proven', async () => {
    const out = path.join(cache.home, 'out')
    const words = ['export', project, '--as', '__name__', '--out', out, '--json']
    const { code, stdout, stderr } = await opsmith(cache, ...words)
    expect(code, `${stdout}${stderr}`).toBe(0)
    expect(fs.readdirSync(path.join(out, '__name__')).toSorted()).toEqual([
      'README.md',
      'libmy_op.so',
      'opsmith-export.json',
    ])
    const answer = JSON.parse(stdout) as { forms: { steps: { name: string; status: string }[] }[] }
    expect(answer.forms[0]?.steps.find(({ name }) => name === 'load in Python')?.status).toBe('ok')
  })
})
