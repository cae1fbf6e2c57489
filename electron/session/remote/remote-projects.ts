import { appCalls } from '../../contract/app-calls'
import type { AppCallName, AppInput, AppOutput } from '../../contract/app-calls'
import { callPlaces } from '../../contract/call-places'
import { machineOf, placeName } from '../../contract/project-place'
import type { Connection as ConnectionState, KnownTarget } from '../../contract/remote-calls'
import { err, ok } from '../../contract/outcome'
import type { Result, WorkbenchError } from '../../contract/outcome'
import type { Draft, Project } from '../../contract/project'
import type { Settings } from '../../contract/settings'
import type { Installation } from '../../engine/installation'
import { engineName } from '../../engine/remote/engine-archive'
import { typedTarget } from '../../engine/remote/targets'
import { shellWord } from '../../engine/toolchain/shell-word'
import type { NamedTarget } from '../../engine/remote/targets'
import { isGone } from '../../engine/remote/engine-client'
import type { EngineSession } from '../../engine/remote/engine-client'
import type { Desktop } from '../desktop'
import { NewestOfEach } from '../newest-of-each'
import { askToCopy } from './ask-to-copy'
import { Connection } from './connection'
import { DialogConnection } from './dialog-connection'
import { isOfUser, knownTargets } from './known-targets'
import { KeptSessions } from './kept-sessions'
import { LocalCopies } from './local-copies'
import {
  choosesTools,
  isCallName,
  lostError,
  nameOf,
  ofResults,
  stateOf,
  withTarget,
} from './open-remote'
import type { Open } from './open-remote'
import { RemoteQuestions } from './remote-questions'

/** Seconds before each further attempt to connect again; the last one counts for all that follow. */
const pauses = [1, 2, 4, 8, 15, 30, 60]
/** Then the user has to ask: a server may lock out who asks too often. */
const mostAttempts = 30

/** What is needed of the session of this machine. */
export interface Here {
  installation: Installation
  desktop: Desktop
  settings(): Promise<Settings>
  /** Moves a project to the front of the recent ones. */
  noteRecent(name: string): Promise<void>
  /** Closes the project that is open here, for one of another machine. */
  leave(): Promise<void>
  /** Sends the window what it may have missed, because it heard another machine. */
  comeBack(): void
}

type Answering = () => Promise<Result<unknown>>

/** The projects of other machines: it connects, forwards the window's calls, and connects again. */
export class RemoteProjects {
  private open: Open | undefined
  private state: ConnectionState = stateOf(undefined, 'none')
  private connecting: AbortController | undefined
  private readonly dialog = new DialogConnection((connection) => {
    this.end(connection)
  })

  private readonly questions: RemoteQuestions
  /** Names of targets that the user has agreed to. */
  private readonly agreed = new Set<string>()
  private readonly closing = new Set<Promise<void>>()
  private readonly sessions: KeptSessions

  constructor(private readonly here: Here) {
    this.questions = new RemoteQuestions(here.desktop)
    this.sessions = new KeptSessions(here.installation.dataFolder)
  }

  get isOpen(): boolean {
    return this.open !== undefined
  }

  /** As placeName() makes it; "" while no such project is open. */
  get name(): string {
    return this.open ? nameOf(this.open) : ''
  }

  connection(): ConnectionState {
    return this.state
  }

  /** Answers what concerns a project of another machine; `here` answers all else. */
  async answer(name: string, input: unknown, here: Answering): Promise<Result<unknown>> {
    // Calls about a project of this machine are not read twice.
    if (!isCallName(name) || (!this.open && name !== 'project.open')) return await here()
    const parsed = appCalls[name].input.safeParse(input)
    if (!parsed.success) return await here()
    if (name === 'project.open') {
      const place = parsed.data as AppInput<'project.open'>
      if (place.target !== undefined && place.target !== '')
        return await this.openProject(place.target, place.folder)
    }
    const { open } = this
    if (!open) return await here()
    if (name === 'project.open' || name === 'project.close') {
      const result = await here()
      if (result.ok) this.leave()
      return result
    }
    if (name === 'settings.set' && choosesTools(parsed.data))
      return err(
        'request.invalid',
        `This setting chooses tools on this machine, but the project is on ${machineOf(open.target.name)}.`,
        {
          hint: 'Choose the tools for the project in Doctor, or write them into the settings file of that machine.',
        },
      )
    const place = callPlaces[name]
    switch (place.where) {
      case 'here':
        return name.startsWith('results.') ? await ofResults(open, name, parsed.data) : await here()
      case 'there':
        return await this.forward(open, name, parsed.data)
      case 'both':
        return await this.ofDrafts(open, name, parsed.data)
      case 'refused':
        return err(
          'request.invalid',
          `The project is on ${machineOf(open.target.name)}: ${place.reason}.`,
        )
    }
  }

