import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, expect, it } from 'vitest'

import { opsmith } from '../support/command-line'
import { makeTestCache } from '../support/installation'
import type { TestCache } from '../support/installation'

let cache: TestCache
let folder: string

beforeAll(() => {
  cache = makeTestCache(['code'])
  folder = path.join(cache.folder, 'code')
})
afterAll(() => cache.remove())

const kept = (): string[] => fs.readdirSync(folder).map((name) => path.join(folder, name))
const bytesOf = (file: string): number => fs.statSync(file).size

it('a command keeps its compiled code, and the next one takes it as it is', async () => {
  expect((await opsmith(cache, '--version')).code).toBe(0)
  const [file = '', ...others] = kept()
  expect(others).toEqual([])
  expect(path.basename(file)).toMatch(/^cli\.bundle\.cjs-.*\.bin$/)
  expect(bytesOf(file)).toBeGreaterThan(100_000)
  const { mtimeMs } = fs.statSync(file)
  // Reading sources sets flags of V8: code that was made without them would be compiled again each time.
  expect((await opsmith(cache, 'lint', path.join(__dirname, '../../samples/my_op'))).code).toBe(0)
  expect((await opsmith(cache, '--version')).code).toBe(0)
  expect(fs.statSync(file).mtimeMs).toBe(mtimeMs)
})

it('damaged code and a folder that cannot be written do not stop a command', async () => {
  const [file = ''] = kept()
  const good = bytesOf(file)
  fs.writeFileSync(file, 'not code')
  expect((await opsmith(cache, '--version')).code).toBe(0)
  expect(bytesOf(file)).toBeGreaterThan(good / 2)
  fs.rmSync(folder, { recursive: true })
  fs.writeFileSync(folder, '')
  const { code, stderr } = await opsmith(cache, '--version')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})
