// Only in the bundle that `npm run dev` starts: esbuild leaves this file out of the others (scripts/lib/node-bundle.mjs).
import { app, protocol, session } from 'electron'

import { appScheme, contentSecurityPolicy } from './security'

/** The variable that scripts/dev.mjs sets. */
const variable = 'OPSMITH_DEVELOPMENT_SERVER'

/** Vite's server on this machine, and the nonce that it gives to its inline scripts: "127.0.0.1:PORT NONCE". */
function developmentServer(): { address: string; nonce: string } {
  const [address = '', nonce = ''] = (process.env[variable] ?? '').split(' ')
  if (!/^127\.0\.0\.1:\d+$/.test(address) || !/^\w+$/.test(nonce))
    throw new Error(
      `${variable} must be "127.0.0.1:PORT NONCE": start this bundle with npm run dev`,
    )
  return { address, nonce }
}

/** As of a normal start, and what hot reload needs: Vite's socket, and the inline script of React refresh. */
function developmentPolicy(server: { address: string; nonce: string }): string {
  return contentSecurityPolicy
    .replace("script-src 'self'", `script-src 'self' 'nonce-${server.nonce}'`)
    .replace("connect-src 'self'", `connect-src 'self' ws://${server.address}`)
}

/**
 * Asks twice at most: Vite's server may close an unused connection in the moment of a request. One module that does
 * not load leaves the window empty.
 */
async function ask(url: string, accept: string): Promise<Response> {
  const headers = { accept }
  try {
    return await fetch(url, { headers })
  } catch {
    return await fetch(url, { headers })
  }
}

/** Serves the renderer from Vite's server, under the address of a normal start. */
export function serveRendererInDevelopment(): void {
  const server = developmentServer()
  const headers = { 'Content-Security-Policy': developmentPolicy(server) }
  protocol.handle(appScheme, async (request) => {
    const { pathname, search } = new URL(request.url)
    try {
      // Not Electron's net: the session's rules let the window reach nothing but this scheme.
      const answer = await ask(
        `http://${server.address}${pathname}${search}`,
        request.headers.get('accept') ?? '*/*',
      )
      const type = answer.headers.get('content-type') ?? 'application/octet-stream'
      return new Response(answer.body, {
        status: answer.status,
        headers: { ...headers, 'Content-Type': type, 'Cache-Control': 'no-store' },
      })
    } catch (error) {
      return new Response(`Vite's server does not answer: ${String(error)}`, {
        status: 502,
        headers,
      })
    }
  })
  session.defaultSession.webRequest.onBeforeRequest((details, answer) => {
    const allowed =
      /^(app:\/\/opsmith\/|devtools:|data:|blob:app)/.test(details.url) ||
      details.url.startsWith(`ws://${server.address}/`)
    answer({ cancel: !allowed })
  })
}

/** Closes the window, and keeps what was typed, when scripts/dev.mjs closes our standard input or dies. */
export function quitWithDevelopmentServer(): void {
  process.stdin.once('end', () => {
    app.quit()
  })
  process.stdin.resume()
}