  private async forward(open: Open, name: AppCallName, input: unknown): Promise<Result<unknown>> {
    if (!open.connection) return lostError(open)
    const result = await open.connection.call(name, input as never)
    // The only other answer that is a project.
    return name === 'trust.answer' && result.ok
      ? ok(withTarget(result.value as Project, open.target))
      : result
  }

  private async ofDrafts(open: Open, name: AppCallName, input: unknown): Promise<Result<unknown>> {
    const { copies } = open
    if (name === 'draft.list') {
      const there = open.connection ? await this.forward(open, name, input) : ok([])
      const drafts = new Map<string, Draft>()
      for (const draft of there.ok ? (there.value as Draft[]) : []) drafts.set(draft.path, draft)
      for (const draft of await copies.drafts()) drafts.set(draft.path, draft)
      return ok([...drafts.values()])
    }
    const { draft } = input as Partial<AppInput<'draft.keep'>>
    const path = draft?.path ?? (input as AppInput<'draft.drop'>).path
    open.drafts.send(path, () => this.forward(open, name, input))
    return draft ? await copies.keepDraft(draft) : await copies.dropDraft(path)
  }

  async targets(): Promise<KnownTarget[]> {
    return await knownTargets(await this.here.settings())
  }

  /** Opens a project of another machine. What is open stays open until that one is. */
  private async openProject(typed: string, folder: string): Promise<Result<Project>> {
    this.connecting?.abort()
    const controller = new AbortController()
    this.connecting = controller
    try {
      const target = await this.targetOf(typed)
      if (!target.ok) return target
      const connection =
        (await this.connected(target.value)) ??
        (await this.takeOver(target.value, folder, controller.signal)) ??
        (await this.connectFirst(target.value, controller.signal))
      if (!connection.ok) return connection
      const entered = await this.enter(connection.value, folder)
      // The dialog goes on with it.
      if (entered.ok) this.dialog.stop()
      else if (this.open?.connection !== connection.value) this.dialog.keep(connection.value)
      return entered
    } finally {
      if (this.connecting === controller) this.connecting = undefined
    }
  }

  /** A connection that is there: of a window that was loaded again, of another project there, or of the dialog. */
  private async connected(target: NamedTarget): Promise<Result<Connection> | undefined> {
    const before = this.open?.connection
    const found = before?.target.name === target.name ? before : await this.dialog.take(target)
    return found && ok(found)
  }

  /** Goes on with the engine of a window that was killed; undefined if there is none. */
  private async takeOver(
    target: NamedTarget,
    folder: string,
    signal: AbortSignal,
  ): Promise<Result<Connection> | undefined> {
    const place = placeName({ target: target.name, folder })
    const takesOver = this.sessions.take(place)
    if (!takesOver) return undefined
    const connected = await this.connect(target, signal, takesOver)
    if (connected.ok) return connected
    // An engine of another version cannot go on either.
    if (isGone(connected) || connected.error.code === 'target.noOpsmith') return undefined
    this.sessions.putBack(place, takesOver)
    return connected
  }

  /** Asks the engine of a target about its folders and its projects, before one is open. */
  async ask<N extends 'remote.folders' | 'remote.starts' | 'remote.make'>(
    name: N,
    input: AppInput<N>,
  ): Promise<Result<AppOutput<N>>> {
    // Folders are listed while somebody types: the user is not asked, and nothing is copied.
    const isQuiet = name === 'remote.folders'
    const target = await this.targetOf(input.target, isQuiet)
    if (!target.ok) return target
    const before = this.open?.connection
    const connection =
      before?.target.name === target.value.name
        ? ok(before)
        : await this.dialog.get(
            target.value,
            (signal) =>
              isQuiet
                ? this.connect(target.value, signal)
                : this.connectFirst(target.value, signal),
            !isQuiet,
          )
    if (!connection.ok) return connection
    return (await connection.value.call(name, { ...input, target: '' })) as Result<AppOutput<N>>
  }

