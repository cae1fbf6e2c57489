import type {
  CheckedReport,
  GradcheckCheck,
  GradcheckFinding,
  GradcheckReport,
} from '../../../electron/contract/gradcheck'

/** What each check looks at; the names are torch's where it has one. */
export const checkTitles: Record<GradcheckCheck, { name: string; about: string }> = {
  inputs: {
    name: 'inputs',
    about: 'At least one input requires grad, and no such input has a stride of 0',
  },
  outputs: { name: 'outputs', about: 'The function runs, and its outputs are dense tensors' },
  no_differentiable_outputs: {
    name: 'no differentiable outputs',
    about: 'No output requires grad, and the numerical gradient is zero',
  },
  backward: {
    name: 'backward',
    about: 'The Jacobian from backward agrees with the numerical Jacobian from central differences',
  },
  gradient_size: { name: 'gradient size', about: 'Gradients have the shapes of their inputs' },
  gradient_dtype: { name: 'gradient dtype', about: 'Gradients have the dtypes of their inputs' },
  reentrant: { name: 'reentrant', about: 'Two runs of the same backward give the same gradients' },
  forward: {
    name: 'forward mode',
    about:
      'The Jacobian from forward mode agrees with the numerical Jacobian from central differences',
  },
  undefined_tangent: {
    name: 'undefined tangent',
    about: 'An undefined tangent of an input counts as a zero tangent',
  },
  batched_forward_grad: { name: 'batched forward grad', about: 'Forward mode works under vmap' },
  batched_grad: { name: 'batched grad', about: 'Backward works under vmap' },
  zero_grad_output: {
    name: 'zero grad output',
    about: 'Zero grad_outputs give zero gradients of the inputs',
  },
  undefined_grad: {
    name: 'undefined grad',
    about: 'An undefined grad_output counts as zero',
  },
}

/** "backward, output / x, imaginary" */
export function findingName(finding: GradcheckFinding, report: GradcheckReport): string {
  const about = tensorsText(finding, report)
  const part = finding.part === '' ? '' : `, ${finding.part} part`
  return `${checkTitles[finding.check].name}${about === '' ? '' : `, ${about}`}${part}`
}

/** A tensor of a report; outputs have no name but their number. */
export function tensorName(report: GradcheckReport, kind: 'input' | 'output', at = 0): string {
  const name = (kind === 'input' ? report.inputs : report.outputs)[at]?.name ?? kind
  if (!/^\d*$/.test(name)) return name
  const many = kind === 'output' ? report.outputs.length > 1 : report.inputs.length > 1
  return many ? `${kind} ${at}` : kind
}

/** Which output by which input, where the finding is about one. */
export function tensorsText(finding: GradcheckFinding, report: GradcheckReport): string {
  const output =
    finding.output === undefined ? undefined : tensorName(report, 'output', finding.output)
  const input = finding.input === undefined ? undefined : tensorName(report, 'input', finding.input)
  if (output !== undefined && input !== undefined) return `${output} by ${input}`
  return output ?? input ?? ''
}

/** How the largest error stands to that of the previous build. */
export function changeText(report: Pick<CheckedReport, 'error' | 'before'>): string {
  const { error, before } = report
  if (!before) return ''
  if (before.error === null || error === null) return ''
  if (before.error === error) return 'the same as in the previous build'
  if (before.error === 0) return 'larger than in the previous build, where it was 0'
  const ratio = error / before.error
  if (!Number.isFinite(ratio)) return ''
  if (ratio > 0.99 && ratio < 1.01) return 'the same as in the previous build'
  const times = ratio >= 1 ? ratio : 1 / ratio
  const text =
    times >= 1e6
      ? times.toExponential(0).replace('e+', 'e')
      : Number(times.toPrecision(2)).toLocaleString('en')
  return `${text} times ${ratio >= 1 ? 'larger' : 'smaller'} than in the previous build`
}
