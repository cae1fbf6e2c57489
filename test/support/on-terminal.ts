import path from 'node:path'

import { spawn } from '@lydell/node-pty'

import { root } from './installation'
import type { TestCache } from './installation'

export interface OnTerminal {
  /** What the terminal has shown. */
  shown: () => string
  press: (keys: string) => void
  ended: Promise<number>
}

/** Runs the built command line in a terminal. */
export function onTerminal(cache: TestCache, ...words: string[]): OnTerminal {
  const pty = spawn(process.execPath, [path.join(root, 'dist/cli.cjs'), ...words], {
    env: { ...process.env, ...cache.environment },
    cwd: cache.home,
  })
  let text = ''
  pty.onData((piece) => {
    text += piece
  })
  return {
    shown: () => text,
    press: (keys) => {
      pty.write(keys)
    },
    ended: new Promise((resolve) => {
      pty.onExit(({ exitCode }) => {
        resolve(exitCode)
      })
    }),
  }
}
