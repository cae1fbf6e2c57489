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
  /** Events have none. */
  id: z.number().optional(),
  result: z
    .object({
      result: z.object({ value: z.unknown().optional() }),
      exceptionDetails: z.unknown().optional(),
    })
    .optional(),
})
type Answer = z.infer<typeof answer>['result']

/** Longest wait, in milliseconds. */
const patience = 120_000

/** When a start showed what one waits for, in milliseconds since 1970; 0 for what is not waited for. */
export interface Seen {
  /** The first that the window painted: Chromium's first contentful paint. That is the frame in index.html, not yet the app. */
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
 * Waits until the window shows it. Runs in the page, as a whole: it may use nothing from outside. What is already there
 * gets the current time. Only the first paint has its real time, from Chromium.
 * @param names what is waited for, besides the first paint
 */
export async function watchStart({
  names,
  patience: longest,
}: {
  names: readonly Wanted[]
  patience: number
}): Promise<Seen> {
  const began = Date.now()
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
    if (Date.now() - began > longest) throw new Error(`not shown: ${JSON.stringify(seen)}`)
    await frame()
    const [paint] = performance.getEntriesByName('first-contentful-paint')
    if (paint !== undefined) seen.painted = performance.timeOrigin + paint.startTime
    for (const name of names) if (seen[name] === 0 && isTrue[name]()) seen[name] = Date.now()
  }
  return seen
}

/**
 * Waits until the status bar shows libtorch: Doctor, which runs last at a start, has then ended. Runs in the page, as
 * watchStart().
 */
export async function watchTools(longest: number): Promise<null> {
  const began = Date.now()
  const hasTools = (): boolean =>
    document.querySelector('[data-testid="status-tools"]')?.textContent?.includes('lib') === true
  while (!hasTools()) {
    if (Date.now() - began > longest) throw new Error('the status bar shows no tools')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return null
}

/**
 * A window that was started without Playwright, whose debugger delays the main process and listens to all that the page
 * does. Only Chromium's debugging port is open, and the page is asked one question.
 */
export class StartedWindow {
  private lastId = 0

  private constructor(
    /** Milliseconds since 1970. */
    readonly spawnedAt: number,
    private readonly program: ChildProcess,
    private readonly page: WebSocket,
    /** Resolves when the program has ended. */
    private readonly gone: Promise<unknown>,
  ) {}

  /**
   * Opens a window, and ends its program whatever happens meanwhile.
   * @param words of the command line: the app's folder, and what it is to open
   */
  static async use<T>(
    cache: TestCache,
    words: readonly string[],
    look: (window: StartedWindow) => Promise<T>,
  ): Promise<T> {
    const executable = await electronExecutable()
    const spawnedAt = Date.now()
    const program = spawn(executable, ['--no-sandbox', '--remote-debugging-port=0', ...words], {
      env: { ...process.env, ...cache.environment, OPSMITH_TESTS: '1' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const gone = new Promise((resolve) => program.once('exit', resolve).once('error', resolve))
    const timer = setTimeout(() => program.kill('SIGKILL'), 3 * patience)
    try {
      const page = new WebSocket(await pageOf(await addressOf(program)))
      await new Promise((resolve, reject) => page.once('open', resolve).once('error', reject))
      return await look(new StartedWindow(spawnedAt, program, page, gone))
    } finally {
      clearTimeout(timer)
      program.kill('SIGKILL')
      await gone
    }
  }

  /** When what a start shows was seen. */
  async seen(names: readonly Wanted[]): Promise<Seen> {
    return await this.evaluate(watchStart, { names, patience })
  }

  async toolsShown(): Promise<void> {
    await this.evaluate(watchTools, patience)
  }

  /** Asks the app to end, as a desktop does that shuts down. @returns seconds until the process ended */
  async close(): Promise<number> {
    const began = performance.now()
    // What a page can do to close its window skips the window's close event, in which the app saves what is typed.
    this.program.kill('SIGTERM')
    await this.gone
    return (performance.now() - began) / 1000
  }

  /**
   * Runs a function in the page by its source text. Asks again where the window's first, empty page was replaced
   * meanwhile.
   */
  private async evaluate<Input, Output>(
    inPage: (input: Input) => Promise<Output>,
    input: Input,
  ): Promise<Output> {
    const began = performance.now()
    while (performance.now() - began < patience) {
      const answered = await this.ask(`(${String(inPage)})(${JSON.stringify(input)})`)
      if (answered?.exceptionDetails !== undefined)
        throw new Error(JSON.stringify(answered.exceptionDetails))
      if (answered) return answered.result.value as Output
      await pause(5)
    }
    throw new Error('the page did not answer')
  }

  /** undefined where the page went meanwhile. */
  private async ask(expression: string): Promise<Answer> {
    const id = ++this.lastId
    const params = { expression, awaitPromise: true, returnByValue: true }
    this.page.send(JSON.stringify({ id, method: 'Runtime.evaluate', params }))
    const answered = new Promise<Answer>((resolve) => {
      const onMessage = (data: Buffer): void => {
        const message = answer.parse(JSON.parse(data.toString('utf8')))
        if (message.id !== id) return
        this.page.off('message', onMessage)
        resolve(message.result)
      }
      this.page.on('message', onMessage)
    })
    const ended = this.gone.then(() => {
      throw new Error('the window ended')
    })
    return await Promise.race([answered, ended])
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
    program.once('error', reject)
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
