import net from 'node:net'

/** Milliseconds for what was sent last, where a process that a test left behind keeps the connection open. */
const longestEnd = 2_000

/** Receives the report of one run. */
export interface ReportSocket {
  /** Resolves when all that was sent has been read. */
  close: () => Promise<void>
}

/**
 * Listens at a new socket for text.
 * @param file its path, at most 107 bytes (unix(7))
 * Errors: the socket cannot be made; rejects with the system's error.
 */
export async function listenAt(
  file: string,
  onText: (text: string) => void,
): Promise<ReportSocket> {
  const connections = new Set<net.Socket>()
  const server = net.createServer((connection) => {
    connections.add(connection)
    connection.setEncoding('utf8').on('data', onText)
    // A run that is stopped may reset it.
    connection.on('error', () => undefined).on('close', () => connections.delete(connection))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(file, resolve)
  })
  return {
    close: async () => {
      const late = setTimeout(() => {
        for (const connection of connections) connection.destroy()
      }, longestEnd)
      await new Promise((resolve) => server.close(resolve))
      clearTimeout(late)
    },
  }
}
