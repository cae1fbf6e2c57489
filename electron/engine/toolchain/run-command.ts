import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'

import { yieldProcessors } from './priority'
import { endGroup, endWithUs, newTree, treeEnvironment } from './process-tree'

/** Limits on one child process. Compilers get generous ones, probes tight ones. */
export interface CommandLimits {
  seconds: number
  /** Bytes of stdout and stderr together that are kept; what comes after is dropped and said so. */
  outputBytes: number
  /** Bytes of address space (ulimit -v); 0 sets none. */
  memoryBytes: number
}

export const probeLimits: CommandLimits = { seconds: 15, outputBytes: 4 << 20, memoryBytes: 0 }
export const compileLimits: CommandLimits = {
  seconds: 600,
  outputBytes: 4 << 20,
  memoryBytes: 12 * 2 ** 30,
}

/** Sources of many kernels, for many architectures, take nvcc half an hour. */
export const nvccLimits: CommandLimits = {
  seconds: 3600,
  outputBytes: 16 << 20,
  memoryBytes: compileLimits.memoryBytes,
}

export interface CommandOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  limits?: CommandLimits
  signal?: AbortSignal | undefined
  input?: string
  /** Nobody waits for it: it gets what other programs leave of the processors. */
  isBackground?: boolean
  /** Called with both streams' text as it comes. */
  onOutput?: (text: string) => void
}

export interface CommandResult {
  /** null when a signal, a limit or a cancel ended it, or it could not be started. */
  exitCode: number | null
  stdout: string
  stderr: string
  seconds: number
  /** Why it did not end by itself. */
  stopped?: 'cancelled' | 'timeout' | 'not-found' | 'signal'
  signal?: NodeJS.Signals
  truncated: boolean
}

/** A compiler driver starts children of its own: the group goes, not only the leader. */
export function killTree(child: ChildProcess): void {
  if (child.pid !== undefined) endGroup(child.pid)
}

/** Runs one command with time, output and memory limits; never rejects. */
export async function runProcess(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const limits = options.limits ?? probeLimits
  const started = performance.now()
  const seconds = (): number => (performance.now() - started) / 1000
  if (options.signal?.aborted) {
    return {
      exitCode: null,
      stdout: '',
      stderr: '',
      seconds: 0,
      stopped: 'cancelled',
      truncated: false,
    }
  }
  const [file, argv] =
    limits.memoryBytes > 0
      ? [
          '/bin/sh',
          [
            '-c',
            `ulimit -v ${Math.floor(limits.memoryBytes / 1024)}; exec "$0" "$@"`,
            command,
            ...args,
          ],
        ]
      : [command, [...args]]

  return await new Promise((resolve) => {
    let child: ChildProcess
    try {
      child = spawn(file, argv, {
        cwd: options.cwd,
        env: { ...(options.env ?? process.env), ...treeEnvironment(newTree()) },
        detached: true,
        stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      })
    } catch (error) {
      // Below a file, say, or with a name that no file can have.
      const stderr = String(error)
      const nothing = { exitCode: null, stdout: '', stderr, seconds: seconds(), truncated: false }
      resolve({ ...nothing, stopped: 'not-found' })
      return
    }
    if (options.isBackground && child.pid !== undefined) yieldProcessors(child.pid)
    const forget = child.pid === undefined ? undefined : endWithUs(child.pid)
    let stdout = ''
    let stderr = ''
    let kept = 0
    let truncated = false
    let stopped: CommandResult['stopped']
    const stop = (why: CommandResult['stopped']): void => {
      stopped ??= why
      killTree(child)
    }
    const timer = setTimeout(() => {
      stop('timeout')
    }, limits.seconds * 1000)
    const onAbort = (): void => {
      stop('cancelled')
    }
    options.signal?.addEventListener('abort', onAbort, { once: true })
    const take = (stream: 'stdout' | 'stderr') => (text: string) => {
      if (kept >= limits.outputBytes) {
        truncated = true
        return
      }
      kept += text.length
      if (stream === 'stdout') stdout += text
      else stderr += text
      options.onOutput?.(text)
    }
    child.stdout?.setEncoding('utf8').on('data', take('stdout'))
    child.stderr?.setEncoding('utf8').on('data', take('stderr'))
    if (options.input !== undefined) child.stdin?.on('error', () => undefined).end(options.input)
    const finish = (result: Pick<CommandResult, 'exitCode'> & Partial<CommandResult>): void => {
      clearTimeout(timer)
      forget?.()
      options.signal?.removeEventListener('abort', onAbort)
      resolve({ stdout, stderr, seconds: seconds(), truncated, ...result })
    }
    child.on('error', (error) => {
      stderr += error.message
      finish({ exitCode: null, stopped: 'not-found' })
    })
    child.on('close', (exitCode, signal) => {
      const why = stopped ?? (signal ? 'signal' : undefined)
      finish({
        exitCode: why === undefined ? exitCode : null,
        ...(why === undefined ? {} : { stopped: why }),
        ...(signal ? { signal } : {}),
      })
    })
  })
}
