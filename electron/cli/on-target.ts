import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import os from 'node:os'
import { StringDecoder } from 'node:string_decoder'

import { ok } from '../contract/outcome'
import type { Result } from '../contract/outcome'
import { answerFollows } from '../contract/serve'
import { findInstallation, ownVersion } from '../engine/installation'
import type { Installation } from '../engine/installation'
import { readSettings } from '../engine/project/settings-file'
import { copyEngine } from '../engine/remote/copy-engine'
import { engineName } from '../engine/remote/engine-archive'
import { otherVersion } from '../engine/remote/message-stream'
import { Preamble } from '../engine/remote/preamble'
import { probe } from '../engine/remote/probe'
import {
  callerVersionVariable,
  commandOn,
  explainTargetEnd,
  findTarget,
} from '../engine/remote/targets'
import type { NamedTarget, TargetEnd } from '../engine/remote/targets'
import { endingSignals } from './ending-signals'
import { exitCodes } from './exit-codes'
import { copyOption, targetOption } from './options'
import { forTerminal, printError } from './print'

/** Milliseconds from Ctrl+C until the connection is cut: the verb there says that it was stopped. */
const graceMilliseconds = 3_000

interface RemoteVerb {
  /** Of the command line, without --on and its value. */
  words: readonly string[]
  /** Its stdin is ours. The stdin of other verbs stays open for as long as somebody waits for the answer. */
  readsInput: boolean
  wantsJson: boolean
  /** This Opsmith may be copied there. */
  mayCopy: boolean
}

/** The words of a command line without `--on NAME` and `--copy`. */
export function wordsWithoutTarget(words: readonly string[]): string[] {
  const { flag } = targetOption
  const end = words.includes('--') ? words.indexOf('--') : words.length
  const own = words.slice(0, end).filter((word) => word !== copyOption.flag)
  const at = own.findIndex((word) => word === flag || word.startsWith(`${flag}=`))
  if (at >= 0) own.splice(at, own[at] === flag ? 2 : 1)
  return [...own, ...words.slice(end)]
}

/** Copies this Opsmith to a target, unless it has this version. What is done is on stderr. */
async function provide(target: NamedTarget, installation: Installation): Promise<Result<null>> {
  const controller = new AbortController()
  const stop = (): void => {
    controller.abort()
  }
  const options = {
    signal: controller.signal,
    onLog: (text: string) => {
      process.stderr.write(forTerminal(text, process.stderr.isTTY))
    },
  }
  for (const signal of endingSignals) process.on(signal, stop)
  try {
    const found = await probe(target, engineName(installation.root), options)
    if (!found.ok) return found
    const { hasCopy, opsmith } = found.value
    if (hasCopy || opsmith === ownVersion(installation.root)) return ok(null)
    return await copyEngine(target, {
      ...options,
      installation,
      mayCopy: ({ machine, version, size, folder, detail }) => {
        options.onLog(
          `Copying Opsmith ${version} (${size}) to ${folder} on ${machine}. ${detail}\n`,
        )
        return Promise.resolve(true)
      },
    })
  } finally {
    for (const signal of endingSignals) process.off(signal, stop)
  }
}

/** Ctrl+C reaches all programs of a terminal; this one has to live until the verb there has ended. */
const withoutInterrupts = ['-c', 'trap "" INT; exec "$0" "$@"']

/** Writes what comes from a target. Of orders to a terminal only colours reach it, as from user code here. */
function writerTo(stream: NodeJS.WriteStream): (bytes: Uint8Array) => boolean {
  if (!stream.isTTY) return (bytes) => stream.write(bytes)
  const decoder = new StringDecoder('utf8')
  return (bytes) => stream.write(forTerminal(decoder.write(Buffer.from(bytes)), true))
}

/** Passes the streams through; what a shell's profile prints before the answer goes to stderr. */
async function passThrough(
  child: ChildProcessWithoutNullStreams,
  readsInput: boolean,
): Promise<TargetEnd> {
  const preamble = new Preamble(answerFollows)
  if (readsInput) process.stdin.pipe(child.stdin)
  child.stdin.on('error', () => undefined)
  const toStdout = writerTo(process.stdout)
  const toStderr = writerTo(process.stderr)
  child.stderr.on('data', toStderr)
  child.stdout.on('data', (bytes: Buffer) => {
    if (!toStdout(preamble.take(bytes))) {
      child.stdout.pause()
      process.stdout.once('drain', () => child.stdout.resume())
    }
  })
  const stop = (): void => {
    child.stdin.end()
    setTimeout(() => child.kill('SIGTERM'), graceMilliseconds).unref()
  }
  for (const signal of endingSignals) process.on(signal, stop)
  const exitCode = await new Promise<number | null>((resolve) => {
    child.on('close', (code, signal) => {
      resolve(code ?? (signal ? 128 + os.constants.signals[signal] : null))
    })
  })
  for (const signal of endingSignals) process.off(signal, stop)
  if (readsInput) process.stdin.unpipe(child.stdin).destroy()
  if (preamble.skipped !== '') toStderr(Buffer.from(preamble.skipped))
  return { exitCode, hasAnswered: preamble.isOver }
}

/** Runs a verb with the Opsmith of a target, and returns its exit code. */
export async function runOnTarget(name: string, verb: RemoteVerb): Promise<number> {
  const installation = findInstallation(__dirname)
  const { root, configFolder } = installation
  const target = findTarget(name, await readSettings(configFolder))
  if (!target.ok) return printError(target.error, verb.wantsJson)
  const provided = verb.mayCopy ? await provide(target.value, installation) : ok(null)
  if (!provided.ok) return printError(provided.error, verb.wantsJson)
  const command = commandOn(target.value, {
    words: verb.words,
    callerVersion: ownVersion(root),
    copy: engineName(root),
  })
  const child = spawn('/bin/sh', [...withoutInterrupts, ...command], { stdio: 'pipe' })
  const end = await passThrough(child, verb.readsInput)
  const failure = explainTargetEnd(target.value, end)
  if (failure) return printError(failure.error, verb.wantsJson)
  return end.exitCode ?? exitCodes.noAnswer
}

/**
 * What an Opsmith has to do that answers to another: nothing, or to refuse because that one has another version.
 * @param version our own
 */
export function checkCaller(version: string): Result<{ isCalled: boolean }> {
  const caller = process.env[callerVersionVariable]
  Reflect.deleteProperty(process.env, callerVersionVariable)
  if (caller === undefined) return ok({ isCalled: false })
  return caller === version
    ? ok({ isCalled: true })
    : otherVersion('The Opsmith on the target', version, caller)
}

/** Ends this verb as Ctrl+C does, once whoever called has gone: no process of a target outlives the connection. */
export function endWithCaller(): void {
  process.stdin.on('error', () => undefined)
  process.stdin.on('end', () => process.kill(process.pid, 'SIGINT'))
  process.stdin.resume()
  // Alone it keeps nothing alive.
  if ('unref' in process.stdin) process.stdin.unref()
}
