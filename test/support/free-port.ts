import net from 'node:net'

/** A port of the loopback address that nobody listens on. */
export async function freePort(): Promise<number> {
  return await new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo
      server.close(() => {
        resolve(port)
      })
    })
  })
}
