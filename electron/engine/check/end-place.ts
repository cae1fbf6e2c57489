import path from 'node:path'

import type { OperatorCheckFinding, PlacedFinding } from '../../contract/operator-check'
import { parseCrashReport } from '../host/crash-report'
import { symbolize } from '../host/symbolize'

/** A finding with the stack, and the user's line, of the call that ended its copy of the op host. */
export async function withStackOfEnd(
  { ended, ...finding }: PlacedFinding & Pick<OperatorCheckFinding, 'ended'>,
  folder: string,
): Promise<PlacedFinding> {
  // A record of another end first, of the place that was reached when the time was up else.
  const records = parseCrashReport(ended?.report ?? '')
  const record = records.find(({ reason }) => reason !== 'dump') ?? records.at(-1)
  if (!record) return finding
  const stack = await symbolize(record, [folder])
  const user = stack.find((frame) => frame.isUser && frame.file !== undefined)
  if (user?.file === undefined) return { ...finding, stack }
  const line = user.line ?? 0
  const reason = `${finding.reason}, at ${path.basename(user.file)}:${line}`
  return { ...finding, reason, stack, file: user.file, line }
}
