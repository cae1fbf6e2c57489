import type { DoctorReport } from '../../electron/contract/doctor'
import type { OperatorDetail } from '../../electron/contract/operators'
import { useBuild } from './build'
import { chosenFinding, useDoctor } from './doctor'
import { operatorKey, useSchemas } from './schemas'

/** Why no CUDA kernel can be called on this machine; "" where they can, or while it is not known. */
function whyNoCudaCalls(report: DoctorReport | null): string {
  const gpus = report?.findings.filter(({ kind }) => kind === 'gpu') ?? []
  if (gpus.length === 0) return ''
  if (gpus.some(({ judgement }) => judgement === 'usable')) {
    const libtorch = chosenFinding(report, 'libtorch')
    const cuda = libtorch?.facts.find(([name]) => name === 'CUDA')?.[1] ?? ''
    return cuda.startsWith('none') ? 'libtorch is a CPU build' : ''
  }
  return gpus.some(({ judgement }) => judgement === 'warning')
    ? 'the GPU of this machine has no driver'
    : 'there is no CUDA device'
}

function isCudaKernel({ dispatchKey }: OperatorDetail['kernels'][number]): boolean {
  return dispatchKey === 'CUDA' || dispatchKey === 'AutogradCUDA'
}

/**
 * A sentence about CUDA kernels that the last build compiled and that cannot be called here; "" where there is
 * nothing to say.
 * @param op the operator that is looked at; left out: all of the project
 */
export function useUncalledCuda(op?: string): string {
  const why = useDoctor((state) => whyNoCudaCalls(state.value))
  const operators = useSchemas((state) => state.load?.operators)
  const compiled = useBuild((state) => {
    const names = state.value?.report.steps.flatMap(({ kernels = [] }) =>
      kernels.map(({ name }) => name),
    )
    return new Set(names).size
  })
  if (why === '') return ''
  const registered = (operators ?? []).filter(({ kernels }) => kernels.some(isCudaKernel))
  if (op !== undefined) {
    const isOwn = registered.some((one) => operatorKey(one) === op || one.name === op)
    if (isOwn)
      return `The CUDA kernel of this operator was compiled, but it cannot be called on this machine: ${why}.`
  }
  if (compiled === 0 && registered.length === 0) return ''
  return `The CUDA kernels of this project were compiled, but they cannot be called on this machine: ${why}.`
}
