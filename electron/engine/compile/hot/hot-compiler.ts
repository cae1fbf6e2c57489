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
import type { ServerStart } from './server-program'

/** A server holds 0.7 GB; where there is not a good deal more, precompiled headers must do. */
const leastFreeMemory = 2.5 * 2 ** 30

/** What a compile server is for; there is one of each at most. */
export type ServerKind = 'cxx' | 'gpu'

/** The compile server that some sources of a build can use. */
export interface WantedServer {
  tools: CompileTools
  start: ServerStart
}

export const kindOf = ({ start }: WantedServer): ServerKind => (start.gpu ? 'gpu' : 'cxx')

function keyOf({ tools: { toolchain, includes }, start }: WantedServer): string {
  return hashOf(
    includes.key,
    toolchain.compiler.identity,
    toolchain.libtorch.identity,
    start.gpu?.identity ?? '',
    ...serverFlags(toolchain, includes, start),
  )
}

/** One compile server: for the headers that the open project needs. */
class ServerPlace {
  private server: CompileServer | undefined
  private up = false
  private wanted = ''
  private starting: Promise<Result<CompileServer | undefined>> | undefined

  constructor(
    private readonly closed: AbortSignal,
    private readonly onBackground: (title: string, done: number, detail: string) => void,
  ) {}

  find(wanted: WantedServer): CompileServer | undefined {
    if (!this.up || !this.server?.alive) return undefined
    const keys = [keyOf(wanted)]
    const { tools, start } = wanted
    if (start.prelude === 'extension')
      keys.push(keyOf({ tools, start: { ...start, prelude: 'full' } }))
    return keys.includes(this.wanted) ? this.server : undefined
  }

  async start(
    wanted: WantedServer,
    make: boolean,
    isBackground: boolean,
  ): Promise<Result<CompileServer | undefined>> {
    const there = this.find(wanted)
    if (there) return ok(there)
    if (!make && !(await findServerProgram(wanted.tools))) return ok(undefined)
    const key = keyOf(wanted)
    if (this.starting && this.wanted === key) return await this.starting
    this.stop()
    this.wanted = key
    // A full disk is this start's answer, not that of all later ones.
    this.starting = withFileErrors(() => this.launch(wanted, { key, isBackground }))
    const answer = await this.starting
    if (this.wanted === key) this.starting = undefined
    return answer
  }

  private async launch(
    { tools, start }: WantedServer,
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
        : await makeServerProgram(tools, libraries.found, this.closed, isBackground)
      if (!made.ok) return made
      if (this.wanted !== key || this.closed.aborted) return ok(undefined)
      const server = new CompileServer(tools, made.value.program, start, isBackground)
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

  get isStarting(): boolean {
    return this.starting !== undefined
  }

  get pid(): number {
    return this.server?.alive === true ? this.server.pid : 0
  }

  stop(): void {
    this.server?.close()
    this.server = undefined
    this.up = false
    this.wanted = ''
    this.starting = undefined
  }
}

/**
 * The compile servers of a workbench: one for C++, one for device code of the virtual GPU. They are started in the
 * background, when a project is opened and after a build; whenever one cannot serve, the usual way is there.
 */
export class HotCompiler {
  private readonly stopped = new AbortController()
  private readonly places: Readonly<Record<ServerKind, ServerPlace>>

  constructor(onBackground: (title: string, done: number, detail: string) => void) {
    const place = (): ServerPlace => new ServerPlace(this.stopped.signal, onBackground)
    this.places = { cxx: place(), gpu: place() }
  }

  /** The server for these headers, if it is up; one that knows all of them serves for `extension` too. */
  find(wanted: WantedServer): CompileServer | undefined {
    return this.places[kindOf(wanted)].find(wanted)
  }

  /**
   * Starts the server for these headers: a few seconds of one core.
   * @param make it first where there is none on this machine: half a minute of every core
   * @param isBackground nobody waits for it
   * @returns undefined in it where this machine cannot have one
   */
  async start(
    wanted: WantedServer,
    make = true,
    isBackground = true,
  ): Promise<Result<CompileServer | undefined>> {
    return await this.places[kindOf(wanted)].start(wanted, make, isBackground)
  }

  /** Of the servers that run. */
  get pids(): number[] {
    return [this.places.cxx.pid, this.places.gpu.pid].filter((pid) => pid !== 0)
  }

  ownWork(): OwnWork {
    const busy = this.places.cxx.isStarting || this.places.gpu.isStarting
    return { what: 'the compile server starts', busy, pid: 0 }
  }

  /** Ends the servers, up or not; others may be started. */
  stop(): void {
    this.places.cxx.stop()
    this.places.gpu.stop()
  }

  /** For good. */
  close(): void {
    this.stopped.abort()
    this.stop()
  }
}
