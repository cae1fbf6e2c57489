import type { CompileTask } from '../compile-task'
import type { CompileServer } from './compile-server'
import type { ServerKind } from './hot-compiler'

/** The compile servers of one build. Each is awaited by the sources that it compiles, and by no other. */
export type BuildServers = Partial<Record<ServerKind, Promise<CompileServer | undefined>>>

/** Undefined for a source that compilers are run for. */
export async function serverOf(
  servers: BuildServers,
  { server }: CompileTask,
): Promise<CompileServer | undefined> {
  return server && (await servers[server.isGpu ? 'gpu' : 'cxx'])
}

/** Who links, if a server is up: the linker is the same for all servers of one compiler. */
export async function linkingServer({
  cxx,
  gpu,
}: BuildServers): Promise<CompileServer | undefined> {
  return (await cxx) ?? (await gpu)
}
