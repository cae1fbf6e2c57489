import { createStore } from 'zustand/vanilla'

import { call } from '../../bridge/bridge'
import type { TestPlace } from '../../store/feature'
import { currentFolder } from '../../store/project'
import { gradcheckJob } from './jobs'
import { gradcheckStore } from './store'

/** The functions that make the gradients of operators that failed, by the operators' names. */
export const gradientsStore = createStore<Readonly<Record<string, TestPlace>>>(() => ({}))

export function forgetGradients(): void {
  gradientsStore.setState({}, true)
}

/** The function that makes this operator's gradient; null where it is not known. */
export function gradientPlace(op: string): TestPlace | null {
  return gradientsStore.getState()[withoutOverload(op)] ?? null
}

/** Looks for the functions behind the gradients that are wrong, in the sources as they are now. */
export async function findGradients(): Promise<void> {
  const folder = currentFolder()
  const { outcomes, draft } = gradcheckStore.getState()
  const failed = Object.values(outcomes).flatMap(({ outcome }) =>
    outcome.verdict === 'failed' ? [outcome.op] : [],
  )
  const isChosenWrong = gradcheckJob.store.getState().value?.report.ok === false
  const wrong = isChosenWrong && draft.op.includes('::') ? [...failed, draft.op] : failed
  const operators = [...new Set(wrong.map(withoutOverload))]
  if (folder === null || operators.length === 0) return
  const found = await call('operator.gradientFunctions', { folder, operators })
  if (!found.ok || currentFolder() !== folder) return
  const places = found.value.map(({ operator, ...place }) => [operator, place] as const)
  gradientsStore.setState(Object.fromEntries(places), true)
}

/** "my_op::f" of "my_op::f.out" */
function withoutOverload(op: string): string {
  const at = op.indexOf('::')
  const dot = at < 0 ? -1 : op.indexOf('.', at)
  return dot < 0 ? op : op.slice(0, dot)
}
