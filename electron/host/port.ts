import { Socket } from 'node:net'
import { deserialize, serialize } from 'node:v8'

import { FrameReader, frameHeader } from '../contract/frames'
import { hostRequest } from '../contract/host-calls'
import type { HostMessage, HostRequest } from '../contract/host-calls'

/** How the host speaks to its parent. */
export interface HostPort {
  send(message: HostMessage): void
  onRequest(listener: (request: HostRequest) => void): void
  /** Called when there is no parent any more, or what came from it cannot be read. */
  onEnd(listener: () => void): void
}

/** The descriptor of the socket to the parent; see electron/engine/host/transport.ts. */
export const channelDescriptor = 3

export function openHostPort(): HostPort {
  const channel = new Socket({ fd: channelDescriptor, readable: true, writable: true })
  return {
    send: (message) => {
      const payload = serialize(message)
      channel.cork()
      channel.write(frameHeader(payload))
      channel.write(payload)
      channel.uncork()
    },
    onRequest: (listener) => {
      const reader = new FrameReader()
      channel.on('data', (bytes) => {
        try {
          for (const payload of reader.take(bytes)) {
            listener(hostRequest.parse(deserialize(payload)))
          }
        } catch {
          // User code has read a part of it.
          channel.destroy()
        }
      })
    },
    onEnd: (listener) => {
      channel.on('error', () => undefined)
      channel.on('close', listener)
    },
  }
}
