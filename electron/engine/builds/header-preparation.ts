import type { Result } from '../../contract/outcome'
import { compileTools } from '../compile/compile-tools'
import type { CompileTools } from '../compile/compile-tools'
import type { MissingHeader } from '../compile/cxx-tasks'
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
      const tools = compileTools(installation, toolchain.value)
      return await this.prepareFor(tools, { compilers, isBackground, onRemark })
    } finally {
      this.isRunning = false
    }
  }

  private async prepareFor(
    tools: CompileTools,
    how: { compilers: number; isBackground: boolean; onRemark?: (text: string) => void },
  ): Promise<Result<{ seconds: number; made: number }>> {
    const { onBackground } = this.events
    return await prepareTools(tools, {
      ...how,
      signal: this.closing.signal,
      ...(onBackground ? { onProgress: onBackground } : {}),
    })
  }

  /** For nobody who waits, with one compiler. */
  async prepareInBackground(
    project?: OpenProject,
  ): Promise<Result<{ seconds: number; made: number }>> {
    return await this.prepare(1, project, undefined, true)
  }

  /**
   * In the background, unless that is under way: the next build shall be fast again.
   * @param missing what the last build did without; clang's, where g++ compiles the rest of the project
   */
  async prepareAgain(missing: readonly MissingHeader[]): Promise<void> {
    if (this.isRunning) return
    this.isRunning = true
    try {
      const all = missing.map(({ tools }) => tools)
      const byCompiler = new Map(all.map((tools) => [tools.toolchain.compiler.identity, tools]))
      for (const tools of byCompiler.values()) {
        const prepared = await this.prepareFor(tools, { compilers: 1, isBackground: true })
        if (!prepared.ok) this.events.onBackgroundFailed?.(prepared.error)
      }
    } finally {
      this.isRunning = false
    }
  }

  close(): void {
    this.closing.abort()
  }
}
