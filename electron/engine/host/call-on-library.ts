import type { BuildReport } from '../../contract/build'
import type { HostCallName, HostInput, HostOutput } from '../../contract/host-calls'
import type { LoadReport } from '../../contract/operators'
import type { Result } from '../../contract/outcome'
import type { CallOptions } from './host-client'
import type { HostPool } from './host-pool'

/** Where a call's library comes from: the workbench. */
export interface Libraries {
  readonly hosts: HostPool
  load(
    folder: string,
    options: Pick<CallOptions, 'timeout' | 'signal'>,
  ): Promise<Result<LoadReport>>
  lastBuild(folder: string): BuildReport | undefined
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
  return await untilAnswered(
    () => around.hosts.call(name, input, options, around.lastBuild(folder)?.loadPath),
    () => around.load(folder, options),
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
