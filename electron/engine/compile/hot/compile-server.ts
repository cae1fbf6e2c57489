import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { z } from 'zod'

import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { SessionShare } from '../../toolchain/priority'
import { endWithUs, newTree, treeEnvironment } from '../../toolchain/process-tree'
import { killTree } from '../../toolchain/run-command'
import type { CommandResult } from '../../toolchain/run-command'
import { compilerVariables } from '../../toolchain/run-compiler'
import { temporaryBeside } from '../sealed-files'
import type { CompileTools } from '../compile-tools'
import { locatePrecompiled, usePrecompiled } from '../precompiled-headers'
import { quickLinker } from './direct-link'
import type { ServerFlags } from './server-flags'
import { preludeText, serverFlags } from './server-program'
import type { ServerProgram, ServerStart } from './server-program'

/** One source to be compiled; see native/compile_server/requests.h. */
interface CompileRequest extends ServerFlags {
  folder: string
  source: string
  output: string
  depfile: string
}

/** A program to be run; see there. */
interface ProgramRequest {
  folder: string
  command: readonly string[]
  /** For what it prints; removed with the answer. */
  log: string
}

export interface ServerAnswer {
  /** null when the copy that compiled was ended by a signal: a crash of the compiler, or a stop. */
  exitCode: number | null
  text: string
  seconds: number
}

/** An answer as that of the compiler or linker itself; undefined where its process, or the server, was ended. */
export function commandResultOf(answer: ServerAnswer | undefined): CommandResult | undefined {
  if (!answer || answer.exitCode === null) return undefined
  const { exitCode, text, seconds } = answer
  return { exitCode, stdout: '', stderr: text, seconds, truncated: false }
}

const message = z.discriminatedUnion('event', [
  z.object({ event: z.literal('ready'), seconds: z.number() }),
  // A number below 2 would end more than one process.
  z.object({ event: z.literal('started'), id: z.number(), pid: z.int().min(2) }),
  z.object({
    event: z.literal('ended'),
    id: z.number(),
    exitCode: z.number(),
    signal: z.number(),
  }),
])

type Answer = z.infer<typeof message>

