import fs from 'node:fs'
import path from 'node:path'

import { CancellationTokenSource } from 'vscode-languageserver-protocol/node'

import type { DocumentText, LanguageDiagnostics, LanguageState } from '../../../contract/language'
import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import type { OwnWork } from '../../at-rest'
import { planBuild } from '../../compile/plan'
import type { Installation } from '../../installation'
import { writeAtomically } from '../../project/files'
import type { Projects } from '../../project/open-project'
import type { Toolchain } from '../../toolchain/choose'
import { commandsFolder, commandsText, compileCommands } from './compile-commands'
import type { CompileCommand } from './compile-commands'
import { fromDiagnostic, uriOf } from './convert'
import type { ClangdDiagnostic } from './convert'
import { Documents } from './documents'
import { findClangd } from '../../toolchain/find-clangd'
import type { ClangdProgram } from '../../toolchain/find-clangd'
import { ClangdServer } from './server'
import { configHome } from './user-config'

interface ClangdServices {
  installation: Installation
  projects: Projects
}

export interface ClangdEvents {
  onLanguageState?: (state: LanguageState) => void
  onLanguageDiagnostics?: (diagnostics: LanguageDiagnostics) => void
}

/** Milliseconds before it is started again, by how often it has ended lately. */
const pauses = [300, 2_000, 5_000, 15_000]
const lately = 180_000
const startLimit = 60_000

const idle: LanguageState = {
  state: 'idle',
  name: '',
  busy: false,
  message: '',
  hint: '',
  pid: 0,
}

/** The project's compile commands, as a build would run them now. */
async function projectCommands(
  { installation, projects }: ClangdServices,
  folder: string,
): Promise<Result<{ commands: CompileCommand[]; toolchain: Toolchain }>> {
  const opened = await projects.open(folder)
  if (!opened.ok) return opened
  const project = opened.value
  const toolchain = await project.toolchain()
  if (!toolchain.ok) return toolchain
  const plan = await planBuild({
    installation,
    project,
    toolchain: toolchain.value,
    variant: 'plain',
  })
  if (!plan.ok) return plan
  const commands = compileCommands(plan.value, project.folder)
  return ok({ commands, toolchain: toolchain.value })
}

/**
 * clangd for the project that is open: started with the first C++ file, told what the window holds,
 * started again when it ends. Whatever becomes of it, builds and all else go on.
 */
export class Clangd {
  readonly documents = new Documents()
  private folder = ''
  private server: ClangdServer | undefined
  private program: ClangdProgram | undefined
  private queryDriver = ''
  private known = new Map<string, string>()
  private current = idle
  private readonly lentSaid = new Map<string, ClangdDiagnostic[]>()
  private readonly busyFiles = new Set<string>()
  private ends: number[] = []
  private pause: NodeJS.Timeout | undefined
  /** Starts and changes of the commands, one after the other. */
  private work: Promise<void> = Promise.resolve()
  private starting = false
  private closed = false
  private readonly waiting = new Set<{ file: string; version: number; done: () => void }>()

  constructor(
    private readonly services: ClangdServices,
    private readonly events: ClangdEvents,
  ) {}

  state(): LanguageState {
    return this.current
  }

  /** What it does without being asked: an index of what it has read, too, of which it says nothing. */
  ownWork(): OwnWork {
    const { state, busy, pid } = this.current
    const isBusy = state === 'starting' || (state === 'ready' && busy)
    return { what: 'clangd reads the sources', busy: isBusy, pid }
  }

  private setState(change: Partial<LanguageState>): void {
    const next = { ...this.current, ...change }
    if (JSON.stringify(next) === JSON.stringify(this.current)) return
    this.current = next
    this.events.onLanguageState?.(next)
  }

  /** What other editors and tools read as compile_commands.json. */
  async compileCommands(folder: string): Promise<Result<CompileCommand[]>> {
    const found = await projectCommands(this.services, folder)
    return found.ok ? ok(found.value.commands) : found
  }

  fileOf(file: { folder: string; path: string }): string {
    return path.resolve(file.folder, file.path)
  }

  /** A file as the window holds it now; the first one starts clangd. Nothing is awaited: order counts. */
  show(document: DocumentText, judge: boolean): void {
    this.enter(document.folder)
    const file = this.fileOf(document)
    const lent = !this.documents.isShown(file) && this.documents.has(file)
    this.documents.show(file, document.text, document.version)
    if (this.server && this.current.state === 'ready') {
      // It says so itself, but not at once.
      if (this.documents.sync(this.server, file, judge)) this.noteBusy(file, true)
      // It was read to look for a name, and what was said of it then is all that will be said.
      if (lent && this.documents.isRead(file)) {
        this.tell(file, document.version, this.lentSaid.get(file) ?? [])
      }
    } else {
      this.startSoon()
    }
  }

