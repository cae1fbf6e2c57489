import os from 'node:os'
import path from 'node:path'

import type { AppEvent, AppEventName } from '../contract/app-calls'
import { eventPlaces } from '../contract/call-places'
import type { StartNews } from '../contract/start-news'
import { manifestFileName } from '../contract/manifest'
import { exportFolderOf } from '../contract/settings'
import type { ProjectProposal } from '../contract/project-import'
import type { DescribedProject, Project, TrustState } from '../contract/project'
import { ok, WorkbenchFailure } from '../contract/outcome'
import type { Result, WorkbenchError } from '../contract/outcome'
import { removeProjectLeftovers } from '../engine/builds/leftovers'
import { startForkedHost } from '../engine/host/transport'
import type { Installation } from '../engine/installation'
import { log } from '../engine/log-file'
import { describeProject } from '../engine/project/describe-project'
import { diskError } from '../engine/project/file-errors'
import { findProjectFolder } from '../engine/project/find-project'
import { realPlace } from '../engine/project/inside'
import { manifestFolderOf } from '../engine/project/manifest-place'
import { changeSettings } from '../engine/project/settings-file'
import type { Trust } from '../engine/project/trust'
import { unreadFiles } from '../engine/project/unread-files'
import { watchProject } from '../engine/project/watch-project'
import { Workbench } from '../engine/workbench'
import { IdleTimer } from '../engine/idle-timer'
import type { Desktop } from './desktop'
import { Jobs } from './jobs'
import type { KeptJobs } from './kept-jobs'
import { oneAtATime } from './one-at-a-time'
import { ProjectSession } from './project-session'
import { RemoteProjects } from './remote/remote-projects'
import { Terminals } from './terminals'
import { TextBatches } from './text-batch'

const mostRecent = 12
/** Milliseconds without a key, a build or a question after which the open project's helpers give their memory back. */
const helpersRestAfter = 15 * 60_000
const mostRemembered = 50

function noteKnown(project: ProjectSession, { files }: DescribedProject): void {
  project.knownFiles = new Set(files.map((file) => file.path))
}

/** What one window of the app works with: its workbench, and the project that is open. */
export class AppSession {
  readonly workbench: Workbench
  /** The project that is open. */
  project: ProjectSession | undefined
  /** Of the machine. They end with the project that is open: nobody sees them after it, and the next one needs the GPU. */
  readonly jobs = new Jobs()
  /** Set-up goes on while projects are opened and closed. */
  readonly setupJobs = new Jobs()
  /** Folders that the user chose in a dialog of main's. */
  readonly chosenLibtorchs = new Set<string>()
  /** What was proposed last for a folder without opsmith.json. */
  proposal: (ProjectProposal & { apart: string }) | undefined
  /** The projects of other machines; undefined where this session is that of another. */
  remote: RemoteProjects | undefined
  /** Jobs that outlive the window; undefined where a session ends with it. */
  keptJobs: KeptJobs | undefined
  /** The project of the start, until the window asks for it. */
  private early: { folder: string; opened: Promise<Result<Project>> } | undefined
  /** Failures before the window listens. It gets them when it asks for the project. */
  private earlyFailures: WorkbenchError[] | undefined
  /** What could not be read at the start. Opening a project writes over such a file, after a copy. */
  private unread: Promise<string[]> | undefined
  /** Messages of failures in the background that the window was sent. */
  private readonly failures = new Set<string>()
  private flushed: (() => void) | undefined
  private readonly idleTimer = new IdleTimer(helpersRestAfter, {
    onIdle: () => {
      this.workbench.builds.stopCompileServer()
      this.workbench.clangd.rest()
    },
    onWake: () => {
      if (!this.project) return
      this.workbench.builds.warmUp(this.project.folder)
      this.workbench.clangd.wake()
    },
  })

