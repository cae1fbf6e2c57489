import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { makeTestCache } from '../support/installation'
import type { TestCache } from '../support/installation'
import { onTerminal } from '../support/on-terminal'

let cache: TestCache

beforeAll(() => {
  cache = makeTestCache()
  const loud = path.join(cache.home, 'loud')
  const order = String.raw`printf '\033]0;stolen title\007\033[31mred\033[0m\n'; ${''}`
  fs.writeFileSync(loud, `#!/bin/sh\n${order}${order}>&2; exit 3\n`, { mode: 0o755 })
  const targets = {
    loud: { command: ['sh', '-c', `${order}exec "$@"`, 'profile'], opsmith: loud },
  }
  fs.writeFileSync(
    path.join(cache.places.configFolder, 'settings.json'),
    JSON.stringify({ targets }),
  )
})
afterAll(() => {
  cache.remove()
})

describe('--on in a terminal', () => {
  it('a terminal gets colours from there, and no other orders', async () => {
    const { shown, ended } = onTerminal(cache, 'schema', '--on', 'loud')
    expect(await ended).toBe(3)
    // Of the profile, of stdout and of stderr.
    expect(shown().split('\x1b[31mred\x1b[0m')).toHaveLength(4)
    expect(shown()).not.toContain('\x1b]0;')
  })
})
