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
    expect(seen).toEqual(['undefined', 'undefined', 'call dropped on'])
    // Only a drop of the user's has a path: what a script makes has none.
    const paths = await app.page.evaluate(() => {
      const forged = new File(['x'], 'passwd')
      Object.defineProperty(forged, 'path', { value: '/etc/passwd' })
      return (
        window as unknown as { opsmith: { dropped(files: unknown[]): Promise<string[]> } }
      ).opsmith.dropped([forged, { name: 'passwd', path: '/etc/passwd' }])
    })
    expect(paths).toEqual([])
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
        await attempt('app://opsmith/%'),
      ]
    })
    expect(answers).toEqual(['refused', 'refused', '404', '404', '404'])
    const policy = await app.electron.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.webContents.getWebRTCIPHandlingPolicy(),
    )
    expect(policy).toBe('disable_non_proxied_udp')
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
    const request = { forms: ['library'], directory, proof: false, decisions: {}, pythons: [] }
    const refused = { error: { code: 'request.invalid', path: 'directory' } }
    const work = { verb: 'export', form: 'setuptools', directory, pythons: ['python3'] }
    expect(await call('runs.start', { folder, work, over: 'local', jobs: 1 })).toMatchObject(
      refused,
    )
    expect(await call('export.run', { folder, job: 'export-1', request })).toMatchObject(refused)
    await call('settings.set', { exportFolders: { [folder]: directory } })
    await call('project.open', { folder })
    expect(await call('export.run', { folder, job: 'export-2', request })).toMatchObject(refused)
    expect(await call('export.showDirectory', { directory: '/etc' })).toMatchObject(refused)
    expect(fs.existsSync(directory)).toBe(false)
  })

  it('no program that the window names is run before the user has confirmed it', async () => {
    const marker = path.join(cache.home, 'ran')
    const tool = path.join(cache.home, 'tool')
    fs.writeFileSync(tool, `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 })
    const elsewhere = copyProject(path.join(root, 'samples/my_op'), cache)
    const manifest = { name: 'x', sources: ['op.cpp'], toolchain: { compiler: tool } }
    fs.writeFileSync(path.join(elsewhere, 'opsmith.json'), JSON.stringify(manifest))
    await call('doctor.report', { folder: elsewhere })
    // The system's dialog cannot be pressed here: it is answered with "Cancel", and its texts are kept.
    await app.electron.evaluate(({ dialog }) => {
      const asked: string[] = []
      ;(globalThis as { asked?: string[] }).asked = asked
      dialog.showMessageBox = (...given: unknown[]) => {
        asked.push((given.at(-1) as { message: string }).message)
        return Promise.resolve({ response: 1, checkboxChecked: false })
      }
    })
    for (const name of ['compiler', 'clangd'] as const) {
      const set = (await call('settings.set', { [name]: tool })) as { value?: { compiler: string } }
      expect(set.value).toMatchObject({ [name]: '' })
    }
    const opened = (await call('app.info', {})) as unknown as { value: { startFolder: string } }
    const folder = opened.value.startFolder
    const directory = `${folder}-exports`
    const wheels = { forms: ['setuptools'], directory, decisions: {}, pythons: [tool] }
    const request = { ...wheels, proof: true }
    expect(await call('export.run', { folder, job: 'export-3', request })).toMatchObject({
      error: { code: 'request.invalid' },
    })
    const work = { verb: 'export', form: 'setuptools', directory, pythons: [tool] }
    expect(await call('runs.start', { folder, work, over: 'local', jobs: 1 })).toMatchObject({
      error: { code: 'request.invalid' },
    })
    const asked = await app.electron.evaluate(() => (globalThis as { asked?: string[] }).asked)
    const wheelQuestion = `Build and test wheels with ${tool}?`
    expect(asked?.filter((message) => message === wheelQuestion)).toHaveLength(2)
    expect(asked?.join('\n')).toContain(`Use ${tool} as the C++ compiler?`)
    await call('doctor.report', { folder: '' })
    expect(fs.existsSync(marker)).toBe(false)
  })

  it("a file that only a message names is read where it is code, and nothing is written into git's folder", async () => {
    const { value } = (await call('app.info', {})) as unknown as { value: { startFolder: string } }
    const folder = value.startFolder
    const secret = path.join(cache.home, 'secret')
    fs.writeFileSync(secret, 'secret')
    const source = `#line 1 "${secret}"\nint x = undeclared;\n`
    fs.writeFileSync(path.join(folder, 'op.cpp'), source)
    const built = (await call('operator.build', { folder, job: 'build-1' })) as {
      value?: { build: { diagnostics: { file: string }[] } }
    }
    expect(built.value?.build.diagnostics.map(({ file }) => file)).toContain(secret)
    const refused = { error: { code: 'request.invalid' } }
    expect(await call('file.readExternal', { path: secret })).toMatchObject(refused)
    fs.mkdirSync(path.join(folder, '.git/hooks'), { recursive: true })
    const hook = { folder, path: '.git/hooks/pre-commit', text: 'echo', baseVersion: '' }
    expect(await call('file.write', hook)).toMatchObject(refused)
    expect(await call('project.copySample', { name: '../../my_op', parent: '' })).toMatchObject({
      ok: false,
    })
  })
})