  /** The target that is meant. What the user's files do not name is asked about: the window cannot press the dialog. */
  private async targetOf(typed: string, isQuiet = false): Promise<Result<NamedTarget>> {
    const settings = await this.here.settings()
    const target = typedTarget(typed, settings)
    if (!target.ok || (await isOfUser(target.value, settings))) return target
    const { name, command } = target.value
    if (this.agreed.has(name)) return target
    if (isQuiet)
      return err(
        'request.invalid',
        `Connect to ${machineOf(name)} first. Then Opsmith lists its folders.`,
      )
    const pressed = await this.here.desktop.ask({
      type: 'question',
      message: `Run this command to reach ${machineOf(name)}?\n\n${command.map(shellWord).join(' ')}`,
      detail:
        'The command runs on this machine. Opsmith asks because the target is neither in the settings file nor in ~/.ssh/config.',
      buttons: ['Run it', 'Cancel'],
      defaultId: 1,
      cancelId: 1,
    })
    if (pressed !== 0) return err('cancelled', 'The command was not run.')
    this.agreed.add(name)
    return target
  }

  /** As the user asks for it: an engine that is not there is copied. */
  private async connectFirst(
    target: NamedTarget,
    signal: AbortSignal,
  ): Promise<Result<Connection>> {
    const connected = await this.connect(target, signal)
    if (connected.ok || connected.error.code !== 'target.noOpsmith') return connected
    const copied = await askToCopy(this.here, target, { signal, reason: connected })
    // The panel Set-up shows what is missing there, and goes on.
    if (!copied.ok && copied.error.code !== 'toolchain.missing') return copied
    return await this.connect(target, signal)
  }

  private async connect(
    target: NamedTarget,
    signal: AbortSignal,
    takesOver?: EngineSession,
  ): Promise<Result<Connection>> {
    const { desktop } = this.here
    desktop.send('remote.progressed', { text: `Connecting to ${machineOf(target.name)} …\n` })
    return await Connection.to(target, {
      version: desktop.version,
      keep: 60 * (await this.here.settings()).keepMinutes,
      copy: engineName(this.here.installation.root),
      ...(takesOver && { takesOver }),
      signal,
      onLog: (text) => {
        desktop.send('remote.progressed', { text })
      },
      onQuestion: (asked) => this.questions.ask(target, asked),
    })
  }

  private async enter(connection: Connection, folder: string): Promise<Result<Project>> {
    this.here.desktop.send('remote.progressed', { text: `Opening ${folder || 'the folder'} …\n` })
    const opened = await connection.call('project.open', { folder })
    if (!opened.ok) return opened
    const project = withTarget(opened.value, connection.target)
    const name = placeName({ target: connection.target.name, folder: project.folder })
    if (!project.folder.startsWith('/'))
      return err(
        'internal',
        `Opsmith on ${machineOf(connection.target.name)} returned a path that is not absolute: ${project.folder}.`,
      )
    await this.leaveFor(name, connection)
    this.open ??= {
      target: connection.target,
      folder: project.folder,
      connection,
      kept: undefined,
      engine: 0,
      copies: new LocalCopies(this.here.installation.dataFolder, name),
      drafts: new NewestOfEach(),
      attempts: 0,
      timer: undefined,
    }
    if (this.open.connection !== connection) this.open.engine += 1
    this.forgetKept(this.open)
    this.open.connection = connection
    this.setState(stateOf(this.open, 'open'))
    this.work(this.open, connection)
    this.sessions.keep(name, connection.place)
    await this.here.noteRecent(name)
    return ok(project)
  }

  /** Closes what is open, unless it is the same project. */
  private async leaveFor(name: string, connection: Connection): Promise<void> {
    const { open } = this
    if (!open) {
      await this.here.leave()
      return
    }
    clearTimeout(open.timer)
    if (nameOf(open) === name) return
    if (open.connection === connection) this.open = undefined
    else this.leave()
  }

  /** The window works with this engine now. */
  private work(open: Open, connection: Connection): void {
    connection.begin(
      (name, payload) => {
        const { desktop } = this.here
        if (name === 'project.changed')
          desktop.send('project.changed', withTarget(payload as Project, open.target))
        else desktop.send(name, payload)
      },
      (error, isKept) => {
        if (this.open?.connection !== connection) return
        this.open.kept = isKept ? connection : undefined
        this.lose(this.open, connection, error)
      },
    )
  }

