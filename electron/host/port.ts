import type { HostMessage, HostRequest } from '../contract/host-calls'

/** How the host speaks to its parent, whichever started it. */
export interface HostPort {
  send(message: HostMessage): void
  onRequest(listener: (request: HostRequest) => void): void
}

/** What `process.parentPort` is where the parent gives a message port; a forked process has none. */
interface ParentPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { data: unknown }) => void): void
}

export function hostPort(): HostPort {
  const parentPort = (process as NodeJS.Process & { parentPort?: ParentPort }).parentPort
  if (parentPort) {
    return {
      send: (message) => {
        parentPort.postMessage(message)
      },
      onRequest: (listener) => {
        parentPort.on('message', (event) => {
          listener(event.data as HostRequest)
        })
      },
    }
  }
  // A parent that is gone has no use for an answer, and the host none for living on.
  process.on('disconnect', () => process.exit(0))
  return {
    send: (message) => {
      if (process.connected) process.send?.(message)
    },
    onRequest: (listener) => {
      process.on('message', (message) => {
        listener(message as HostRequest)
      })
    },
  }
}
