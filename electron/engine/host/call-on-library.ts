import type { HostCallName, HostInput, HostOutput } from '../../contract/host-calls'
import type { Result } from '../../contract/outcome'
import type { CallOptions } from './host-client'
import type { HostPool } from './host-pool'

/** The built library of one project, and the op hosts that it is loaded into. */
export interface LibraryInHost {
  readonly hosts: HostPool
  /** The library that must be in the op host when a call is made; undefined where nothing was built. */
  loadPath(): string | undefined
  /** Loads it, into another op host if the one before has ended. */
  load(limits: Pick<CallOptions, 'timeout' | 'signal'>): Promise<Result<unknown>>
}

/** After so many Stops in a row a call is given up. */
const mostTries = 5

/** Asks until the answer is not that the op host was ended for something else. */
async function untilAnswered<T>(
  ask: () => Promise<Result<T>>,
  beforeNext?: () => Promise<Result<unknown>>,
): Promise<Result<T>> {
  for (let tries = 1; ; tries += 1) {
    const result = await ask()
    if (result.ok || result.error.code !== 'host.replaced' || tries === mostTries) return result
    const ready = await beforeNext?.()
    if (ready?.ok === false) return ready
  }
}

/**
 * A call that needs a project's library, which is in the op host already. To stop an operator is to end its
 * process, and everything else that was asked of it: such a call is asked again of the next op host, with the
 * library in it again.
 */
export async function callOnLibrary<N extends HostCallName>(
  library: LibraryInHost,
  name: N,
  input: HostInput<N>,
  options: CallOptions,
): Promise<Result<HostOutput<N>>> {
  return await untilAnswered(
    () => library.hosts.call(name, input, options, library.loadPath()),
    () => library.load(options),
  )
}

/** The same for a call that needs no library. */
export async function callAgain<N extends HostCallName>(
  hosts: HostPool,
  name: N,
  input: HostInput<N>,
  options: CallOptions,
): Promise<Result<HostOutput<N>>> {
  return await untilAnswered(() => hosts.call(name, input, options))
}
