import type { Result } from '../../contract/outcome'
import { compileTools } from '../compile/compile-tools'
import { prepareTools } from '../compile/prepare'
import type { Installation } from '../installation'
import type { OpenProject, Projects } from '../project/open-project'
import type { BackgroundEvents } from './background'

/** Makes what builds start from: precompiled headers, and the compile server's program. */
export class HeaderPreparation {
  private isRunning = false
  private readonly closing = new AbortController()

  constructor(
    private readonly services: { installation: Installation; projects: Projects },
    private readonly events: BackgroundEvents,
  ) {}

  /**
   * Makes what is not there yet for the chosen tools.
   * @param compilers at a time: one, so that whoever works meanwhile has the other cores
   * @param project that may have chosen tools and flags of its own
   * @param onRemark called with what was found damaged, in words
   * @param isBackground nobody waits for it
   * @returns the compilers' seconds together, and how many headers were made
   */
  async prepare(
    compilers = 1,
    project?: OpenProject,
    onRemark: (text: string) => void = () => undefined,
    isBackground = false,
  ): Promise<Result<{ seconds: number; made: number }>> {
    this.isRunning = true
    try {
      const { installation, projects } = this.services
      const toolchain = await projects.toolchain(project)
      if (!toolchain.ok) return toolchain
      const { onBackground } = this.events
      return await prepareTools(compileTools(installation, toolchain.value), {
        compilers,
        signal: this.closing.signal,
        isBackground,
        onRemark,
        ...(onBackground ? { onProgress: onBackground } : {}),
      })
    } finally {
      this.isRunning = false
    }
  }

  /** For nobody who waits, with one compiler. */
  async prepareInBackground(
    project?: OpenProject,
  ): Promise<Result<{ seconds: number; made: number }>> {
    return await this.prepare(1, project, undefined, true)
  }

  /** In the background, unless that is under way: the next build shall be fast again. */
  async prepareAgain(project: OpenProject): Promise<void> {
    if (this.isRunning) return
    const prepared = await this.prepareInBackground(project)
    if (!prepared.ok) this.events.onBackgroundFailed?.(prepared.error)
  }

  close(): void {
    this.closing.abort()
  }
}
