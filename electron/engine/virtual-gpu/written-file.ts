import fs from 'node:fs'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'

/**
 * What the runtime wrote when the program ended, parsed as JSON.
 * @param what the runtime did: "checked"
 * @param flag of `opsmith cuda` that asked for it: "--check"
 */
export function readWritten(file: string, what: string, flag: string): Result<unknown> {
  let text: string
  try {
    text = fs.readFileSync(file, 'utf8')
  } catch {
    return err('host.crashed', `The program ended before it could write ${what}.`, {
      hint: `A crash, a signal or _exit ended the program. Run the program without ${flag} to find the cause.`,
    })
  }
  return ok(JSON.parse(text) as unknown)
}