  constructor(
    readonly installation: Installation,
    readonly desktop: Desktop,
    private givenFolder: string,
    /** How the session before ended, if it was not closed. */
    readonly unexpectedEnd: StartNews['unexpectedEnd'] = null,
  ) {
    const output = new TextBatches<{ generation: number; stream: 'stdout' | 'stderr' }>(
      (source, text) => {
        this.send('host.output', { ...source, text })
      },
    )
    this.workbench = new Workbench(installation, startForkedHost, {
      onState: (state) => {
        this.send('host.changed', state)
      },
      onBackground: (title, done, detail) => {
        this.send('background.progressed', { title, done, detail })
      },
      onBackgroundFailed: (error) => {
        this.sendFailure(error)
      },
      onKernelReport: (report) => {
        if (!this.project) return
        this.project.noteFiles(report)
        this.send('kernels.reported', { folder: this.project.folder, report })
      },
      onKernelCounts: (counts) => {
        if (!this.project) return
        this.project.noteFiles(counts)
        this.send('kernels.counted', { folder: this.project.folder, counts })
      },
      onSettled: (folder, report) => {
        this.openProject(folder)?.noteFiles(report)
        this.send('build.settled', { folder, report })
      },
      onLanguageState: (state) => {
        this.send('language.changed', state)
      },
      onLanguageDiagnostics: (diagnostics) => {
        this.openProject(diagnostics.folder)?.noteFiles(diagnostics)
        this.send('language.diagnosed', diagnostics)
      },
      onOutput: (generation, stream, text) => {
        output.add({ generation, stream }, text)
      },
    })
  }

  /** To be shown once a project is open; "" for none. */
  startModel = ''
  readonly givenModels = new Set<string>()
  /** A window that is loaded again shows the news no more. */
  hasNewsShown = false

  /** The user does something here. */
  touch(): void {
    this.idleTimer.touch()
  }

  /** What a window shows first: one that died has its project back. */
  get startFolder(): string {
    if (this.remote?.isOpen === true) return this.remote.name
    return this.project && !this.early ? manifestFolderOf(this.project.folder) : this.givenFolder
  }

  send<N extends AppEventName>(name: N, payload: AppEvent<N>): void {
    // The window works with another engine, and would take this one's op host for that one's.
    if (this.remote?.isOpen === true && eventPlaces[name].where === 'there') return
    this.desktop.send(name, payload)
  }

  /** Lets the window open projects of other machines. */
  reachOthers(): RemoteProjects {
    this.remote = new RemoteProjects({
      installation: this.installation,
      desktop: this.desktop,
      settings: () => this.workbench.projects.settings(),
      noteRecent: (name) => this.noteRecent(name),
      leave: async () => {
        this.early = undefined
        await this.closeProject()
        this.workbench.hosts.stop()
      },
      comeBack: () => {
        // As at a start without a project.
        if (!this.project) void this.workbench.hosts.host()
        this.send('host.changed', this.workbench.hosts.state())
        this.send('language.changed', this.workbench.clangd.state())
      },
    })
    return this.remote
  }

  /** Moves a project to the front of the recent ones. */
  private async noteRecent(opened: string): Promise<void> {
    const settings = await this.workbench.projects.settings()
    const others = settings.recentProjects.filter((item) => item !== opened)
    const recentProjects = [opened, ...others].slice(0, mostRecent)
    await this.keepOrSay(changeSettings(this.installation.configFolder, { recentProjects }))
  }

  /** The user has named this model: it may be read, whatever project is open. */
  noteModel(model: string): void {
    this.startModel = model
    if (model !== '') this.givenModels.add(model)
  }

  /** Has the window open what a second start named. */
  want({ folder, model }: AppEvent<'project.wanted'>): void {
    this.noteModel(model)
    if (folder !== '' || model !== '') this.send('project.wanted', { folder, model })
  }

  /** The open project, if that is the folder: the window may name no other. */
  openProject(folder: string): ProjectSession | undefined {
    return this.project?.folder === path.resolve(folder) ? this.project : undefined
  }

  /** Opens the project of the start while the window's code is still being read. */
  openEarly(): void {
    const folder = this.givenFolder
    if (folder === '') return
    this.earlyFailures = []
    const opened = this.unreadFiles().then(() => this.openNow(folder))
    this.early = { folder, opened }
    // Who asks for it is answered with the error.
    opened.catch(() => undefined)
  }

