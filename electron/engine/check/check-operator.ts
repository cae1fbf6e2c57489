import type { CheckEntry } from '../../contract/manifest'
import type { OperatorCheckReport } from '../../contract/operator-check'
import { err } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { CallLimits, LibraryCalls } from '../builds/libraries'
import { CheckHosts } from './check-hosts'
import { requestOf } from './operator-check-case'

/** The checks of one operator of a library, in op hosts that are chosen by where its inputs are. */
export async function checkOperator(
  library: LibraryCalls,
  entry: CheckEntry,
  limits: CallLimits,
): Promise<Result<OperatorCheckReport>> {
  const { request } = requestOf(entry, {})
  if (!request)
    return err(
      'input.invalid',
      `Nothing was checked: every check of ${entry.op} is skipped. Remove a check from "skip" in opsmith.json.`,
    )
  const hosts = new CheckHosts(library)
  try {
    return await hosts.check({ ...request, edges: [] }, { ...limits, phase: `check ${entry.op}` })
  } finally {
    await hosts.close()
  }
}
