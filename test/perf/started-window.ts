import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'

import { WebSocket } from 'ws'
import { z } from 'zod'

import { electronExecutable } from '../support/app'
import type { TestCache } from '../support/installation'

const targets = z.array(z.object({ type: z.string(), webSocketDebuggerUrl: z.string() }))
const answer = z.object({
  id: z.number(),
  result: z
    .object({
      result: z.object({ value: z.unknown().optional() }),
      exceptionDetails: z.unknown().optional(),
    })
    .optional(),
})

/** When a start showed what one waits for, in milliseconds since 1970; 0 for what is not waited for. */
export interface Seen {
  /** The first that the window painted: Chromium's first contentful paint. */
  painted: number
  /** The app listens to keys. */
  ready: number
  /** The source, in an editor that can be typed in; without a project, the samples. */
  shown: number
  /** The results of the last build. */
  built: number
}

type Wanted = Exclude<keyof Seen, 'painted'>

/**
 * Waits until the window shows it. Runs in the page, as a whole: it may use nothing from outside.
 * @param names what is waited for, besides the first paint
 */
export async function watchStart(names: readonly Wanted[]): Promise<Seen> {
  const isTrue: Record<Wanted, () => boolean> = {
    ready: () => window.opsmithTest?.ready() === true,
    shown: () => {
      const samples = document.querySelector('[data-testid^="gallery-open-"]')
      const lines = document.querySelector('[data-testid^="editor-"] .view-lines')
      return samples !== null || (lines?.textContent ?? '') !== ''
    },
    built: () =>
      document.querySelector('[data-testid="status-build"]')?.getAttribute('data-state') === 'good',
  }
  const seen: Seen = { painted: 0, ready: 0, shown: 0, built: 0 }
  const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve))
  while (seen.painted === 0 || names.some((name) => seen[name] === 0)) {
    await frame()
    const [paint] = performance.getEntriesByName('first-contentful-paint')
    if (paint !== undefined) seen.painted = performance.timeOrigin + paint.startTime
    for (const name of names) if (seen[name] === 0 && isTrue[name]()) seen[name] = Date.now()
  }
  return seen
}

/**
 * A window that was started as a user starts it. Playwright puts a debugger into the main process, which holds the start
 * up, and listens to all that the page does. This one asks the page one question.
 */
export class StartedWindow {
  private last = 0

  private constructor(
    /** Milliseconds since 1970. */
    readonly spawnedAt: number,
    private readonly program: ChildProcess,
    private readonly page: WebSocket,
  ) {}

  /** @param words of the command line: the app's folder, and what it is to open */
  static async open(cache: TestCache, words: readonly string[]): Promise<StartedWindow> {
    const executable = await electronExecutable()
    const spawnedAt = Date.now()
    const program = spawn(executable, ['--no-sandbox', '--remote-debugging-port=0', ...words], {
      env: { ...process.env, ...cache.environment, OPSMITH_TESTS: '1' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const page = new WebSocket(await pageOf(await addressOf(program)))
    await new Promise((resolve, reject) => page.once('open', resolve).once('error', reject))
    return new StartedWindow(spawnedAt, program, page)
  }

  /**
   * Calls a function in the page, as its text is, and awaits it. Once more where the page was the empty one that a
   * window has before its own.
   */
  async evaluate<Input, Output>(
    run: (input: Input) => Output | Promise<Output>,
    input: Input,
  ): Promise<Output> {
    const expression = `(${String(run)})(${JSON.stringify(input)})`
    for (;;) {
      const answered = await this.ask({ expression, awaitPromise: true, returnByValue: true })
      if (answered?.exceptionDetails !== undefined)
        throw new Error(JSON.stringify(answered.exceptionDetails))
      if (answered) return answered.result.value as Output
    }
  }

  /** Closes the window as a user does. @returns seconds until the process ended */
  async close(): Promise<number> {
    const began = performance.now()
    const gone = new Promise((resolve) => this.program.once('exit', resolve))
    this.page.send(JSON.stringify({ id: ++this.last, method: 'Page.close' }))
    await gone
    return (performance.now() - began) / 1000
  }

  /** undefined where the page went meanwhile. */
  private async ask(params: object): Promise<z.infer<typeof answer>['result']> {
    const id = ++this.last
    const answered = new Promise<z.infer<typeof answer>['result']>((resolve) => {
      const onMessage = (data: Buffer): void => {
        const message = answer.parse(JSON.parse(data.toString('utf8')))
        if (message.id !== id) return
        this.page.off('message', onMessage)
        resolve(message.result)
      }
      this.page.on('message', onMessage)
    })
    this.page.send(JSON.stringify({ id, method: 'Runtime.evaluate', params }))
    return await answered
  }
}

/** Where Chromium can be asked, "127.0.0.1:PORT", which it writes as one of its first lines. */
async function addressOf(program: ChildProcess): Promise<string> {
  if (!program.stderr) throw new Error('Electron was started without its error output')
  const lines = createInterface({ input: program.stderr })
  return await new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      const [, address] = /^DevTools listening on ws:\/\/([^/]+)/.exec(line) ?? []
      if (address !== undefined) resolve(address)
    })
    program.once('exit', () => {
      reject(new Error('Electron ended before its window opened'))
    })
  })
}

async function pageOf(address: string): Promise<string> {
  for (let attempt = 0; attempt < 2_000; attempt += 1) {
    const listed = await fetch(`http://${address}/json/list`)
    const page = targets.parse(await listed.json()).find(({ type }) => type === 'page')
    if (page) return page.webSocketDebuggerUrl
    await pause(20)
  }
  throw new Error('Electron opened no window')
}
