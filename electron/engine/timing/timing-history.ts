import path from 'node:path'

import { timingHistoryPoint } from '../../contract/timing-report'
import type { TimingHistoryPoint, TimingRequest } from '../../contract/timing-report'
import type { TimingDirection } from '../../contract/timing-names'
import { BuildHistory, hashOfJson } from '../builds/build-history'
import { inputsNamed } from '../project/call-text'
import { timedCallOf } from './plan'
import type { PlannedPoint, Variant } from './plan'
import { sourceDiff } from './source-diff'

const storedPoint = timingHistoryPoint.omit({ diff: true })
type StoredPoint = Omit<TimingHistoryPoint, 'diff'>

/** Times can be compared where call, inputs, direction and point are the same. */
export function historyKeyOf(
  variant: Variant,
  request: Pick<TimingRequest, 'op' | 'args' | 'fresh'>,
  planned: PlannedPoint,
  direction: TimingDirection,
): string {
  const call = timedCallOf(variant, request, planned, direction)
  const words = call.expression?.match(/[A-Za-z_]\w*/g) ?? []
  const named = call.expression === undefined ? inputsNamed(call.args, call.inputs) : words
  const inputs = [...new Set(named)].map((name) => [
    name,
    Object.entries(call.inputs[name] ?? {}).sort(),
  ])
  const { op, args, expression, threads, cold, fresh } = call
  const same = fresh ? [] : ['same inputs']
  return hashOfJson([op, args, expression, inputs, direction, threads, cold, ...same])
}

/** The time of each row by build. */
export class TimingHistory {
  private readonly kept: BuildHistory<StoredPoint>

  constructor(dataFolder: string) {
    const folder = path.join(dataFolder, 'bench', 'times')
    this.kept = new BuildHistory(folder, (value) => storedPoint.parse(value))
  }

  async add(project: string, key: string, point: StoredPoint): Promise<void> {
    await this.kept.add(project, key, point)
  }

  /** Oldest first. `sources` gives those of a build; undefined where they are not remembered. */
  async read(
    project: string,
    key: string,
    sources: (build: string) => Promise<Record<string, string> | undefined>,
  ): Promise<TimingHistoryPoint[]> {
    const points: TimingHistoryPoint[] = []
    let before: Record<string, string> | undefined
    for (const point of await this.kept.read(project, key)) {
      const now = await sources(point.build)
      points.push({ ...point, diff: before && now ? sourceDiff(before, now) : '' })
      before = now
    }
    return points
  }
}
