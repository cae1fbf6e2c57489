import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { hostCalls } from '../../electron/contract/host-calls'
import { defaultHostLimits, HostClient } from '../../electron/engine/host/host-client'
import { startForkedHost } from '../../electron/engine/host/transport'
import { makeTestCache, testInstallation } from '../support/installation'
import type { TestCache } from '../support/installation'
import { addonPath, loadAddon } from './fixture'

let cache: TestCache
beforeAll(() => {
  cache = makeTestCache()
})
afterAll(() => {
  cache.remove()
})

/** A host whose addon is the real one with another table of calls, as one of another version has. */
function startWith(calls: string): HostClient {
  const folder = fs.mkdtempSync(path.join(cache.home, 'addon-'))
  const file = path.join(folder, 'opsmith_native.node')
  const text = `const addon = require(${JSON.stringify(addonPath)})
    module.exports = { ...addon, calls: ${calls} }`
  fs.writeFileSync(`${file}.cjs`, text)
  return new HostClient({
    generation: 1,
    installation: { ...testInstallation(cache), addonFolder: folder },
    startHost: (launch) =>
      startForkedHost({
        ...launch,
        environment: { ...launch.environment, OPSMITH_ADDON_FILE: `${file}.cjs` },
      }),
    limits: defaultHostLimits,
    userFolders: () => [],
    sandbox: { isOn: true, folders: [] },
    kernels: 'gpu',
    environment: {},
  })
}

async function refusalOf(host: HostClient): Promise<{ message: string; hint: string }> {
  const ready = await host.ready
  const exit = await host.ended
  expect(exit.reason).toBe('stopped')
  if (ready.ok) throw new Error('the host should have been refused')
  expect(ready.error.code).toBe('host.unavailable')
  return { message: ready.error.message, hint: ready.error.hint ?? '' }
}

describe('the table of host calls', () => {
  it('the contract and the addon have the same calls', () => {
    expect([...loadAddon().calls].toSorted()).toEqual(Object.keys(hostCalls).toSorted())
  })

  it('a host starts although its addon has the calls in another order', async () => {
    const host = startWith('[...addon.calls].reverse()')
    expect(await host.ready).toMatchObject({ ok: true })
    host.kill('stopped')
    await host.ended
  })

  it('an addon that lacks a call is refused with its name and what to do', async () => {
    const { message, hint } = await refusalOf(
      startWith(`addon.calls.filter((name) => name !== 'timing.sample')`),
    )
    expect(message).toContain('the addon lacks the calls timing.sample')
    expect(hint).toContain('npm run setup')
  })

  it('an addon with a call that the contract lacks is refused', async () => {
    const { message } = await refusalOf(startWith(`[...addon.calls, 'timing.guess']`))
    expect(message).toContain('only the addon has the calls timing.guess')
  })

  it('an addon that declares a call twice is refused', async () => {
    const { message } = await refusalOf(startWith(`[...addon.calls, 'tensor.page']`))
    expect(message).toContain('declares the calls tensor.page twice')
  })

  it('an addon without a table of calls is refused with a list of all calls', async () => {
    const { message } = await refusalOf(startWith('undefined'))
    expect(message).toContain('host.ping')
    expect(message).toContain('graph.archive')
  })
})
