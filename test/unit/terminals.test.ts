import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, expect, it, vi } from 'vitest'

import { Terminals } from '../../electron/main/terminals'
import { makeTestCache, testInstallation } from '../support/installation'

const cache = makeTestCache()
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-terminals-'))
let said = ''
const terminals = new Terminals({
  onText: (_, text) => {
    said += text
  },
  onEnd: () => undefined,
})

beforeAll(() => {
  vi.stubEnv('SHELL', '/bin/sh')
})
afterAll(() => {
  vi.unstubAllEnvs()
  fs.rmSync(folder, { recursive: true, force: true })
  cache.remove()
})

/** Starts a shell that runs the script, and closes its terminal once it has begun. */
async function closeWhile(script: string): Promise<void> {
  fs.writeFileSync(path.join(folder, 'script.sh'), `${script}\necho begun$$\n`)
  said = ''
  const size = { columns: 80, rows: 24 }
  const started = await terminals.start(testInstallation(cache), folder, size)
  if (!started.ok) throw new Error(started.error.message)
  terminals.write(started.value.terminal, 'exec sh script.sh\r')
  await expect.poll(() => said).toMatch(/begun\d+/)
  await terminals.close(started.value.terminal)
}

it('a shell that is closed may clean up first', async () => {
  const cleaned = path.join(folder, 'cleaned')
  await closeWhile(`trap 'sleep 0.2; echo > cleaned; exit' HUP; (sleep 30) & echo begun$$; wait`)
  expect(fs.existsSync(cleaned)).toBe(true)
})

it('a shell that ignores that is ended', async () => {
  await closeWhile(`trap '' HUP; echo begun$$; while :; do sleep 0.1; done`)
  const pid = /begun(\d+)/.exec(said)?.[1] ?? ''
  await expect.poll(() => fs.existsSync(`/proc/${pid}`)).toBe(false)
})
