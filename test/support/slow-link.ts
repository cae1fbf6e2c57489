import path from 'node:path'

import { root } from './installation'

/** Milliseconds for there and back, and bytes a second in each direction. */
interface Link {
  roundTrip: number
  bytesPerSecond: number
}

/** The words before a command that is to be as slow as over such a link; see slow-pipe.mjs. */
export function slowLink({ roundTrip, bytesPerSecond }: Link): string[] {
  const program = path.join(root, 'test/support/slow-pipe.mjs')
  return [process.execPath, program, String(roundTrip), String(bytesPerSecond)]
}
