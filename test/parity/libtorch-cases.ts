import { callText } from '../../electron/engine/project/call-text'
import { operatorCases } from './gradcheck-operators'
import type { OperatorCase } from './gradcheck-operators'
import type { PythonCheck } from './python-checks'

/** Gradients are checked with each of these, here and by PyTorch. */
export const variants: Record<string, { secondOrder: boolean; options: Record<string, unknown> }> =
  {
    defaults: { secondOrder: false, options: {} },
    'forward mode': { secondOrder: false, options: { check_forward_ad: true } },
    fast: { secondOrder: false, options: { fast_mode: true } },
    'fast, forward mode': {
      secondOrder: false,
      options: { fast_mode: true, check_forward_ad: true },
    },
    batched: { secondOrder: false, options: { check_batched_grad: true } },
    'batched, forward mode': {
      secondOrder: false,
      options: { check_forward_ad: true, check_batched_forward_grad: true },
    },
    'second order': { secondOrder: true, options: {} },
    'second order, forward over reverse': {
      secondOrder: true,
      options: { check_fwd_over_rev: true },
    },
  }

/** Of the tensors that are drawn or listed: "x float64[2, 3]". */
function inputsText({ inputs }: OperatorCase): string {
  return Object.entries(inputs)
    .map(([name, { dtype, shape, requires_grad }]) => {
      const size = shape ? `[${shape.join(', ')}]` : ''
      return `${name} ${dtype}${size}${requires_grad ? '' : ' without grad'}`
    })
    .join(', ')
}

/** By family and call, and by inputs too where a call is there twice. */
export const libtorchCases = new Map<string, OperatorCase>()
for (const [family, entries] of Object.entries(operatorCases)) {
  for (const entry of entries) {
    const call = `${family}: ${callText(entry.op.replace(/^aten::/, ''), entry.args)}`
    const name = libtorchCases.has(call) ? `${call}, ${inputsText(entry)}` : call
    if (libtorchCases.has(name)) throw new Error(`two cases are called ${name}`)
    libtorchCases.set(name, entry)
  }
}

/** PyTorch's checks of the gradients of a call, keyed by its name and the variant. */
export function gradientChecksOf(name: string, entry: OperatorCase): PythonCheck[] {
  return Object.entries(variants).map(([variant, { secondOrder, options }]) => {
    const check = secondOrder ? 'gradgradcheck' : 'gradcheck'
    return { ...entry, key: `${name} ${variant}`, check, options }
  })
}

/** Of libtorch's operators; some share a process. */
export function libtorchJobs(): PythonCheck[][] {
  const checks = [...libtorchCases].map(([name, entry]) => gradientChecksOf(name, entry))
  const jobs: PythonCheck[][] = []
  for (let start = 0; start < checks.length; start += 20)
    jobs.push(checks.slice(start, start + 20).flat())
  return jobs
}
