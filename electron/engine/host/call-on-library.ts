import type { HostCallName, HostInput, HostOutput } from '../../contract/host-calls'
import type { LoadReport } from '../../contract/operators'
import type { Result } from '../../contract/outcome'
import type { CallOptions } from './host-client'
import type { HostPool } from './host-pool'

/** Where a call's library comes from: the workbench. */
interface Libraries {
  readonly hosts: HostPool
  load(
    folder: string,
    options: Pick<CallOptions, 'timeout' | 'signal'>,
  ): Promise<Result<LoadReport>>
}

/** Enough for every Stop that a user presses while a call waits, and an end to it. */
const mostTries = 5

/**
 * A call that needs a project's library, which load() has put into the op host. To stop an operator is to end
 * its process, and everything else that was asked of it: what is still wanted is asked of the next one, with
 * the library in it again.
 */
export async function callOnLibrary<N extends HostCallName>(
  around: Libraries,
  folder: string,
  name: N,
  input: HostInput<N>,
  options: CallOptions,
): Promise<Result<HostOutput<N>>> {
  for (let tries = 1; ; tries += 1) {
    const result = await around.hosts.call(name, input, options, true)
    if (result.ok || result.error.code !== 'host.replaced' || tries === mostTries) return result
    const loaded = await around.load(folder, options)
    if (!loaded.ok) return loaded
  }
}
