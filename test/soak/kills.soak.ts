import fs from 'node:fs'
import path from 'node:path'

import { App } from '../support/app'
import { seeded } from '../support/from-shape'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'
import { halfName, pathsBelow } from './files-below'
import { appProcesses, startedByDead } from './processes'
import type { SoakOptions, SoakResult } from './soak'
import { TypedFile } from './typed-file'

const victims = ['main', 'renderer', 'op host', 'compile server', 'clangd'] as const
type Victim = (typeof victims)[number]

/** Milliseconds of a scripted session within which a process is killed. */
const longestSession = 4_000
/** Milliseconds of typing that a kill may cost. */
const mostLost = 1_000
/** Milliseconds within which a process must be there, or the app must work again. */
const patience = 120_000

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

async function until<T>(what: string, look: () => T | Promise<T>): Promise<NonNullable<T>> {
  const end = performance.now() + patience
  for (;;) {
    const found = await look()
    if (found !== false && found !== undefined && found !== null) return found
    if (performance.now() > end) throw new Error(`within ${patience / 1000} s: no ${what}`)
    await pause(100)
  }
}

/** Files of the app's that are no whole JSON. */
function tornFiles(cache: TestCache): string[] {
  const places = Object.values(cache.places)
  const names = places.flatMap((place) => pathsBelow(place).map((name) => path.join(place, name)))
  const own = names.filter(
    (name) => name.endsWith('.json') && !/\/(chromium|electron|hosts)\//.test(name),
  )
  return own.filter((name) => {
    try {
      JSON.parse(fs.readFileSync(name, 'utf8'))
      return false
    } catch {
      return true
    }
  })
}

/** Half-written files of processes that have ended, in a folder. */
function halfFiles(folder: string): string[] {
  return pathsBelow(folder).filter((name) => {
    const [, pid = ''] = halfName.exec(name) ?? []
    return pid !== '' && !fs.existsSync(`/proc/${pid}`)
  })
}

class Session {
  private app: App | undefined
  private readonly cache = makeTestCache(['objects', 'builds'])
  private readonly project = copyProject(path.join(root, 'samples/my_op'), this.cache)
  private readonly file: TypedFile
  private readonly mains = new Set<number>()
  readonly problems: string[] = []
  /** Milliseconds of typing that were lost, of each kill. */
  readonly lost: number[] = []

  constructor(private readonly say: (line: string) => void) {
    const file = path.join(this.project, 'op.cpp')
    fs.appendFileSync(file, '\n// ')
    this.file = new TypedFile(file)
  }

  private async start(): Promise<App> {
    const app = await App.start(this.cache, this.project, { hotCompile: true })
    this.mains.add(app.electron.process().pid ?? 0)
    app.electron.process().stderr?.on('data', (bytes: Buffer) => {
      const text = bytes.toString()
      if (/^opsmith: /m.test(text)) this.problems.push(`main says: ${text.trim()}`)
    })
    await app.openFile('op.cpp')
    return app
  }

  private async victim(app: App, kind: Victim): Promise<number> {
    const main = app.electron.process().pid ?? 0
    return await until(kind, () => appProcesses(main).find((one) => one.kind === kind)?.pid)
  }

  /** Types, saves and builds until the moment comes, and kills then. */
  async kill(kind: Victim, moment: number): Promise<void> {
    const app = (this.app ??= await this.start())
    const pid = await this.victim(app, kind)
    await app.focused('op.cpp')
    await app.page.keyboard.press('Control+End')
    const typing = this.file.type(app.page)
    await pause(moment)
    process.kill(pid, 'SIGKILL')
    const killed = performance.now()
    await typing.stop()
    const text = await this.textAfter(app, kind)
    const lost = this.file.lostBy(killed, text)
    this.lost.push(lost)
    this.say(`${kind} after ${moment.toFixed(0)} ms: ${lost.toFixed(0)} ms of typing lost`)
    if (lost > mostLost)
      this.problems.push(`a kill of ${kind} cost ${lost.toFixed(0)} ms of typing`)
    await this.look(kind)
  }

