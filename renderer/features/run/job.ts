import type { OperatorCheckCase } from '../../../electron/contract/operator-check'
import type { RunReport, RunRequest } from '../../../electron/contract/run'
import { err, ok } from '../../../electron/contract/outcome'
import { call } from '../../bridge/bridge'
import { hostStore } from '../../store/host'
import { createJob, type Job } from '../../store/job'
import { fetchShown } from './shown'

/** A call that was made. */
export type Called = {
  report: RunReport
  /** The op host that holds the report's tensors. */
  generation: number
  /** The call that the reference is for, as text, if the result was not compared for that; else null. */
  otherCall: string | null
}

type Input = {
  request: RunRequest
  /** Seconds; 0 takes the limit of the settings. */
  timeout: number
  otherCall: string | null
}

/** Calls the chosen operator. A call that runs is finished first: to end it costs its op host. */
export const runJob: Job<Input, Called> = createJob({
  kind: 'run',
  latest: 'refused',
  run: async ({ request, timeout, otherCall }, { folder, job, isNewest }) => {
    runJob.set({ error: null })
    const result = await call('operator.run', { folder, job, request, timeout })
    const generation = hostStore.getState().host?.generation ?? 0
    if (!result.ok) return result
    if (isNewest()) await fetchShown(result.value)
    return ok({ report: result.value, generation, otherCall })
  },
  release: releaseTensors,
})

/** Finds inputs that the operator takes: the op host tries what its schema suggests. */
export const makeInputsJob: Job<string, OperatorCheckCase> = createJob({
  kind: 'make-inputs',
  latest: 'refused',
  run: async (op, { folder, job }) => {
    makeInputsJob.set({ error: null })
    // Operator checks make their calls from the schema: this asks for the quickest of them.
    const entry = { op, args: [], checks: ['registration' as const], shapes: 0 }
    const options = { sanitize: false, thorough: false, timeout: 0, isBackground: false }
    const asked = { folder, job, entry, ...options }
    const result = await call('operatorCheck.run', asked)
    if (!result.ok) {
      const hint =
        'Add inputs below that fit the schema of the operator, and choose these inputs as arguments.'
      return { ok: false, error: { ...result.error, hint } }
    }
    const { generated } = result.value
    return generated
      ? ok(generated)
      : err(
          'internal',
          `Opsmith could not make inputs for ${op}. Add inputs below that fit the schema of the operator.`,
        )
  },
})

/** Frees what a report holds in the op host. */
export function releaseTensors({ report, generation }: Omit<Called, 'otherCall'>): void {
  // The tensors of an op host that ended are gone with it.
  if (generation !== hostStore.getState().host?.generation) return
  const values = [...report.outputs, ...report.inputs.map((input) => input.value)]
  const handles = values.flatMap((value) => (value.kind === 'tensor' ? [value.handle] : []))
  const differences = report.comparisons.flatMap((item) => item.difference?.handle ?? [])
  if (handles.length + differences.length > 0) {
    void call('tensor.release', { handles: [...handles, ...differences] })
  }
}
