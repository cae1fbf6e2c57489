import path from 'node:path'

import { gradcheckPoint } from '../../contract/gradcheck'
import type { GradcheckPoint } from '../../contract/gradcheck'
import { BuildHistory, hashOfJson } from '../builds/build-history'
import { inputsNamed } from '../project/call-text'
import type { GradcheckCase } from '../project/gradcheck-case'

/** Errors can be compared where call, inputs and options are the same. */
function keyOf(given: GradcheckCase): string {
  const inputs = inputsNamed(given.args, given.inputs).map((name) => [name, given.inputs[name]])
  return hashOfJson([given.op, given.args, inputs, given.secondOrder, given.dtype, given.options])
}

function pointOf(value: unknown): GradcheckPoint {
  const point = value as { error: unknown }
  const error = typeof point.error === 'string' ? Number(point.error) : point.error
  return gradcheckPoint.parse({ ...point, error })
}

/** The largest error of each check by build. */
export class ErrorHistory {
  private readonly kept: BuildHistory<GradcheckPoint>

  constructor(dataFolder: string) {
    this.kept = new BuildHistory(path.join(dataFolder, 'gradchecks'), pointOf)
  }

  /** Oldest first. */
  async read(project: string, given: GradcheckCase): Promise<GradcheckPoint[]> {
    return await this.kept.read(project, keyOf(given))
  }

  /** The point of the last build that was another one comes back. */
  async add(
    project: string,
    given: GradcheckCase,
    point: GradcheckPoint,
  ): Promise<GradcheckPoint | null> {
    return await this.kept.add(project, keyOf(given), point)
  }
}
