import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, expect, it, vi } from 'vitest'

import { defaultSettings, settings } from '../../electron/contract/settings'
import { findNewerVersion, versionAddress } from '../../electron/engine/project/version-check'

let folder: string
let server: http.Server
let requests: http.IncomingMessage[]
let answer: { status: number; text: string; headers?: Record<string, string> }

beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-version-'))
  requests = []
  answer = { status: 200, text: '{"tag_name": "v1.10.0"}' }
  server = http.createServer((request, response) => {
    requests.push(request)
    response.writeHead(answer.status, answer.headers).end(answer.text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => {
  vi.useRealTimers()
  server.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

const address = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/latest`
const look = async (own = '1.9.0', checkVersion = true): Promise<string | undefined> => {
  const installation = { root: folder, stateFolder: path.join(folder, 'state') }
  const chosen = { checkVersion, versionAddress: address() }
  return (await findNewerVersion(installation, chosen, own))?.version
}
const writePackage = (value: object): void => {
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify(value))
}

it('is off by default, and then asks nobody', async () => {
  expect(defaultSettings.checkVersion).toBe(false)
  expect(await look('1.9.0', false)).toBeUndefined()
  expect(requests).toEqual([])
})

it('asks once a day, and sends nothing about the user, the machine or the version', async () => {
  expect(await look()).toBe('1.10.0')
  expect(await look()).toBeUndefined()
  expect(requests).toHaveLength(1)
  const [request] = requests
  expect([request?.method, request?.url]).toEqual(['GET', '/latest'])
  const { host: _host, connection: _connection, ...headers } = request?.headers ?? {}
  expect(headers).toEqual({ accept: 'application/json', 'user-agent': 'opsmith' })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * 3600 * 1000 })
  expect(await look()).toBe('1.10.0')
  expect(requests).toHaveLength(2)
})

it('reports only a newer version', async () => {
  answer.text = '{"version": "1.9.0"}'
  expect(await look('1.9.0')).toBeUndefined()
})

it.each([
  ['what is no version', { status: 200, text: '{"version": "<b>1.9</b>"}' }],
  ['an older version', { status: 200, text: '{"version": "1.8.0"}' }],
])('%s is no news', async (_what, given) => {
  answer = given
  expect(await look()).toBeUndefined()
})

it.each([
  ['another answer', { status: 200, text: '[]' }],
  ['no JSON', { status: 200, text: '<html>' }],
  ['a failure', { status: 500, text: '' }],
  ['another address, which is not followed', { status: 302, text: '', headers: { location: '/' } }],
  ['too much', { status: 200, text: 'x'.repeat(1_500_000) }],
])('%s is an error, and not asked for again on that day', async (_what, given) => {
  answer = given
  await expect(look()).rejects.toThrow()
  expect(await look()).toBeUndefined()
  expect(requests).toHaveLength(1)
})

it('without an address nothing is asked', async () => {
  const none = { ...defaultSettings, checkVersion: true }
  const installation = { root: folder, stateFolder: path.join(folder, 'state') }
  for (const value of [{}, { repository: 'https://example.org/x.git' }, { homepage: 'http://a' }]) {
    writePackage(value)
    expect(await versionAddress({ root: folder }, none)).toBe('')
  }
  expect(await findNewerVersion(installation, none, '1.0.0')).toBeUndefined()
  expect(fs.existsSync(path.join(folder, 'state'))).toBe(false)
})

it('the address is that of the settings, of a repository on GitHub, or of the homepage', async () => {
  const github = 'https://api.github.com/repos/a/b.c/releases/latest'
  const found = async (value: object, chosen = ''): Promise<string> => {
    writePackage(value)
    return await versionAddress({ root: folder }, { versionAddress: chosen })
  }
  expect(await found({ repository: 'github:a/b.c' })).toBe(github)
  expect(await found({ repository: { url: 'git+https://github.com/a/b.c.git' } })).toBe(github)
  expect(await found({ repository: 'git@github.com:a/b.c.git', homepage: 'https://d' })).toBe(
    github,
  )
  expect(await found({ homepage: 'https://d/e/' })).toBe('https://d/e/latest.json')
  expect(await found({ homepage: 'https://d' }, 'https://own')).toBe('https://own')
})

it('a setting without encryption is refused, but for this machine', () => {
  const isValid = (value: string): boolean => settings.shape.versionAddress.safeParse(value).success
  expect(['', 'https://a/b', 'http://127.0.0.1:1/'].map(isValid)).toEqual([true, true, true])
  expect(['http://a', 'http://localhost.a/', 'file:///etc'].map(isValid)).toEqual([
    false,
    false,
    false,
  ])
})
