import type {
  CheckedReport,
  GradcheckFinding,
  GradcheckOutcome,
  WorstElement,
} from '../../electron/contract/gradcheck'
import type { TensorHandle } from '../../electron/contract/tensor'

function tensor(handle: number, largest: number): TensorHandle {
  const finite = Number.isFinite(largest)
  return {
    kind: 'tensor',
    handle,
    shape: [2, 2],
    strides: [2, 1],
    dtype: 'float64',
    device: 'cpu',
    requiresGrad: false,
    gradFn: '',
    stats: {
      count: 4,
      nan: Number.isNaN(largest) ? 1 : 0,
      posInf: largest === Infinity ? 1 : 0,
      negInf: 0,
      zeros: 0,
      min: finite ? -largest : null,
      max: finite ? largest : null,
      mean: 0,
      std: 0,
    },
  }
}

/** A finding's tensors, by the largest absolute value in each. */
export function jacobian(
  error: number,
  analytical: number,
  numerical: number,
): Pick<GradcheckFinding, 'error' | 'analytical' | 'numerical'> {
  return {
    analytical: tensor(1, analytical),
    numerical: tensor(2, numerical),
    error: tensor(3, error),
  }
}

export function worstOf(analytical: number, numerical: number): WorstElement {
  const absolute = Math.abs(analytical - numerical)
  return {
    inputIndex: [0, 1],
    outputIndex: [1],
    analytical,
    numerical,
    analyticalText: String(analytical),
    numericalText: String(numerical),
    absolute,
    relative: absolute / Math.abs(numerical),
  }
}

export function findingOf(more: Partial<GradcheckFinding>): GradcheckFinding {
  return {
    check: 'backward',
    status: 'passed',
    reason: '',
    cause: '',
    part: '',
    projected: false,
    countsInReason: false,
    input: 0,
    output: 0,
    mismatched: 0,
    total: 4,
    ...more,
  }
}

export function reportOf(findings: GradcheckFinding[]): CheckedReport {
  return {
    op: 'my_op::f',
    ok: findings.every((finding) => finding.status !== 'failed'),
    seconds: 0.25,
    calls: 9,
    inputs: [{ name: 'x', shape: [2, 2], dtype: 'float64', requiresGrad: true }],
    outputs: [{ name: '0', shape: [2], dtype: 'float64', requiresGrad: true }],
    findings,
    error: 1e-9,
    before: null,
  }
}

export function outcomeOf(
  entry: number,
  report: CheckedReport,
  more: Partial<GradcheckOutcome> = {},
): GradcheckOutcome {
  const verdict = report.ok ? 'passed' : 'failed'
  const expect = more.expect ?? 'passed'
  return {
    entry,
    name: 'my_op::f(x)',
    op: 'my_op::f',
    expect,
    verdict,
    asExpected: verdict === expect,
    report,
    ...more,
  }
}