  /** What the editor shows once the app works again. */
  private async textAfter(app: App, kind: Victim): Promise<string> {
    if (kind === 'main') {
      await app.ended()
      this.app = await this.start()
      return await this.app.text('op.cpp')
    }
    if (kind === 'renderer') {
      // The page of a renderer that crashed is of no more use to Playwright: main asks the new one.
      const ask = (): Promise<string | null> =>
        app.electron.evaluate(async ({ BrowserWindow }) => {
          const [window] = BrowserWindow.getAllWindows()
          const script = `window.opsmithTest?.ready() === true
            ? window.opsmithTest.openFile('op.cpp').then(() => window.opsmithTest.editorText('op.cpp'))
            : null`
          if (!window || window.webContents.isLoading()) return null
          return (await window.webContents.executeJavaScript(script)) as string | null
        })
      // Electron never answers a script for a renderer that ended before it ran it.
      const text = await until('window after its renderer was killed', () =>
        Promise.race([ask(), pause(5_000).then(() => null)]),
      )
      await app.close()
      this.app = undefined
      return text
    }
    await this.buildAgain(app)
    return await app.text('op.cpp')
  }

  /** A build and a call that need the process that was killed. */
  private async buildAgain(app: App): Promise<void> {
    await app.save()
    await app.testId('toolbar-build').click()
    await until('good build', () =>
      app.page.evaluate(
        () =>
          document.querySelector('[data-testid="status-build"]')?.getAttribute('data-state') ===
          'good',
      ),
    )
    await app.testId('tool-tab-run').click()
    await app.testId('run-go').click()
    await app.testId('run-comparison').first().waitFor()
    await app.openFile('op.cpp')
  }

  /** Nothing is torn, and what was left by a process that is gone goes with the next start. */
  private async look(kind: Victim): Promise<void> {
    const torn = [...this.file.tornOnDisk(), ...tornFiles(this.cache)]
    for (const file of torn) this.problems.push(`a kill of ${kind} tore ${file}`)
    if (kind !== 'main') return
    let left: string[] = []
    await until('clean start', () => {
      left = [
        ...startedByDead(this.mains).map(({ words }) => words),
        ...Object.values(this.cache.places).flatMap(halfFiles),
        ...halfFiles(this.project),
      ]
      return left.length === 0
    }).catch((error: unknown) => {
      this.problems.push(`${String(error)}; the next start left ${left.join(', ')}`)
    })
  }

  /** An hour passes for the files, but not for the clock: an edit is built all the same. */
  async setClockBack(): Promise<void> {
    await this.app?.close()
    const later = new Date(Date.now() + 3_600_000)
    for (const folder of [...Object.values(this.cache.places), this.project]) {
      for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true }))
        if (entry.isFile()) fs.utimesSync(path.join(entry.parentPath, entry.name), later, later)
    }
    const app = (this.app = await this.start())
    await this.buildAgain(app)
    const max = (): Promise<string | null> => app.testId('run-stat-0-max').first().textContent()
    const before = await max()
    await app.replace('op.cpp', 'return 3 * x', 'return 7 * x')
    await app.save()
    await until('result of an edit after the clock was set back', async () => {
      const now = await max()
      return now !== before
    }).catch((error: unknown) => {
      this.problems.push(String(error))
    })
    this.say('clock set back an hour: an edit is built and run')
  }

  /** After an error: a window that asks about unsaved text would not close. */
  abandon(): void {
    this.app?.electron.process().kill('SIGKILL')
    this.app = undefined
  }

  async end(): Promise<void> {
    await this.app?.close()
    this.cache.remove()
  }
}

/** Kills at random moments of a session in the real app: what was typed stays, and nothing is torn or left behind. */
export async function run({ kills, seed, say }: SoakOptions): Promise<SoakResult> {
  const random = seeded(seed)
  const session = new Session(say)
  try {
    for (let done = 0; done < kills; done += 1) {
      const kind = victims[done % victims.length] ?? 'main'
      await session.kill(kind, random() * longestSession)
    }
    await session.setClockBack()
  } catch (error) {
    session.abandon()
    throw error
  } finally {
    await session.end()
  }
  say(`${kills} kills, at most ${Math.max(...session.lost).toFixed(0)} ms of typing lost`)
  return { problems: session.problems }
}
