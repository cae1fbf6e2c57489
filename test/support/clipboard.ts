import { expect } from 'vitest'

import type { App } from './app'

/** Text that was copied, once it fits: the clipboard is the system's, and not there at once. */
export async function copied(app: App, wanted: RegExp): Promise<string> {
  const read = (): Promise<string> => app.electron.evaluate(({ clipboard }) => clipboard.readText())
  await expect.poll(read).toMatch(wanted)
  return await read()
}