  close(file: string): void {
    this.documents.close(this.server, file)
    this.noteBusy(file, false)
  }

  private enter(folder: string): void {
    if (folder === this.folder) return
    this.leave()
    this.folder = folder
  }

  /** The project was closed: clangd goes with it. */
  leave(): void {
    clearTimeout(this.pause)
    this.server?.stop()
    this.server = undefined
    this.documents.clear()
    this.busyFiles.clear()
    this.lentSaid.clear()
    this.known.clear()
    this.ends = []
    this.folder = ''
    this.release()
    this.setState(idle)
  }

  /** Gives clangd's memory back until wake(), or until a text is shown; what the window holds stays known. */
  rest(): void {
    if (!this.server) return
    this.server.stop()
    this.server = undefined
    this.busyFiles.clear()
    this.release()
    this.setState(idle)
  }

  /** Starts it again after rest(). */
  wake(): void {
    if (this.documents.anyShown) this.startSoon()
  }

  shutDown(): void {
    this.closed = true
    this.leave()
  }

  private enqueue(task: () => Promise<void>): Promise<void> {
    this.work = this.work.then(task).catch((error: unknown) => {
      this.setState({
        state: 'failed',
        message: `clangd could not be used: ${error instanceof Error ? error.message : String(error)}`,
      })
    })
    return this.work
  }

  private startSoon(): void {
    const { state } = this.current
    if (this.starting || this.server) return
    if (state === 'off' || state === 'absent' || state === 'failed') return
    if (state === 'restarting') return // a timer does it
    this.starting = true
    void this.enqueue(() => this.start()).finally(() => {
      this.starting = false
    })
  }

  /** By hand, after it was given up. */
  async restart(): Promise<void> {
    clearTimeout(this.pause)
    this.ends = []
    this.server?.stop()
    this.server = undefined
    await this.enqueue(() => this.start())
  }