  private lose(open: Open, connection: Connection, lost: Result<never>): void {
    open.connection = undefined
    open.attempts = 0
    if (open.kept !== connection) {
      this.end(connection)
      this.questions.cancelAll()
    }
    this.wait(open, lost.ok ? undefined : lost.error)
  }

  /** Calls that the engine of a lost connection was to answer end. */
  private forgetKept(open: Open): void {
    const { kept } = open
    if (!kept) return
    open.kept = undefined
    this.questions.cancelAll()
    kept.giveUp(lostError(open))
    this.end(kept)
  }

  /** Says why there is no connection, and tries again after a while. */
  private wait(open: Open, error: WorkbenchError | undefined): void {
    const pause = 1000 * (pauses[Math.min(open.attempts, pauses.length - 1)] ?? 0)
    const isLast = open.attempts >= mostAttempts
    this.setState({
      ...stateOf(open, 'lost'),
      message: error?.message ?? '',
      hint: error?.hint ?? '',
      detail: error?.detail ?? '',
      retryAt: isLast ? 0 : Date.now() + pause,
    })
    if (isLast) return
    open.timer = setTimeout(() => {
      void this.connectAgain(open)
    }, pause)
  }

  /** As the user asks for it: at once. */
  reconnect(): void {
    const { open } = this
    if (!open || this.state.state !== 'lost') return
    open.attempts = 0
    void this.connectAgain(open)
  }

  private async connectAgain(open: Open): Promise<void> {
    clearTimeout(open.timer)
    open.attempts += 1
    this.setState({ ...this.state, state: 'reconnecting', retryAt: 0 })
    const controller = new AbortController()
    this.connecting = controller
    const resumed = await this.resume(open, controller.signal)
    if (resumed !== 'gone') {
      if (this.connecting === controller) this.connecting = undefined
      if (this.open === open && !resumed.ok) this.wait(open, resumed.error)
      return
    }
    const connected = await this.connect(open.target, controller.signal)
    if (this.connecting === controller) this.connecting = undefined
    const opened = connected.ok
      ? await connected.value.call('project.open', { folder: open.folder })
      : connected
    if (this.open !== open || !opened.ok || !connected.ok) {
      if (connected.ok) this.end(connected.value)
      if (this.open === open) this.wait(open, opened.ok ? undefined : opened.error)
      return
    }
    open.connection = connected.value
    open.engine += 1
    this.setState(stateOf(open, 'open'))
    this.here.desktop.send('project.changed', withTarget(opened.value, open.target))
    this.work(open, connected.value)
    this.sessions.keep(nameOf(open), connected.value.place)
  }

  /** Goes on with the engine of a lost connection; `gone` if there is none. */
  private async resume(open: Open, signal: AbortSignal): Promise<Result<null> | 'gone'> {
    const { kept } = open
    if (!kept) return 'gone'
    const resumed = await kept.resume(signal)
    // The user has closed the project, or has opened it again.
    if (this.open !== open || open.kept !== kept) return resumed
    if (resumed.ok) {
      open.kept = undefined
      open.connection = kept
      this.setState(stateOf(open, 'open'))
      return resumed
    }
    if (resumed.isGone !== true) return resumed
    this.forgetKept(open)
    return 'gone'
  }

  /** Ends an attempt to connect. */
  stop(): void {
    this.connecting?.abort()
    this.dialog.stop()
  }

  answerQuestion(id: number, path: string | null): void {
    this.questions.answer(id, path)
  }

  /** The project is closed; its engine ends its jobs, and then itself. */
  private leave(): void {
    const { open } = this
    if (!open) return
    clearTimeout(open.timer)
    this.connecting?.abort()
    this.open = undefined
    this.sessions.drop()
    this.questions.cancelAll()
    this.forgetKept(open)
    if (open.connection) this.end(open.connection)
    this.setState(stateOf(undefined, 'none'))
    this.here.comeBack()
  }

  private end(connection: Connection): void {
    const closed = connection.close().finally(() => this.closing.delete(closed))
    this.closing.add(closed)
  }

  private setState(state: ConnectionState): void {
    this.state = state
    this.here.desktop.send('remote.changed', state)
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    this.stop()
    this.leave()
    await Promise.all(this.closing)
  }
}
