import net from 'node:net'
import os from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'

import { systemCode } from '../project/file-errors'

/** Milliseconds between two tries. */
const retryTime = 100

/** An abstract name: it is free again as soon as its process has ended, and is of this machine alone. */
const address = `\0opsmith-timing-${os.userInfo().uid}`

/** Waits until no other worker of this user has its turn on this node. @returns ends the turn */
export async function waitForNode(signal: AbortSignal): Promise<() => void> {
  while (!signal.aborted) {
    const turn = await takeTurn()
    if (turn) return turn
    await wait(retryTime, undefined, { signal }).catch(() => undefined)
  }
  return () => undefined
}

async function takeTurn(): Promise<(() => void) | undefined> {
  return await new Promise((resolve) => {
    const server = net.createServer()
    // Where there are no abstract names, nobody waits.
    server.once('error', (error) =>
      resolve(systemCode(error) === 'EADDRINUSE' ? undefined : () => undefined),
    )
    server.listen(address, () => {
      server.unref()
      resolve(() => void server.close())
    })
  })
}
