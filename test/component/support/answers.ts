import type { BuildAndLoad } from '../../../electron/contract/app-calls'
import type { Diagnostic } from '../../../electron/contract/diagnostics'
import type { DoctorReport, Judgement } from '../../../electron/contract/doctor'
import { manifest } from '../../../electron/contract/manifest'
import type { Manifest } from '../../../electron/contract/manifest'
import type {
  LoadReport,
  OperatorArgument,
  OperatorDetail,
} from '../../../electron/contract/operators'
import type { HostExit, WorkbenchError } from '../../../electron/contract/outcome'
import type { Project } from '../../../electron/contract/project'
import type { PytestReport, PytestTest } from '../../../electron/contract/pytest'
import type { RunReport } from '../../../electron/contract/run'
import type { TensorHandle } from '../../../electron/contract/tensor'

/** Answers of main about one small project: the operator my_op::f of the input x. */

export const folder = '/projects/my_op'

export type GivenManifest = Partial<Parameters<typeof manifest.parse>[0] & object>

export function manifestOf(more: GivenManifest = {}): Manifest {
  return manifest.parse({
    name: 'my_op',
    sources: ['op.cpp'],
    inputs: { x: { shape: [2, 2], dtype: 'float64', requires_grad: true } },
    calls: [{ op: 'my_op::f', args: ['x'], reference: '2 * x' }],
    ...more,
  })
}

export function projectOf(given: GivenManifest = {}): Project {
  return {
    folder,
    manifestFile: `${folder}/opsmith.json`,
    name: 'my_op',
    files: [
      { path: 'opsmith.json', role: 'manifest' },
      { path: 'op.cpp', role: 'source' },
    ],
    manifest: manifestOf(given),
    trust: 'trusted',
  }
}

export function tensorArgument(name: string): OperatorArgument {
  return { name, type: 'Tensor', kwargOnly: false }
}

export const operator: OperatorDetail = {
  name: 'my_op::f',
  overload: '',
  schema: 'my_op::f(Tensor x) -> Tensor',
  arguments: [tensorArgument('x')],
  returns: [tensorArgument('')],
  doc: 'Twice x.',
  kernels: [{ dispatchKey: 'CPU', file: `${folder}/op.cpp`, line: 12 }],
}

export const load: LoadReport = { operators: [operator], classes: [], seconds: 0.02 }

export function buildOf(more: Partial<BuildAndLoad['build']> = {}): BuildAndLoad['build'] {
  return {
    ok: true,
    seconds: 3.2,
    library: `${folder}/build/libmy_op.so`,
    addon: `${folder}/build/my_op.node`,
    loadPath: '/cache/builds/1/libmy_op.so',
    key: '1',
    hot: false,
    diagnostics: [],
    steps: [],
    compiler: 'clang 19.1',
    libtorch: '2.13.0',
    ...more,
  }
}

export function diagnosticOf(more: Partial<Diagnostic>): Diagnostic {
  return {
    severity: 'error',
    file: `${folder}/op.cpp`,
    line: 7,
    column: 3,
    message: 'use of undeclared identifier y',
    source: 'clang',
    code: '',
    notes: [],
    ...more,
  }
}

export function tensorOf(more: Partial<TensorHandle> = {}): TensorHandle {
  return {
    kind: 'tensor',
    handle: 1,
    shape: [2, 2],
    strides: [2, 1],
    dtype: 'float64',
    device: 'cpu',
    requiresGrad: false,
    gradFn: '',
    stats: { count: 4, nan: 0, posInf: 0, negInf: 0, zeros: 0, min: -1, max: 4, mean: 1, std: 1 },
    ...more,
  }
}

export function runOf(more: Partial<RunReport> = {}): RunReport {
  return {
    op: 'my_op::f',
    seconds: 0.0004,
    inputs: [{ name: 'x', value: tensorOf({ handle: 2 }) }],
    outputs: [tensorOf()],
    comparisons: [comparisonOf()],
    ...more,
  }
}

export function comparisonOf(
  more: Partial<RunReport['comparisons'][number]> = {},
): RunReport['comparisons'][number] {
  return {
    output: 0,
    matches: true,
    rtol: 1e-7,
    atol: 1e-7,
    mismatched: 0,
    total: 4,
    maxAbsolute: 0,
    maxRelative: 0,
    index: [0, 0],
    actual: 1,
    expected: 1,
    message: '',
    ...more,
  }
}

export function pytestOf(id: string, more: Partial<PytestTest> = {}): PytestTest {
  return {
    id,
    file: `${folder}/tests/test_add.py`,
    line: 4,
    outcome: 'passed',
    seconds: 0.25,
    message: '',
    text: '',
    output: '',
    places: [],
    ...more,
  }
}

export function pytestReportOf(
  tests: PytestTest[],
  more: Partial<PytestReport> = {},
): PytestReport {
  return {
    ok: false,
    python: '/usr/bin/python3',
    pytest: '9.0.3',
    torch: '2.13.0',
    library: '/cache/libmy_op.so',
    replaced: ['my_op._C'],
    tests,
    calls: null,
    seconds: 2.5,
    ended: '',
    log: '1 failed',
    ...more,
  }
}

/** What doctor says of the virtual GPU: used, or why not. */
export function virtualGpuOf(why = ''): DoctorReport['findings'][number] {
  return {
    kind: 'virtual-gpu',
    name: 'virtual GPU',
    path: '/usr/bin/clang++-19',
    version: '19.1.7',
    judgement: 'usable',
    why,
    remedy: '',
    chosen: why === '',
    facts: [],
  }
}

/** What doctor says of a machine whose only finding is its GPU. */
export function doctorOf(judgement: Judgement): DoctorReport {
  const gpu = { kind: 'gpu' as const, name: 'GPU', path: '', version: '', judgement }
  return {
    ok: true,
    platform: 'Linux',
    findings: [{ ...gpu, why: '', remedy: '', chosen: false, facts: [] }],
    problems: [],
    seconds: 0.1,
  }
}

export const crash: HostExit = {
  generation: 1,
  reason: 'segfault',
  message: 'Segmentation fault (call my_op::f): address 0x0 was read.',
  phase: 'call my_op::f',
  signal: 'SIGSEGV',
  stack: [],
  lastOutput: '',
}

export const crashed: WorkbenchError = {
  code: 'host.crashed',
  message: crash.message,
  hint: 'Look at the line.',
  exit: crash,
}
