import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { readSetupEnvironment } from '../../electron/engine/installation'
import { root } from './installation'

const run = promisify(execFile)

/** Python with the same torch that the op host uses, as set-up found or made it. */
export const python = process.env['OPSMITH_PYTHON'] ?? readSetupEnvironment(root).python ?? ''

/** Runs a script and gives the JSON it printed last. */
export async function askPython(script: string, args: readonly string[] = []): Promise<unknown> {
  const { stdout } = await run(python, ['-c', script, ...args], { maxBuffer: 256 << 20 })
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as unknown
}
