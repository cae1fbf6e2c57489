import path from 'node:path'

import type { BrowserWindow } from 'electron'

import type { AppEvent, AppEventName } from '../contract/app-calls'
import { manifestFileName } from '../contract/manifest'
import { exportFolderOf } from '../contract/settings'
import type { Project } from '../contract/project'
import type { Result, WorkbenchError } from '../contract/outcome'
import { eventChannel } from '../contract/channels'
import type { Installation } from '../engine/installation'
import { describeProject } from '../engine/project/describe-project'
import { changeSettings, readSettings } from '../engine/project/settings-file'
import { watchProject } from '../engine/project/watch-project'
import type { ProjectWatcher } from '../engine/project/watch-project'
import { Workbench } from '../engine/workbench'
import { TextBatch } from './text-batch'
import { startUtilityHost } from './utility-host'

const mostRecent = 12
const mostRemembered = 50

/** What one window of the app works with: its workbench, its open project, its jobs. */
export class AppSession {
  readonly workbench: Workbench
  window: BrowserWindow | undefined
  private watcher: ProjectWatcher | undefined
  private openFolder = ''
  private readonly namedFiles = new Set<string>()
  private readonly openedModels = new Set<string>()
  private readonly exportFolders = new Set<string>()
  private readonly jobs = new Map<string, AbortController>()
  private readonly failures = new Set<string>()
  private flushed: (() => void) | undefined

  constructor(
    readonly installation: Installation,
    private givenFolder: string,
  ) {
    const batches = new Map<string, TextBatch>()
    this.workbench = new Workbench(installation, startUtilityHost, {
      onState: (state) => {
        this.send('host.changed', state)
      },
      onBackground: (title, done, detail) => {
        this.send('background.progressed', { title, done, detail })
      },
      onBackgroundFailed: (error) => {
        this.tellFailed(error)
      },
      onSettled: (settled, report) => {
        this.noteFiles(report)
        this.send('build.settled', { folder: settled, report })
      },
      onLanguageState: (state) => {
        this.send('language.changed', state)
      },
      onLanguageDiagnostics: (said) => {
        this.noteFiles(said)
        this.send('language.diagnosed', said)
      },
      onOutput: (generation, stream, text) => {
        const key = `${generation} ${stream}`
        let batch = batches.get(key)
        if (!batch) {
          batch = new TextBatch((joined) => {
            this.send('host.output', { generation, stream, text: joined })
          })
          batches.set(key, batch)
        }
        batch.add(text)
      },
    })
  }

  /** What a window shows first: one that died has its project back. */
  get startFolder(): string {
    return this.openFolder === '' ? this.givenFolder : this.openFolder
  }

  send<N extends AppEventName>(name: N, payload: AppEvent<N>): void {
    if (this.window && !this.window.isDestroyed()) {
      this.window.webContents.send(eventChannel, name, payload)
    }
  }

  /** Opens a project in this window; the one before is no longer watched. */
  async open(folder: string): Promise<Result<Project>> {
    const project = await describeProject(folder)
    if (!project.ok) return project
    await this.watcher?.close()
    if (this.openFolder !== project.value.folder) this.workbench.clangd.leave()
    this.openFolder = project.value.folder
    this.workbench.builds.warmUp(this.openFolder)
    this.watcher = watchProject(this.openFolder, (relative, version) => {
      this.send('file.changed', { folder: this.openFolder, path: relative, version })
      if (relative === manifestFileName || version === '' || !this.known.has(relative))
        void this.refresh()
    })
    this.known = new Set(project.value.files.map((file) => file.path))
    const settings = await readSettings(this.installation.cacheFolder)
    const recent = [
      this.openFolder,
      ...settings.recentProjects.filter((item) => item !== this.openFolder),
    ]
    await changeSettings(this.installation.cacheFolder, {
      recentProjects: recent.slice(0, mostRecent),
    })
    this.exportFolders.add(path.resolve(exportFolderOf(settings, this.openFolder)))
    return project
  }

  private known = new Set<string>()

  private async refresh(): Promise<void> {
    const project = await describeProject(this.openFolder)
    if (!project.ok) return
    this.known = new Set(project.value.files.map((file) => file.path))
    this.send('project.changed', project.value)
    // Another source, other flags: clangd works with what a build would run.
    await this.workbench.clangd.refresh()
  }

  async closeProject(): Promise<void> {
    await this.watcher?.close()
    this.watcher = undefined
    this.workbench.clangd.leave()
    this.openFolder = ''
    this.givenFolder = ''
    this.workbench.builds.stopCompileServer()
  }

  /** A folder the renderer names must be the open project: no call reaches another. */
  isOpen(folder: string): boolean {
    return this.openFolder !== '' && path.resolve(folder) === this.openFolder
  }

  /** Remembers every file that an answer names: a compiler's message, a kernel, a frame of a stack. */
  noteFiles(answer: unknown): void {
    if (typeof answer !== 'object' || answer === null) return
    for (const [key, value] of Object.entries(answer)) {
      if (key === 'file' && typeof value === 'string') this.namedFiles.add(path.resolve(value))
      else this.noteFiles(value)
    }
  }

  /** Outside the project the window may look at what it was told of, and at nothing else. */
  wasNamed(file: string): boolean {
    return this.namedFiles.has(path.resolve(file))
  }

  /** Remembers a model that the user chose, or that lies in their project. */
  noteOpened(file: string): void {
    this.openedModels.add(path.resolve(file))
  }

  /** Models outside the project are read after the user chose them, and not before. */
  wasOpened(file: string): boolean {
    return this.openedModels.has(path.resolve(file))
  }

  /** Remembers the folder that the user chose for the open project's exports, for good. */
  async noteExportTo(directory: string): Promise<void> {
    this.exportFolders.add(path.resolve(directory))
    const { cacheFolder } = this.installation
    const { exportFolders } = await readSettings(cacheFolder)
    const others = Object.entries(exportFolders).filter(([project]) => project !== this.openFolder)
    await changeSettings(cacheFolder, {
      exportFolders: Object.fromEntries([
        ...others.slice(1 - mostRemembered),
        [this.openFolder, path.resolve(directory)],
      ]),
    })
  }

  /** Exports go into the open project, and where the user said; what lies there may be shown. */
  mayExportTo(directory: string): boolean {
    const target = path.resolve(directory)
    const folders = [...this.exportFolders, ...(this.openFolder === '' ? [] : [this.openFolder])]
    return folders.some(
      (folder) => target === folder || target.startsWith(path.join(folder, path.sep)),
    )
  }

  /** Runs work that `job.cancel` can end. */
  async job<T>(id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    this.jobs.set(id, controller)
    try {
      return await work(controller.signal)
    } finally {
      if (this.jobs.get(id) === controller) this.jobs.delete(id)
    }
  }

  cancel(id: string): boolean {
    const controller = this.jobs.get(id)
    controller?.abort()
    return controller !== undefined
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
    if (!prepared.ok) this.tellFailed(prepared.error)
  }

  /** Once: each build would try again. What is not installed is doctor's to say. */
  private tellFailed(error: WorkbenchError): void {
    if (error.code === 'toolchain.missing' || this.failures.has(error.message)) return
    this.failures.add(error.message)
    this.send('background.failed', error)
  }

  async close(): Promise<void> {
    for (const controller of this.jobs.values()) controller.abort()
    await this.closeProject()
    await this.workbench.close()
  }
}
