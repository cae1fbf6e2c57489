import { spawn } from 'node:child_process'
import fs from 'node:fs'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { endGroup, endTree, endWithUs, newTree, treeEnvironment } from '../toolchain/process-tree'
import { Preamble } from './preamble'
import { explainTargetEnd, scriptOn } from './targets'
import type { NamedTarget } from './targets'

/** The line before what a script prints: a shell's profile may print before it. */
const outputFollows = 'opsmith: the output follows\n'

/** Characters that a script prints at most: more comes from something else. */
const mostOutput = 1 << 20
/** Characters of stderr that an error shows. */
const mostPrinted = 4_000

export interface ScriptOptions {
  signal: AbortSignal
  /** What comes from stderr. */
  onLog: (text: string) => void
  /** Sent to the script's stdin. */
  file?: string
  /** Its stdin stays open until it ends: what it runs ends with the connection. */
  keepsInput?: boolean
  /** Bytes of the file that were sent so far. */
  onSent?: (bytes: number) => void
}

export interface ScriptEnd {
  exitCode: number | null
  /** After the profile's. */
  stdout: string
  stderr: string
}

/** Runs a script of a POSIX shell on a target, until it ends. An error: the target cannot be reached, or Stop. */
export async function runScript(
  target: NamedTarget,
  script: string,
  options: ScriptOptions,
): Promise<Result<ScriptEnd>> {
  const { signal, onLog, file, onSent, keepsInput = false } = options
  const [program, ...words] = scriptOn(target, `printf '${outputFollows.trimEnd()}\\n'; ${script}`)
  const tree = newTree()
  const child = spawn(program, words, {
    env: { ...process.env, ...treeEnvironment(tree) },
    stdio: 'pipe',
    detached: true,
  })
  const forget = child.pid === undefined ? undefined : endWithUs(child.pid)
  const stop = (): void => {
    endGroup(child.pid ?? 0)
  }
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const preamble = new Preamble(outputFollows)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (bytes: Buffer) => {
    stdout += Buffer.from(preamble.take(bytes)).toString('utf8')
    if (preamble.isTooLong || stdout.length > mostOutput) stop()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-mostPrinted)
    onLog(text)
  })
  // It may end before it has read all; its exit code says why.
  child.stdin.on('error', () => undefined)
  if (file === undefined) {
    if (!keepsInput) child.stdin.end()
  } else {
    let sent = 0
    const source = fs.createReadStream(file, { highWaterMark: 1 << 18 })
    source.on('data', (bytes) => {
      sent += bytes.length
      onSent?.(sent)
    })
    source.on('error', stop)
    source.pipe(child.stdin)
  }
  const exitCode = await new Promise<number | null>((resolve) => {
    child.on('error', (error) => {
      stderr += error.message
      resolve(null)
    })
    child.on('close', resolve)
  })
  forget?.()
  signal.removeEventListener('abort', stop)
  await endTree(tree)
  if (signal.aborted) return err('cancelled', `Opsmith stopped its work on ${target.name}.`)
  if (preamble.isOver) return ok({ exitCode, stdout, stderr })
  const reason = explainTargetEnd(target, { exitCode, hasAnswered: false, printed: stderr })
  return reason?.error.code === 'target.unavailable'
    ? reason
    : err('target.unavailable', `The target ${target.name} did not start a shell.`, {
        hint: 'Read what the command of this target printed, and check the command.',
        detail: `${preamble.skipped}${stderr}`,
      })
}
