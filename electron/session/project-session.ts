import path from 'node:path'

import type { TrustState } from '../contract/project'
import { isWithin, realPlace } from '../engine/project/inside'
import type { ProjectWatcher } from '../engine/project/watch-project'
import type { StepSession } from '../engine/virtual-gpu/stepping/step-session'
import { Jobs } from './jobs'
import type { Terminals } from './terminals'

/**
 * What the window has to do with the project that is open: jobs that run, and what it may read and write
 * outside the project. Closing the project ends it, so nothing of it reaches the next.
 */
export class ProjectSession {
  /** Files of the project as they were listed last, relative. */
  knownFiles = new Set<string>()
  private watcher: ProjectWatcher | undefined
  private readonly namedFiles = new Set<string>()
  private readonly openedModels = new Set<string>()
  private readonly exportFolders = new Set<string>()
  private readonly droppedFiles = new Set<string>()
  private readonly jobs = new Jobs()
  /** Files that the user lets Opsmith run as Python. */
  readonly confirmedPythons = new Set<string>()
  /** The call whose kernels the window steps. */
  stepping: StepSession | undefined

  /**
   * @param folder absolute
   * @param terminals of this project alone
   * @param trust until it is `trusted`, nothing of the folder is run
   */
  constructor(
    readonly folder: string,
    public trust: TrustState,
    readonly terminals: Terminals,
  ) {}

  /** Takes the place of the watcher before. */
  async watch(start: () => ProjectWatcher): Promise<void> {
    await this.watcher?.close()
    this.watcher = start()
  }

  /** Runs work that cancel() can end. */
  async job<T>(id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return await this.jobs.run(id, work)
  }

  cancelAll(): void {
    this.jobs.cancelAll()
  }

  /** As Jobs.cancel(). */
  cancel(id: string, byUser: boolean): boolean {
    return this.jobs.cancel(id, byUser)
  }

  /** Remembers every file that an answer names: a compiler's message, a kernel, a frame of a stack. */
  noteFiles(answer: unknown): void {
    if (typeof answer !== 'object' || answer === null) return
    for (const [key, value] of Object.entries(answer)) {
      if (key === 'file' && typeof value === 'string') this.namedFiles.add(path.resolve(value))
      else this.noteFiles(value)
    }
  }

  /** Outside the project the window may read files that an answer named, and no others. */
  wasNamed(file: string): boolean {
    return this.namedFiles.has(path.resolve(file))
  }

  /** Remembers a model that the user chose, or that lies in the project. */
  noteOpened(file: string): void {
    this.openedModels.add(path.resolve(file))
  }

  /** Models outside the project are read after the user chose them, and not before. */
  wasOpened(file: string): boolean {
    return this.openedModels.has(path.resolve(file))
  }

  /** Remembers what the user dropped on the window. */
  noteDropped(paths: readonly string[]): void {
    for (const file of paths) {
      this.droppedFiles.add(path.resolve(file))
      this.openedModels.add(path.resolve(file))
    }
  }

  /** What lies outside the project is copied into it after the user dropped it on the window, and not before. */
  wasDropped(file: string): boolean {
    return this.droppedFiles.has(path.resolve(file))
  }

  /** Remembers a folder that the user chose for exports. */
  noteExportFolder(directory: string): void {
    this.exportFolders.add(path.resolve(directory))
  }

  /** Exports go into the project and where the user chose; what lies there may be shown. Links are followed. */
  async mayExportTo(directory: string): Promise<boolean> {
    const target = await realPlace(directory)
    const folders = await Promise.all([this.folder, ...this.exportFolders].map(realPlace))
    return folders.some((folder) => isWithin(target, folder))
  }

  /** Ends its jobs, its terminals and its watcher. */
  async close(): Promise<void> {
    this.cancelAll()
    await Promise.all([this.watcher?.close(), this.terminals.closeAll()])
  }
}
