import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'

import { root } from './installation'
import type { TestCache } from './installation'

const run = promisify(execFile)

export interface Outcome {
  code: number
  stdout: string
  stderr: string
}

/** Runs the built command line, as a process of its own, with a cache of its own. */
export async function opsmith(cache: TestCache, ...args: string[]): Promise<Outcome> {
  try {
    const done = await run(process.execPath, [path.join(root, 'dist/cli.cjs'), ...args], {
      env: { ...process.env, ...cache.environment, OPSMITH_CALLER_FOLDER: cache.home },
      maxBuffer: 256 << 20,
    })
    return { code: 0, ...done }
  } catch (error) {
    const failed = error as Outcome
    return { code: failed.code, stdout: failed.stdout, stderr: failed.stderr }
  }
}
