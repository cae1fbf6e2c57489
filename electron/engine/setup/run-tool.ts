import { runProcess } from '../toolchain/run-command'

/** How a command of set-up ended. */
export interface ToolEnd {
  ok: boolean
  /** Both streams. */
  output: string
}

/** Runs a command to its end. The scripts of a clone bring their own, which ends commands with the script. */
export type RunTool = (
  command: readonly string[],
  environment?: Readonly<Record<string, string>>,
) => Promise<ToolEnd>

const limits = { seconds: 3600, outputBytes: 16 << 20, memoryBytes: 0 }

/** Commands end when `signal` does. `onOutput` is called with what they print, as it comes. */
export function toolRunner(signal: AbortSignal, onOutput?: (text: string) => void): RunTool {
  return async ([file = '', ...words], environment = {}) => {
    const env = { ...process.env, ...environment }
    const end = await runProcess(file, words, {
      limits,
      signal,
      env,
      ...(onOutput ? { onOutput } : {}),
    })
    return { ok: end.exitCode === 0, output: end.stdout + end.stderr }
  }
}

/** The last lines, where compilers and pip say what is wrong. */
export function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n')
}