  /** What this version cannot read of what the user chose, a sentence for each file. */
  unreadFiles(): Promise<string[]> {
    this.unread ??= unreadFiles(this.installation)
    return this.unread
  }

  /** Opens a project in this window; the one before is closed. A window that was reloaded opens the same again. */
  async open(named: string): Promise<Result<Project>> {
    const { early, earlyFailures = [] } = this
    this.early = undefined
    this.earlyFailures = undefined
    for (const failure of earlyFailures) this.send('background.failed', failure)
    if (early?.folder === named) return await early.opened
    await early?.opened.catch(() => undefined)
    return await this.openNow(named)
  }

  private async openNow(given: string): Promise<Result<Project>> {
    // Who types a path of another machine may not know the home folder there.
    const named = given.replace(/^~(?=\/|$)/, os.homedir())
    // The window names the open project by its own folder, also where opsmith.json is in another.
    const folder = this.openProject(named) ? ok(named) : await findProjectFolder(named)
    if (!folder.ok) return folder
    const described = await describeProject(folder.value)
    if (!described.ok) return described
    const trust = await this.workbench.projects.trustOf(described.value.folder)
    const project = await this.enter(described.value.folder, trust)
    this.workbench.hosts.useProject(project.folder)
    if (trust === 'trusted') {
      this.workbench.hosts.followSandbox()
      void this.workbench.hosts.host()
      this.workbench.builds.warmUp(project.folder)
    } else this.workbench.hosts.stop()
    await project.watch(() =>
      watchProject(project.folder, (relative, version) => {
        this.send('file.changed', { folder: project.folder, path: relative, version })
        if (relative === manifestFileName || version === '' || !project.knownFiles.has(relative))
          void this.refresh()
      }),
    )
    noteKnown(project, described.value)
    void removeProjectLeftovers(project.folder, this.installation)
    await this.noteRecent(manifestFolderOf(project.folder))
    const settings = await this.workbench.projects.settings()
    project.noteExportFolder(exportFolderOf(settings, project.folder))
    return ok({ ...described.value, trust })
  }

  get trust(): Trust {
    return this.workbench.projects.trust
  }

  /** Waits for something to be written. A disk that does not take it costs no more than that, and a message. */
  async keepOrSay(writing: Promise<unknown>): Promise<void> {
    try {
      await writing
    } catch (error) {
      const refused = diskError(error)
      if (!refused) throw error
      this.sendFailure(refused)
    }
  }

  /** Takes the user's answer whether a folder is trusted; it holds also where it cannot be written, which the window shows. */
  async decideTrust(project: ProjectSession, trusted: boolean, parent: boolean): Promise<void> {
    const isParent = trusted && parent
    const folder = isParent ? path.dirname(await realPlace(project.folder)) : project.folder
    const place = manifestFolderOf(project.folder)
    for (const one of place === project.folder ? [folder] : [folder, place])
      await this.keepOrSay(this.trust.decide(one, trusted ? 'trusted' : 'restricted'))
    await this.followTrust()
  }

  async forgetTrust(folder: string): Promise<void> {
    await this.keepOrSay(this.trust.forget(folder))
    await this.followTrust()
  }

  /** Begins or ends what is done for the open project without being asked, as it is trusted now or not. */
  private async followTrust(): Promise<void> {
    const { project } = this
    if (!project) return
    const before = project.trust
    project.trust = await this.workbench.projects.trustOf(project.folder)
    if (before !== 'trusted' && project.trust === 'trusted') {
      this.workbench.builds.warmUp(project.folder)
      void this.workbench.hosts.host()
    }
    if (before === 'trusted' && project.trust !== 'trusted') {
      project.cancelAll()
      void project.terminals.closeAll()
      this.workbench.clangd.leave()
      this.workbench.builds.stopCompileServer()
      this.workbench.hosts.stop()
    }
  }

