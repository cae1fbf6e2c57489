import os from 'node:os'

import { ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import type { OwnWork } from '../../at-rest'
import { withFileErrors } from '../../project/file-errors'
import { hashOf } from '../result-cache'
import { findClangLibraries } from './clang-libraries'
import type { CompileTools } from '../compile-tools'
import { CompileServer } from './compile-server'
import { findServerProgram, makeServerProgram, makingServer, serverFlags } from './server-program'
import type { ServerPrelude } from './server-program'

/** A server holds 0.7 GB; where there is not a good deal more, precompiled headers must do. */
const leastFreeMemory = 2.5 * 2 ** 30

/**
 * The compile server of a workbench: one at a time, for the headers that the open project needs. It is started
 * in the background, when a project is opened and after a build; whenever it cannot serve, the usual way is there.
 */
export class HotCompiler {
  private server: CompileServer | undefined
  private up = false
  private wanted = ''
  private starting: Promise<Result<CompileServer | undefined>> | undefined
  private readonly stopped = new AbortController()

  constructor(
    private readonly onBackground: (title: string, done: number, detail: string) => void,
  ) {}

  private keyOf({ toolchain, includes }: CompileTools, prelude: ServerPrelude): string {
    return hashOf(
      includes.key,
      toolchain.compiler.identity,
      toolchain.libtorch.identity,
      ...serverFlags(toolchain, includes, prelude),
    )
  }

  /** The server for these headers, if it is up; one that knows all of them serves for `extension` too. */
  find(tools: CompileTools, prelude: ServerPrelude): CompileServer | undefined {
    if (!this.up || !this.server?.alive) return undefined
    const keys = [this.keyOf(tools, prelude)]
    if (prelude === 'extension') keys.push(this.keyOf(tools, 'full'))
    return keys.includes(this.wanted) ? this.server : undefined
  }

  /**
   * Starts the server for these headers: a few seconds of one core.
   * @param make it first where there is none on this machine: half a minute of every core
   * @param isBackground nobody waits for it
   * @returns undefined in it where this machine cannot have one
   */
  async start(
    tools: CompileTools,
    prelude: ServerPrelude,
    make = true,
    isBackground = true,
  ): Promise<Result<CompileServer | undefined>> {
    const there = this.find(tools, prelude)
    if (there) return ok(there)
    if (!make && !(await findServerProgram(tools))) return ok(undefined)
    const key = this.keyOf(tools, prelude)
    if (this.starting && this.wanted === key) return await this.starting
    this.stop()
    this.wanted = key
    // A full disk is this start's answer, not that of all later ones.
    this.starting = withFileErrors(() => this.launch(tools, prelude, { key, isBackground }))
    const answer = await this.starting
    if (this.wanted === key) this.starting = undefined
    return answer
  }

  private async launch(
    tools: CompileTools,
    prelude: ServerPrelude,
    { key, isBackground }: { key: string; isBackground: boolean },
  ): Promise<Result<CompileServer | undefined>> {
    const libraries = findClangLibraries(tools.toolchain.compiler)
    if (!libraries.found || os.freemem() < leastFreeMemory) return ok(undefined)
    const there = await findServerProgram(tools)
    const title = there ? 'starting the compile server' : makingServer
    this.onBackground(title, -1, '')
    try {
      const made = there
        ? ok({ program: there })
        : await makeServerProgram(tools, libraries.found, this.stopped.signal, isBackground)
      if (!made.ok) return made
      if (this.wanted !== key || this.stopped.signal.aborted) return ok(undefined)
      const server = new CompileServer(tools, made.value.program, prelude, isBackground)
      this.server = server
      const ready = await server.ready
      if (!ready.ok) return ready
      // Another may be wanted by now; this one was closed then.
      if (this.server === server) this.up = true
      return ok(server)
    } finally {
      this.onBackground(title, 1, '')
    }
  }

  /** Of the server; 0 where none runs. */
  get pid(): number {
    return this.server?.alive === true ? this.server.pid : 0
  }

  ownWork(): OwnWork {
    return { what: 'the compile server starts', busy: this.starting !== undefined, pid: 0 }
  }

  /** Ends the server, up or not; another may be started. */
  stop(): void {
    this.server?.close()
    this.server = undefined
    this.up = false
    this.wanted = ''
    this.starting = undefined
  }

  /** For good. */
  close(): void {
    this.stopped.abort()
    this.stop()
  }
}
