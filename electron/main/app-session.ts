import path from 'node:path'

import type { BrowserWindow } from 'electron'

import type { AppEvent, AppEventName } from '../contract/app-calls'
import { manifestFileName } from '../contract/manifest'
import { exportFolderOf } from '../contract/settings'
import type { Project } from '../contract/project'
import type { Result, WorkbenchError } from '../contract/outcome'
import { eventChannel } from '../contract/channels'
import { startForkedHost } from '../engine/host/transport'
import type { Installation } from '../engine/installation'
import { describeProject } from '../engine/project/describe-project'
import { changeSettings } from '../engine/project/settings-file'
import { watchProject } from '../engine/project/watch-project'
import { Workbench } from '../engine/workbench'
import { ProjectSession } from './project-session'
import { TextBatches } from './text-batch'

const mostRecent = 12
const mostRemembered = 50

function noteKnown(project: ProjectSession, { files }: Project): void {
  project.knownFiles = new Set(files.map((file) => file.path))
}

/** What one window of the app works with: its workbench, and the project that is open. */
export class AppSession {
  readonly workbench: Workbench
  window: BrowserWindow | undefined
  /** The project that is open. */
  project: ProjectSession | undefined
  /** Messages of failures in the background that the window was sent. */
  private readonly failures = new Set<string>()
  private flushed: (() => void) | undefined

  constructor(
    readonly installation: Installation,
    private givenFolder: string,
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

  /** What a window shows first: one that died has its project back. */
  get startFolder(): string {
    return this.project?.folder ?? this.givenFolder
  }

  send<N extends AppEventName>(name: N, payload: AppEvent<N>): void {
    if (this.window && !this.window.isDestroyed()) {
      this.window.webContents.send(eventChannel, name, payload)
    }
  }

  /** The open project, if that is the folder: the window may name no other. */
  openProject(folder: string): ProjectSession | undefined {
    return this.project?.folder === path.resolve(folder) ? this.project : undefined
  }

  /** Opens a project in this window; the one before is closed. A window that was reloaded opens the same again. */
  async open(folder: string): Promise<Result<Project>> {
    const described = await describeProject(folder)
    if (!described.ok) return described
    const project = await this.enter(described.value.folder)
    this.workbench.builds.warmUp(project.folder)
    await project.watch(() =>
      watchProject(project.folder, (relative, version) => {
        this.send('file.changed', { folder: project.folder, path: relative, version })
        if (relative === manifestFileName || version === '' || !project.knownFiles.has(relative))
          void this.refresh(project)
      }),
    )
    noteKnown(project, described.value)
    const settings = await this.workbench.projects.settings()
    const others = settings.recentProjects.filter((item) => item !== project.folder)
    await changeSettings(this.installation.cacheFolder, {
      recentProjects: [project.folder, ...others].slice(0, mostRecent),
    })
    project.noteExportFolder(exportFolderOf(settings, project.folder))
    return described
  }

  private async enter(folder: string): Promise<ProjectSession> {
    const same = this.openProject(folder)
    if (same) return same
    const before = this.project
    const project = new ProjectSession(folder)
    this.project = project
    await before?.close()
    this.workbench.clangd.leave()
    return project
  }

  private async refresh(project: ProjectSession): Promise<void> {
    const described = await describeProject(project.folder)
    if (!described.ok || this.project !== project) return
    noteKnown(project, described.value)
    this.send('project.changed', described.value)
    // Another source, other flags: clangd works with what a build would run.
    await this.workbench.clangd.refresh()
  }

  async closeProject(): Promise<void> {
    const { project } = this
    this.project = undefined
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
    await changeSettings(this.installation.cacheFolder, {
      exportFolders: Object.fromEntries([
        ...others.slice(1 - mostRemembered),
        [project.folder, path.resolve(directory)],
      ]),
    })
  }

  /**
   * Asks the window to keep what was typed, and waits for it. A window that died has nothing more to
   * say; one that hangs is waited for as long as a very busy machine might need.
   */
  async flush(): Promise<void> {
    const answered = new Promise<void>((resolve) => {
      this.flushed = resolve
    })
    // Nothing was typed yet into what is still being loaded, and nobody there would answer.
    if (this.window?.webContents.isLoadingMainFrame() === true) return
    this.window?.webContents.once('render-process-gone', () => this.flushed?.())
    this.send('command.invoked', { command: 'flush' })
    await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, 20_000))])
  }

  noteFlushed(): void {
    this.flushed?.()
  }

  /** Precompiled headers, after the window is up: they take half a minute of one core. */
  async prepareInBackground(): Promise<void> {
    const prepared = await this.workbench.headers.prepare()
    if (!prepared.ok) this.sendFailure(prepared.error)
  }

  /** Once: each build would try again. What is not installed is doctor's to say. */
  private sendFailure(error: WorkbenchError): void {
    if (error.code === 'toolchain.missing' || this.failures.has(error.message)) return
    this.failures.add(error.message)
    this.send('background.failed', error)
  }

  async close(): Promise<void> {
    await this.closeProject()
    await this.workbench.close()
  }
}