  private async start(): Promise<void> {
    const { folder } = this
    if (folder === '' || this.closed || this.server) return
    this.busyFiles.clear()
    const settings = await this.services.projects.settings()
    if (!settings.codeHelp) {
      this.setState({ ...idle, state: 'off', message: 'Code help is off: turn it on in Settings.' })
      return
    }
    this.setState({ state: 'starting', busy: false, message: '', hint: '', pid: 0 })
    const program = await findClangd(settings.clangd)
    if (!program.ok) {
      const { message, hint = '' } = program.error
      this.setState({ state: 'absent', name: '', message, hint })
      return
    }
    this.program = program.value
    const name = `clangd ${program.value.version}`
    const prepared = await this.prepareCommands()
    if (!prepared.ok && this.known.size === 0) {
      const { message, hint = '' } = prepared.error
      this.setState({ state: 'failed', name, message: `${name} waits: ${message}`, hint })
      return
    }
    const { cacheFolder } = this.services.installation
    const config = await configHome(cacheFolder)
    if (folder !== this.folder) return
    const server = new ClangdServer(
      program.value,
      {
        folder,
        commandsFolder: commandsFolder(cacheFolder, folder),
        queryDriver: this.queryDriver,
        configHome: config,
      },
      {
        onDiagnostics: (file, version, diagnostics) => {
          if (this.server === server) this.noteDiagnostics(file, version, diagnostics)
        },
        onBusy: (file, busy) => {
          if (this.server === server) this.noteBusy(file, busy)
        },
        onEnd: (reason, lastOutput) => {
          if (this.server === server) this.noteEnd(reason, lastOutput)
        },
      },
    )
    this.server = server
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`did not answer within ${startLimit / 1000} s`))
      }, startLimit)
    })
    try {
      await Promise.race([server.initialize(), limit])
    } catch (error) {
      // Its end has been told already, or it hangs.
      if (this.server !== server) return
      server.stop()
      this.noteEnd(error instanceof Error ? error.message : String(error), '')
      return
    } finally {
      clearTimeout(timer)
    }
    if (this.server !== server) return
    for (const file of this.documents.tellAll(server)) this.noteBusy(file, true)
    this.setState({ state: 'ready', name, message: '', hint: '', pid: server.pid })
  }

  /** Writes compile_commands.json, and tells a running clangd which commands are not what they were. */
  private async prepareCommands(): Promise<Result<null>> {
    const { folder } = this
    const { cacheFolder } = this.services.installation
    const found = await projectCommands(this.services, folder)
    if (!found.ok) return found
    const { commands, toolchain } = found.value
    // clang knows where its own headers are; of another compiler it has to be told.
    const { family, path: compiler } = toolchain.compiler
    this.queryDriver = family === 'clang' ? '' : compiler
    const changed = commands.filter((one) => this.known.get(one.file) !== JSON.stringify(one))
    this.known = new Map(commands.map((one) => [one.file, JSON.stringify(one)]))
    const file = path.join(commandsFolder(cacheFolder, folder), 'compile_commands.json')
    const text = commandsText(commands)
    if (!fs.existsSync(file) || fs.readFileSync(file, 'utf8') !== text) {
      await writeAtomically(file, text)
    }
    if (this.server && changed.length > 0) this.server.useCommands(changed)
    return ok(null)
  }

  /**
   * opsmith.json or the settings changed: other commands are told to the clangd that runs, so that files
   * whose command stays need not be read again; another clangd or compiler needs a new one.
   */
  async refresh(): Promise<void> {
    if (this.folder === '' || !this.documents.anyShown) return
    await this.enqueue(async () => {
      const settings = await this.services.projects.settings()
      const program = await findClangd(settings.clangd)
      const other = program.ok && program.value.path !== this.program?.path
      const driver = this.queryDriver
      if (this.server && settings.codeHelp && !other) {
        await this.prepareCommands()
        if (this.queryDriver === driver) return
      }
      if (this.current.state === 'restarting') return
      this.server?.stop()
      this.server = undefined
      await this.start()
    })
  }

  private noteDiagnostics(file: string, version: number, diagnostics: ClangdDiagnostic[]): void {
    for (const one of this.waiting) {
      if (one.file === file && version >= one.version) one.done()
    }
    this.documents.noteAnswer(file, version)
    if (this.documents.isShown(file)) this.tell(file, version, diagnostics)
    else this.lentSaid.set(file, diagnostics)
  }

  /** libtorch's headers are not the user's to mend, and read by themselves they are not even right. */
  private tell(file: string, version: number, diagnostics: ClangdDiagnostic[]): void {
    if (!file.startsWith(this.folder + path.sep)) return
    this.events.onLanguageDiagnostics?.({
      folder: this.folder,
      file,
      version,
      diagnostics: diagnostics.map((one) => fromDiagnostic(file, one)),
    })
  }

  private noteBusy(file: string, busy: boolean): void {
    if (busy) this.busyFiles.add(file)
    else this.busyFiles.delete(file)
    this.setState({ busy: this.busyFiles.size > 0 })
  }

  private noteEnd(reason: string, lastOutput: string): void {
    this.server = undefined
    this.busyFiles.clear()
    this.release()
    const now = Date.now()
    this.ends = [...this.ends.filter((time) => now - time < lately), now]
    const name = this.current.name === '' ? 'clangd' : this.current.name
    const pause = pauses[this.ends.length - 1]
    const lines = lastOutput.trim().split('\n').slice(-3).join('\n')
    if (pause === undefined) {
      this.setState({
        state: 'failed',
        busy: false,
        pid: 0,
        message: `${name} ${reason}. ${name} has ended ${this.ends.length} times in ${lately / 60_000} minutes, so Opsmith does not restart ${name}.`,
        hint: lines === '' ? 'Choose "Restart clangd" in the command palette (F1).' : lines,
      })
      return
    }
    this.setState({
      state: 'restarting',
      busy: false,
      pid: 0,
      message: `${name} ${reason}. Opsmith is restarting ${name}.`,
      hint: lines,
    })
    this.pause = setTimeout(() => {
      void this.enqueue(() => this.start())
    }, pause)
  }

  private release(): void {
    for (const one of this.waiting) one.done()
  }

  /** A clangd that answers, once it does; undefined where there is none. */
  async ready(): Promise<ClangdServer | undefined> {
    await this.work
    return this.current.state === 'ready' ? this.server : undefined
  }

  /**
   * Resolves when clangd has read this version of the file, has ended, or the time is up. clangd publishes no
   * diagnostics for a text that equals the last one it read. So it is also asked a question, which it answers
   * once it has read the text.
   */
  async read(file: string, seconds: number): Promise<boolean> {
    const version = this.documents.versionOf(file)
    const { server } = this
    const source = new CancellationTokenSource()
    const isRead = await new Promise<boolean>((resolve) => {
      const finish = (good: boolean): void => {
        clearTimeout(timer)
        this.waiting.delete(waiter)
        resolve(good)
      }
      const waiter = {
        file,
        version,
        done: () => {
          finish(this.server !== undefined)
        },
      }
      const timer = setTimeout(() => {
        finish(false)
      }, seconds * 1000)
      this.waiting.add(waiter)
      const question = { textDocument: { uri: uriOf(file) } }
      server?.request('textDocument/documentSymbol', question, source.token).then(
        () => {
          this.documents.noteAnswer(file, version)
          waiter.done()
        },
        // Withdrawn, or clangd ended: the diagnostics or the end resolve it.
        () => undefined,
      )
    })
    source.cancel()
    source.dispose()
    return isRead
  }

  /** Why there is no answer. */
  unavailable(): Result<never> {
    const { state, message, hint } = this.current
    const starting = state === 'idle' || state === 'starting'
    return err('toolchain.missing', starting ? 'clangd is still starting.' : message, { hint })
  }
}
