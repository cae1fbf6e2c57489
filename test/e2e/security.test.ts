import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

let cache: TestCache
let app: App

beforeAll(async () => {
  cache = makeTestCache()
  app = await App.start(cache, copyProject(path.join(root, 'samples/my_op'), cache))
})
afterAll(async () => {
  await app.close()
  cache.remove()
})

describe('the window', () => {
  it('the window is isolated, sandboxed and has no Node', async () => {
    const preferences = await app.electron.evaluate(({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents as unknown as {
        getLastWebPreferences(): Record<string, unknown>
      }
      return contents.getLastWebPreferences()
    })
    expect(preferences).toMatchObject({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webSecurity: true,
    })
    const seen = await app.page.evaluate(() => [
      typeof (window as unknown as Record<string, unknown>)['require'],
      typeof (window as unknown as Record<string, unknown>)['process'],
      Object.keys((window as unknown as { opsmith: object }).opsmith)
        .sort()
        .join(' '),
    ])
    expect(seen).toEqual(['undefined', 'undefined', 'call on'])
  })

  it('the window is served with one strict policy and runs no inline script', async () => {
    const policy = await app.page.evaluate(async () => {
      const answer = await fetch(window.location.href)
      return answer.headers.get('content-security-policy')
    })
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).not.toMatch(/script-src[^;]*unsafe/)
    const ran = await app.page.evaluate(() => {
      const script = document.createElement('script')
      script.textContent = 'window.injected = true'
      document.head.append(script)
      return 'injected' in window
    })
    expect(ran).toBe(false)
  })

  it('the window cannot navigate and opens no other window', async () => {
    const before = app.page.url()
    const opened = await app.page.evaluate(() => {
      window.location.href = 'https://example.com/'
      return window.open('https://example.com/') === null
    })
    expect(opened).toBe(true)
    await app.page.waitForTimeout(300)
    expect(app.page.url()).toBe(before)
    expect(app.electron.windows()).toHaveLength(1)
  })

  it('the window reaches no network and no file outside its folder', async () => {
    const answers = await app.page.evaluate(async () => {
      const attempt = async (url: string): Promise<string> => {
        try {
          return String((await fetch(url)).status)
        } catch {
          return 'refused'
        }
      }
      return [
        await attempt('https://example.com/'),
        await attempt('file:///etc/passwd'),
        await attempt('app://opsmith/../../../../etc/passwd'),
        await attempt('app://opsmith/..%2f..%2fpackage.json'),
      ]
    })
    expect(answers).toEqual(['refused', 'refused', '404', '404'])
  })

  it('the window gets no permissions', async () => {
    const state = await app.page.evaluate(
      async () => (await navigator.permissions.query({ name: 'geolocation' })).state,
    )
    expect(state).toBe('denied')
  })
})

describe('calls from the window to main', () => {
  const call = (
    name: string,
    input: unknown,
  ): Promise<{ ok: boolean; error?: { code: string; path?: string } }> =>
    app.page.evaluate(
      ([callName, payload]) =>
        (
          window as unknown as {
            opsmith: { call(name: unknown, input: unknown): Promise<{ ok: boolean }> }
          }
        ).opsmith.call(callName, payload),
      [name, input],
    )

  it('an unknown call and a call with wrong fields are refused', async () => {
    expect(await call('constructor', {})).toMatchObject({
      ok: false,
      error: { code: 'request.invalid' },
    })
    expect(await call('file.read', { folder: 3, path: 'x' })).toMatchObject({
      error: { code: 'request.invalid', path: 'folder' },
    })
  })

  it('a file outside the open project cannot be read', async () => {
    expect(await call('file.read', { folder: '/etc', path: 'passwd' })).toMatchObject({
      error: { code: 'request.invalid' },
    })
    expect(await call('file.readExternal', { path: '/etc/passwd' })).toMatchObject({
      error: { code: 'request.invalid' },
    })
    const opened = (await call('app.info', {})) as unknown as { value: { startFolder: string } }
    const folder = opened.value.startFolder
    expect(await call('file.read', { folder, path: '../../../../etc/passwd' })).toMatchObject({
      error: { code: 'request.invalid' },
    })
  })

  it('an export into a folder that the user did not choose is refused, and the window cannot choose one', async () => {
    const opened = (await call('app.info', {})) as unknown as { value: { startFolder: string } }
    const folder = opened.value.startFolder
    const directory = path.join(cache.home, 'nobody-chose-this')
    const request = { forms: ['library'], directory, proof: false, decisions: {} }
    const refused = { error: { code: 'request.invalid', path: 'directory' } }
    expect(await call('export.run', { folder, job: 'export-1', request })).toMatchObject(refused)
    await call('settings.set', { exportFolders: { [folder]: directory } })
    await call('project.open', { folder })
    expect(await call('export.run', { folder, job: 'export-2', request })).toMatchObject(refused)
    expect(await call('export.showDirectory', { directory: '/etc' })).toMatchObject(refused)
    expect(fs.existsSync(directory)).toBe(false)
  })
})