/** Undefined where the line is not an answer. */
function readAnswer(line: string): Answer | undefined {
  try {
    return message.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

interface Running {
  log: string
  started: number
  pid: number
  stopped: boolean
  done: (answer: ServerAnswer | undefined) => void
}

/** Lines about the text that the server puts before the source are not the user's. */
const ofServer = /^(?:In file included from|\s+from) <opsmith>:\d+[:,]\n/gm

const startLimit = 600_000
const compileLimit = 120_000

/** One compile server that runs; it ends with this process, whatever happens to it. */
export class CompileServer {
  readonly ready: Promise<Result<{ seconds: number }>>
  private readonly running = new Map<number, Running>()
  private readonly child: ChildProcess
  private next = 1
  private pending = ''
  private ended = false
  private said = ''

  constructor(
    tools: CompileTools,
    readonly program: ServerProgram,
    start: ServerStart,
    isBackground = false,
  ) {
    const { installation, toolchain, includes } = tools
    const folder = fs.realpathSync(installation.cacheFolder)
    // Read once, by this server alone.
    const source = temporaryBeside(path.join(folder, `prelude-${start.prelude}.cpp`))
    const header = locatePrecompiled(tools, start.prelude, 'plain')
    fs.writeFileSync(source, preludeText(installation, start, header.ready))
    this.child = spawn(
      program.executable,
      [
        start.gpu ? '--device-code' : '--shared-code',
        program.names,
        '--',
        toolchain.compiler.path,
        ...serverFlags(toolchain, includes, start),
        ...(header.ready ? usePrecompiled(toolchain, header) : []),
        '-x',
        'c++',
        '-c',
        source,
        '-o',
        'unused.o',
      ],
      {
        cwd: folder,
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
        // In large pages, a copy of the server takes 3 ms instead of 16 (libtorch 2.13): there are fewer pages to note.
        env: { ...process.env, ...compilerVariables(), ...treeEnvironment(newTree()) },
      },
    )
    if (this.child.pid !== undefined) this.child.once('exit', endWithUs(this.child.pid))
    // It is for the next edit: what is asked for until then comes first.
    const share = new SessionShare(this.child.pid)
    share.setBackground(isBackground)
    this.child.once('exit', () => {
      share.close()
    })
    this.ready = new Promise((resolve) => {
      const forget = (): void => {
        fs.rmSync(source, { force: true })
      }
      const fail = (why: string): void => {
        this.ended = true
        forget()
        resolve(err('toolchain.mismatch', `The compile server ended: ${why}`))
        for (const one of this.running.values()) one.done(undefined)
        this.running.clear()
      }
      const timer = setTimeout(() => {
        this.close()
        fail(`the headers were not compiled within ${startLimit / 1000} s.`)
      }, startLimit)
      this.child.on('error', (error) => {
        clearTimeout(timer)
        fail(error.message)
      })
      this.child.on('close', (code, signal) => {
        clearTimeout(timer)
        const [reason = ''] = this.said.trim().split('\n')
        fail(
          reason ||
            `${code === null ? `the signal was ${signal ?? 'unknown'}` : `the exit code was ${code}`}`,
        )
      })
      this.child.stdin?.on('error', () => undefined)
      this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        if (this.said.length < 4000) this.said += text
      })
      this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        if (this.ended) return
        this.pending += text
        for (let end = this.pending.indexOf('\n'); end >= 0; end = this.pending.indexOf('\n')) {
          const answer = readAnswer(this.pending.slice(0, end))
          this.pending = this.pending.slice(end + 1)
          if (!answer) {
            clearTimeout(timer)
            this.close()
            fail('it sent an answer that Opsmith could not read.')
            return
          }
          if (answer.event === 'ready') {
            clearTimeout(timer)
            share.setBackground(false)
            forget()
            resolve(ok({ seconds: answer.seconds }))
          } else this.take(answer)
        }
      })
    })
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  get alive(): boolean {
    return !this.ended
  }

  private take(answer: Exclude<Answer, { event: 'ready' }>): void {
    const one = this.running.get(answer.id)
    if (!one) return
    if (answer.event === 'started') {
      one.pid = answer.pid
      if (one.stopped) this.end(one)
      return
    }
    this.running.delete(answer.id)
    let text = ''
    try {
      text = fs.readFileSync(one.log, 'utf8').replace(ofServer, '')
    } catch {
      text = ''
    }
    fs.rmSync(one.log, { force: true })
    one.done({
      exitCode: answer.signal === 0 ? answer.exitCode : null,
      text,
      seconds: (performance.now() - one.started) / 1000,
    })
  }

  private end(one: Running): void {
    one.stopped = true
    if (one.pid === 0) return
    try {
      process.kill(one.pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }

  /** @returns undefined when the server is gone: another way must be found */
  async compile(
    request: CompileRequest,
    signal: AbortSignal | undefined,
  ): Promise<ServerAnswer | undefined> {
    // Two processes compile a large source: one its kernels and loops, one the rest. The linker joins what they make.
    const linker = quickLinker() ?? this.program.linker.command
    const join = os.availableParallelism() > 1 ? [linker, '-r'] : []
    const asked = { ...request, join, log: `${request.output}.log` }
    return await this.ask(asked, signal)
  }

  /**
   * Runs a program. To start one, a process as large as Electron's needs 20 ms.
   * @returns undefined when the server is gone
   */
  async run(
    request: ProgramRequest,
    signal: AbortSignal | undefined,
  ): Promise<ServerAnswer | undefined> {
    return await this.ask(request, signal)
  }

  private async ask(
    request: { log: string },
    signal: AbortSignal | undefined,
  ): Promise<ServerAnswer | undefined> {
    if (this.ended || signal?.aborted) return undefined
    const id = this.next
    this.next += 1
    return await new Promise((resolve) => {
      const one: Running = {
        log: request.log,
        started: performance.now(),
        pid: 0,
        stopped: false,
        done: (answer) => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', stop)
          resolve(answer)
        },
      }
      const stop = (): void => {
        this.end(one)
      }
      const timer = setTimeout(stop, compileLimit)
      signal?.addEventListener('abort', stop, { once: true })
      this.running.set(id, one)
      this.child.stdin?.write(`${JSON.stringify({ ...request, id })}\n`)
    })
  }

  close(): void {
    this.ended = true
    killTree(this.child)
  }
}
