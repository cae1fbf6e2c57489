import { createStore } from 'zustand/vanilla'

import type { Call } from '../../../electron/contract/manifest'
import { ok, type WorkbenchError } from '../../../electron/contract/outcome'
import type { RunReport } from '../../../electron/contract/run'
import { call } from '../../bridge/bridge'
import { formatNumber } from '../../shell/primitives/format'
import { hostStore } from '../../store/host'
import { effectiveInputs } from '../../store/inputs'
import { createJob } from '../../store/job'
import { currentManifest } from '../../store/project'
import { releaseTensors, runJob } from './job'
import { chosenAsCall, runStore } from './run'

/** How a call of opsmith.json went. */
export type CallOutcome = {
  op: string
  state: 'passed' | 'failed' | 'crashed'
  /** "" where it passed. */
  why: string
  /** Of the one call; null where it came to no end. */
  seconds: number | null
  error: WorkbenchError | null
  stamp: string
}

/** By position among the calls. */
export const callsStore = createStore<Readonly<Record<number, CallOutcome>>>(() => ({}))

export function forgetCalls(): void {
  callsStore.setState({}, true)
}

/** Makes calls of opsmith.json, one after the other; tensors are not kept. */
export const callsJob = createJob<readonly number[], null, { running: number }>({
  kind: 'calls',
  latest: 'refused',
  run: async (indices, { folder, job, stamp, report, isNewest }) => {
    for (const index of indices) {
      const chosen = currentManifest()?.calls[index]
      if (!chosen || !isNewest()) break
      report({ running: index })
      const { op, args, reference, rtol, atol } = chosen
      const request = {
        op,
        args,
        inputs: effectiveInputs(),
        ...(reference === undefined ? {} : { reference }),
        ...(rtol === undefined ? {} : { rtol }),
        ...(atol === undefined ? {} : { atol }),
      }
      const timeout = chosen.timeout ?? 0
      const result = await call('operator.run', { folder, job, request, timeout })
      if (!result.ok && result.error.code === 'cancelled') return result
      if (result.ok) {
        const generation = hostStore.getState().host?.generation ?? 0
        releaseTensors({ report: result.value, generation })
        note(index, outcomeOf(op, result.value, stamp))
      } else note(index, failedOutcome(op, result.error, stamp))
    }
    return ok(null)
  },
})

function note(index: number, outcome: CallOutcome): void {
  callsStore.setState({ [index]: outcome })
}

function outcomeOf(op: string, report: RunReport, stamp: string): CallOutcome {
  const why = whyOf(report)
  const state = why === '' ? 'passed' : 'failed'
  return { op, state, why, seconds: report.seconds, error: null, stamp }
}

function failedOutcome(op: string, error: WorkbenchError, stamp: string): CallOutcome {
  const state = error.exit ? 'crashed' : 'failed'
  return { op, state, why: error.message, seconds: null, error, stamp }
}

/** What is wrong with a result; "" where nothing is. */
function whyOf(report: RunReport): string {
  if (report.referenceError !== undefined) {
    // TorchScript's message: a sentence, then the expression with a mark under the place.
    const [sentence] = report.referenceError.trim().split('\n')
    return `The reference could not be evaluated: ${sentence?.replace(/:$/, '') ?? ''}`
  }
  const wrong = report.comparisons.find((item) => !item.matches)
  if (!wrong) return ''
  if (wrong.message !== '') return wrong.message
  const { mismatched, total, maxAbsolute } = wrong
  const count = `${mismatched.toLocaleString('en')} of ${total.toLocaleString('en')} elements`
  return `${count} differ from the reference. The largest difference is ${formatNumber(maxAbsolute, 3)}.`
}

/** What the Run panel shows of a call of opsmith.json is a verdict on it, unless its fields were edited. */
export function followRuns(): void {
  runJob.store.subscribe(({ value, error, running, stamp }, before) => {
    const { callIndex } = runStore.getState()
    const hasEnded = before.running !== null && running === null
    if (!hasEnded || callIndex === null || stamp === null) return
    const kept = currentManifest()?.calls[callIndex]
    const isSame =
      kept !== undefined && JSON.stringify(asked(kept)) === JSON.stringify(asked(chosenAsCall()))
    if (!isSame) return
    if (error) note(callIndex, failedOutcome(kept.op, error, stamp))
    else if (value && value !== before.value)
      note(callIndex, outcomeOf(kept.op, value.report, stamp))
  })
}

function asked(one: Call | null): unknown {
  return [one?.op, one?.args, one?.reference, one?.rtol, one?.atol]
}

export async function runAllCalls(): Promise<void> {
  await callsJob.run((currentManifest()?.calls ?? []).map((_call, index) => index))
}