  private async enter(folder: string, trust: TrustState): Promise<ProjectSession> {
    const same = this.openProject(folder)
    if (same) {
      same.trust = trust
      return same
    }
    const before = this.project
    if (before) this.jobs.cancelAll()
    const terminals = new Terminals({
      onText: (terminal, text) => {
        this.send('terminal.printed', { terminal, text })
      },
      onEnd: (terminal, exitCode) => {
        this.send('terminal.ended', { terminal, exitCode })
      },
    })
    const project = new ProjectSession(folder, trust, terminals)
    this.project = project
    this.endKernelVariant()
    await before?.close()
    this.workbench.clangd.leave()
    return project
  }

  /**
   * Sends the window what the open project has on disk now. One at a time: a slow description must not
   * arrive after a newer one and show an opsmith.json that is no longer there.
   */
  readonly refresh = oneAtATime(async () => {
    const { project } = this
    if (!project) return
    // What was read of it before the window asked is no longer so.
    this.early = undefined
    const described = await describeProject(project.folder)
    if (!described.ok || this.project !== project) return
    noteKnown(project, described.value)
    this.send('project.changed', { ...described.value, trust: project.trust })
    if (project.trust !== 'trusted') return
    // Another source, other flags: clangd works with what a build would run.
    void this.workbench.clangd.refresh()
  })

  /** The window says of each project what its kernels are compiled for. */
  private endKernelVariant(): void {
    this.workbench.projects.kernelVariant = 'plain'
    this.workbench.forgetKernelReports()
  }

  async closeProject(): Promise<void> {
    const { project } = this
    this.jobs.cancelAll()
    this.project = undefined
    this.endKernelVariant()
    this.givenFolder = ''
    await project?.close()
    this.workbench.clangd.leave()
    this.workbench.builds.stopCompileServer()
  }

  /** Remembers the folder that the user chose for a project's exports, for good. */
  async keepExportFolder(project: ProjectSession, directory: string): Promise<void> {
    project.noteExportFolder(directory)
    const { exportFolders } = await this.workbench.projects.settings()
    const others = Object.entries(exportFolders).filter(([folder]) => folder !== project.folder)
    const kept = [
      ...others.slice(1 - mostRemembered),
      [project.folder, path.resolve(directory)] as const,
    ]
    await this.keepOrSay(
      changeSettings(this.installation.configFolder, { exportFolders: Object.fromEntries(kept) }),
    )
  }

  /**
   * Asks the window to keep what was typed, and waits for it. A window that died has nothing more to
   * say; one that hangs is waited for as long as a very busy machine might need.
   * @param gone resolves if the window dies
   */
  async flush(gone: Promise<void>): Promise<void> {
    const answered = new Promise<void>((resolve) => {
      this.flushed = resolve
    })
    this.send('command.invoked', { command: 'flush' })
    await Promise.race([answered, gone, new Promise((resolve) => setTimeout(resolve, 20_000))])
  }

  noteFlushed(): void {
    this.flushed?.()
  }

  /** Precompiled headers, after the window is up: they take half a minute of one core. */
  async prepareInBackground(): Promise<void> {
    const prepared = await this.workbench.headers.prepareInBackground()
    if (!prepared.ok) this.sendFailure(prepared.error)
  }

  /** Says what nobody waited for, and what therefore no call's answer can say. */
  noteUnexpected(error: unknown): void {
    const refused = error instanceof WorkbenchFailure ? error.error : diskError(error)
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    if (!refused) {
      process.stderr.write(`opsmith: ${stack}\n`)
      log(this.installation.stateFolder, stack)
    }
    this.sendFailure(
      refused ?? {
        code: 'internal',
        message:
          'Work in the background failed, because of a bug in Opsmith. Report the bug, with the details.',
        detail: stack,
      },
    )
  }

  /** Once: each build would try again. What is not installed is doctor's to say. */
  private sendFailure(error: WorkbenchError): void {
    if (error.code === 'toolchain.missing' || this.failures.has(error.message)) return
    this.failures.add(error.message)
    if (this.earlyFailures) this.earlyFailures.push(error)
    else this.send('background.failed', error)
  }

  async close(): Promise<void> {
    this.idleTimer.stop()
    this.setupJobs.cancelAll()
    await this.remote?.close()
    await this.closeProject()
    await this.workbench.close()
  }
}
