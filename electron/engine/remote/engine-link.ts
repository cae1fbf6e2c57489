import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { Writable } from 'node:stream'

import { BadFrame } from '../../contract/frames'
import { err } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { framesFollow } from '../../contract/serve'
import { endGroup, endTree, endWithUs, newTree, treeEnvironment } from '../toolchain/process-tree'
import { readMessages } from './message-stream'
import { Preamble } from './preamble'
import { commandOn, explainTargetEnd } from './targets'
import type { NamedTarget, RemoteWords } from './targets'

/** Milliseconds for reading the last output of a process that has ended. */
const readingTime = 500
/** Characters of stderr that an error shows. */
const mostPrinted = 4_000
/** Milliseconds that an engine gets to end its jobs. */
const closingTime = 10_000

interface LinkOptions extends RemoteWords {
  /** What the engine, and all before it, print to stderr. */
  onLog: (text: string) => void
  /** Bytes have come. */
  onBytes: () => void
}

/** The bytes after the line that says that frames follow. @throws BadFrame if it does not come */
async function* framesOf(
  output: AsyncIterable<Uint8Array>,
  preamble: Preamble,
  onBytes: () => void,
): AsyncGenerator<Uint8Array, void> {
  for await (const bytes of output) {
    onBytes()
    const rest = preamble.take(bytes)
    if (preamble.isTooLong) throw new BadFrame('text without an end')
    if (rest.byteLength > 0) yield rest
  }
}

/** One connection with an engine: the process of a target's command. */
export class EngineLink {
  private readonly tree = newTree()
  private readonly child: ChildProcessWithoutNullStreams
  private readonly preamble = new Preamble(framesFollow)
  private notStarted = ''
  /** The end of what it and all before it print to stderr. */
  printed = ''
  /** Resolves when the process has ended and its output was read. */
  private readonly ended: Promise<void>

  constructor(
    private readonly target: NamedTarget,
    private readonly options: LinkOptions,
  ) {
    const [program, ...words] = commandOn(target, options)
    this.child = spawn(program, words, {
      env: { ...process.env, ...treeEnvironment(this.tree) },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    })
    const { child } = this
    const forget = child.pid === undefined ? undefined : endWithUs(child.pid)
    child.stdin.on('error', () => undefined)
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.printed = (this.printed + text).slice(-mostPrinted)
      options.onLog(text)
    })
    this.ended = new Promise((resolve) => {
      child.on('error', (error) => {
        this.notStarted = error.message
        resolve()
      })
      // What it started may hold its streams open.
      child.on('exit', () => {
        setTimeout(() => {
          for (const stream of [child.stdout, child.stderr]) stream.destroy()
        }, readingTime)
      })
      child.on('close', () => {
        forget?.()
        resolve()
      })
    })
  }

  get output(): Writable {
    return this.child.stdin
  }

  /** @throws BadFrame where something else comes */
  messages(): AsyncGenerator<unknown, void> {
    return readMessages(framesOf(this.child.stdout, this.preamble, this.options.onBytes))
  }

  /** Ends the process at once. */
  cut(): void {
    endGroup(this.child.pid ?? 0)
  }

  /**
   * Waits for its end, and says why it came.
   * @param hasAnswered the engine has said hello
   * @param broken why reading has ended
   */
  async reason(hasAnswered: boolean, broken: string): Promise<Result<never>> {
    await this.ended
    const { name } = this.target
    return (
      explainTargetEnd(this.target, {
        exitCode: this.child.exitCode,
        hasAnswered,
        printed: this.printed,
      }) ??
      err(
        'target.unavailable',
        hasAnswered
          ? `The Opsmith on ${name} has ended.`
          : `Opsmith did not start on the target ${name}.`,
        {
          hint: hasAnswered
            ? ''
            : 'Read what the command of this target printed, and check the command.',
          detail: [this.notStarted, broken, this.preamble.skipped, this.printed]
            .filter((part) => part !== '')
            .join('\n'),
        },
      )
    )
  }

  /** Lets it read the last messages and end; after a while it is ended. */
  async close(): Promise<void> {
    this.child.stdin.end()
    const timer = setTimeout(() => {
      this.cut()
    }, closingTime)
    await this.ended
    clearTimeout(timer)
    await endTree(this.tree)
  }
}
