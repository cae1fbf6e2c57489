import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'

import { startForkedHost } from '../../electron/engine/host/transport'

let folder = ''
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-transport-'))
})
afterAll(() => {
  fs.rmSync(folder, { recursive: true, force: true })
})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

it('an op host that has ended does not keep the command line running', async () => {
  const entry = path.join(folder, 'host.js')
  fs.writeFileSync(
    entry,
    "process.stdout.write('bye'); process.exitCode = 3\nprocess.disconnect()\n",
  )
  const host = startForkedHost({ entry, environment: {} })
  let output = ''
  host.onOutput((_stream, text) => {
    output += text
  })
  const code = await new Promise((resolve) => {
    host.onExit(resolve)
  })
  expect(code).toBe(3)
  expect(output).toBe('bye')
  expect(vi.getTimerCount()).toBe(0)
})
