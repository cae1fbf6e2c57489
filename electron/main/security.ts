import fs from 'node:fs/promises'
import path from 'node:path'

import { app, protocol, session } from 'electron'
import type { BrowserWindowConstructorOptions, WebContents, WebFrameMain } from 'electron'

import { joinInside } from '../engine/project/inside'

/** The renderer's own origin; nothing else is ever shown. */
export const appScheme = 'app'
export const appOrigin = `${appScheme}://opsmith`
const startUrl = `${appOrigin}/index.html`
/** @param hasProject the window opens one at its start, and needs the editor's code at once */
export const startUrlOf = (hasProject: boolean): string =>
  hasProject ? `${startUrl}?project` : startUrl

/**
 * Inline styles are Monaco's and the docking library's way of placing things; scripts, workers and
 * fonts come from our own origin, and nothing from the network.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function secureWebPreferences(
  preload: string,
): NonNullable<BrowserWindowConstructorOptions['webPreferences']> {
  return {
    preload,
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    spellcheck: false,
  }
}

/** Must run before the app is ready. */
export function registerScheme(): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: appScheme,
      // The window's code is compiled once, not at each start.
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ])
}

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ttf': 'font/ttf',
  '.woff2': 'font/woff2',
}

/** The file that an address names; undefined for one outside the folder, or with a broken escape. */
function servedFile(folder: string, pathname: string): string | undefined {
  try {
    return joinInside(folder, decodeURIComponent(pathname).replace(/^\/+/, ''))
  } catch {
    return undefined
  }
}

/**
 * Serves the bundled renderer, and nothing outside its folder.
 * @param pageOf makes the page from the text of index.html
 */
export function serveRenderer(folder: string, pageOf: (html: string) => Promise<string>): void {
  protocol.handle(appScheme, async (request) => {
    const url = new URL(request.url)
    const headers = {
      'Content-Security-Policy': contentSecurityPolicy,
      'X-Content-Type-Options': 'nosniff',
    }
    const file = url.host === 'opsmith' ? servedFile(folder, url.pathname) : undefined
    if (file === undefined) return new Response('', { status: 404, headers })
    try {
      const bytes = await fs.readFile(file)
      const type = contentTypes[path.extname(file)] ?? 'application/octet-stream'
      const isPage = path.relative(folder, file) === 'index.html'
      const body = isPage ? await pageOf(bytes.toString('utf8')) : new Uint8Array(bytes)
      return new Response(body, { headers: { ...headers, 'Content-Type': type } })
    } catch {
      return new Response('', { status: 404, headers })
    }
  })
}

/**
 * Before the app is ready: Chromium reaches no other machine, whatever in it asks. At each start its spelling service asks
 * for a dictionary, which no setting of a window or of the session prevents.
 */
export function lockDownNetwork(): void {
  const rules = ['MAP * ~NOTFOUND', 'EXCLUDE localhost', 'EXCLUDE 127.0.0.1']
  app.commandLine.appendSwitch('host-resolver-rules', rules.join(', '))
}

/** No permissions, no requests to anywhere but ourselves. */
export function lockDownSession(): void {
  const current = session.defaultSession
  current.setPermissionRequestHandler((_contents, _permission, answer) => {
    answer(false)
  })
  current.setPermissionCheckHandler(() => false)
  current.setDevicePermissionHandler(() => false)
  current.webRequest.onBeforeRequest((details, answer) => {
    const allowed = /^(app:\/\/opsmith\/|devtools:|data:|blob:app)/.test(details.url)
    answer({ cancel: !allowed })
  })
}

/** No navigation, no new windows, no embedded views, for every web contents that is ever made. */
export function lockDownContents(): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-navigate', (event) => {
      event.preventDefault()
    })
    contents.on('will-redirect', (event) => {
      event.preventDefault()
    })
    contents.on('will-attach-webview', (event) => {
      event.preventDefault()
    })
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
    // The session's rules see requests, and a peer connection is none: it gets no way out.
    contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
  })
}

/** Only the main frame of our own window, showing our own page, is answered. */
export function isTrustedSender(frame: WebFrameMain | null, contents: WebContents): boolean {
  if (!frame || frame !== contents.mainFrame) return false
  try {
    const url = new URL(frame.url)
    return `${url.protocol}//${url.host}` === appOrigin
  } catch {
    return false
  }
}
