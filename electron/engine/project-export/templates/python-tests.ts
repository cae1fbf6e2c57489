import type { ExportedProject, RecordedCall, RecordedGradcheck } from '../exported-project'
import { treeOf } from '../file-tree'
import type { FileTree } from '../file-tree'
import { pythonName } from './names'
import { pythonCall } from './python-format'
import { recordedSource } from './recorded-calls'

export interface PythonTestOptions {
  /** Imports of Python's own modules that `load` needs, as lines. */
  standard: readonly string[]
  /** A package whose import registers the operators; then `load` is empty. */
  registering?: string
  /** The lines that register the operators after all imports. */
  load: readonly string[]
  /** The line that imports the program's functions as `program`; it is there. */
  program: string
}

/** How a test reaches what is called: an operator, or a function of the program. */
function callee(op: string): string {
  if (!op.includes('::')) return `program.${op}`
  const [namespace = '', name = ''] = op.split('::')
  return `torch.ops.${namespace}.${name}`
}

const literal = (text: string): string => JSON.stringify(text)
const pythonValue = (value: number | boolean | string): string =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value)
const pythonTuple = (items: readonly string[]): string =>
  `(${items.map(literal).join(', ')}${items.length === 1 ? ',' : ''})`
const docstring = (text: string): string =>
  `        """${text.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"')}"""`

function tolerances({
  rtol,
  atol,
}: {
  rtol?: number | undefined
  atol?: number | undefined
}): string[] {
  // As torch.testing.assert_close asks for it: both or none.
  if (rtol === undefined && atol === undefined) return []
  return [`rtol=${rtol ?? 0}`, `atol=${atol ?? 0}`]
}

function head(
  title: string,
  options: PythonTestOptions,
  usesProgram: boolean,
  names: string[],
): string[] {
  const plain = [
    'import torch',
    ...(options.registering === undefined
      ? []
      : [`import ${options.registering}  # noqa: F401, registers the operators`]),
  ]
  const program = usesProgram ? [options.program] : []
  return [
    `"""${title}"""`,
    '',
    ...options.standard.filter((line) => line.startsWith('import ')),
    'import unittest',
    ...options.standard.filter((line) => line.startsWith('from ')),
    '',
    ...[...plain, ...program.filter((line) => line.startsWith('import '))].sort(),
    ...program.filter((line) => line.startsWith('from ')),
    `from recorded import ${names.join(', ')}`,
    '',
    ...options.load,
    ...(options.load.length > 0 ? ['', ''] : ['']),
  ]
}

const foot = ['', '', 'if __name__ == "__main__":', '    unittest.main()']

function callTests(calls: readonly RecordedCall[], options: PythonTestOptions): string {
  const usesProgram = calls.some((call) => !call.isOperator)
  const tests = calls.flatMap(({ name, call, text, isOperator }) => {
    const given = [literal(name), ...tolerances(call)]
    const functions = isOperator
      ? [callee(call.op)]
      : [callee(call.op), `torch.jit.script(${callee(call.op)})`]
    return [
      `    def test_${pythonName(name)}(self):`,
      docstring(text),
      ...functions.flatMap((one) => pythonCall('        ', 'check_call', [one, ...given])),
      '',
    ]
  })
  return [
    ...head(
      'The calls of opsmith.json return the same results as at the export.',
      options,
      usesProgram,
      ['check_call'],
    ),
    'class Calls(unittest.TestCase):',
    ...tests.slice(0, -1),
    ...foot,
  ].join('\n')
}

const notOptions = new Set([
  'name',
  'op',
  'args',
  'inputs',
  'dtype',
  'second_order',
  'timeout',
  'expect',
])
/** gradgradcheck's alone, or not known to it. */
const notOfSecondOrder = new Set([
  'check_forward_ad',
  'check_backward_ad',
  'check_batched_forward_grad',
])
const ofSecondOrder = new Set([
  'check_fwd_over_rev',
  'check_rev_over_rev',
  'gen_non_contig_grad_outputs',
])

function gradcheckOptions({ entry }: RecordedGradcheck): string[] {
  const second = entry.second_order === true
  return Object.entries(entry)
    .filter(([key]) => !notOptions.has(key))
    .filter(([key]) => !(second ? notOfSecondOrder : ofSecondOrder).has(key))
    .map(([key, value]) => `${key}=${pythonValue(value as number | boolean)}`)
}

function gradientTests(checks: readonly RecordedGradcheck[], options: PythonTestOptions): string {
  const usesProgram = checks.some(({ entry }) => !entry.op.includes('::'))
  const tests = checks.flatMap((check) => {
    const kind = check.entry.second_order === true ? 'gradgradcheck' : 'gradcheck'
    const fails = check.entry.expect === 'failed'
    const given = [
      `torch.autograd.${kind}`,
      callee(check.entry.op),
      literal(check.name),
      ...gradcheckOptions(check),
    ]
    return [
      `    def test_${pythonName(check.name)}(self):`,
      docstring(`${check.text}${fails ? ': must fail' : ''}`),
      ...(fails
        ? [
            '        with self.assertRaises(AssertionError):',
            ...pythonCall('            ', 'check_gradients', given),
          ]
        : pythonCall('        ', 'check_gradients', given)),
      '',
    ]
  })
  return [
    ...head(
      'The gradient checks of opsmith.json, with torch.autograd.gradcheck.',
      options,
      usesProgram,
      ['check_gradients'],
    ),
    'class Gradients(unittest.TestCase):',
    ...tests.slice(0, -1),
    ...foot,
  ].join('\n')
}

/** Kernels that say the shapes of results without computing: fake tensors and torch.compile use them. */
const shapeKernels = /^(Meta|CompositeImplicitAutograd|CompositeExplicitAutograd)/

/** Operators that are called and have no kernel that says their shapes: opcheck's tests of fake tensors are about nothing else. */
export function withoutShapes(project: ExportedProject): string[] {
  return project.operators
    .filter((one) => !one.kernels.some(({ dispatchKey }) => shapeKernels.test(dispatchKey)))
    .map((one) => (one.overload === '' ? one.name : `${one.name}.${one.overload}`))
    .filter((name) => project.calls.some(({ call }) => call.op === name))
}

/** opcheck's tests but those that opsmith.json skips, and those that need a kernel there is none of. */
function opcheckUtilities(project: ExportedProject, op: string): string[] {
  const { manifest } = project
  const all = [
    ['test_schema', 'mutation'],
    ['test_autograd_registration', 'autograd_registration'],
    ['test_faketensor', 'meta'],
    ['test_aot_dispatch_dynamic', 'meta'],
  ] as const
  const skipped = new Set(
    (manifest.checks ?? [])
      .filter((entry) => entry.op === op)
      .flatMap((entry) => Object.keys(entry.skip ?? {})),
  )
  if (withoutShapes(project).includes(op)) skipped.add('meta')
  return all.filter(([, check]) => !skipped.has(check)).map(([name]) => name)
}

/** "" where no operator is called, or all is skipped. */
function operatorTests(project: ExportedProject, options: PythonTestOptions): string {
  const seen = new Set<string>()
  const tests = project.calls.flatMap(({ name, call, isOperator }) => {
    if (!isOperator || seen.has(call.op)) return []
    seen.add(call.op)
    const utilities = opcheckUtilities(project, call.op)
    const overload = call.op.split('::')[1]?.includes('.') === true ? '' : '.default'
    const given = [`${callee(call.op)}${overload}`, `arguments_of(${literal(name)})`]
    // A project may skip them all.
    if (utilities.length === 0) return []
    if (utilities.length < 4) given.push(`test_utils=${pythonTuple(utilities)}`)
    return [
      `    def test_${pythonName(name)}(self):`,
      docstring(call.op),
      ...pythonCall('        ', 'torch.library.opcheck', given),
      '',
    ]
  })
  if (tests.length === 0) return ''
  return [
    ...head(
      'Operators behave as the dispatcher, autograd and torch.compile expect.',
      options,
      false,
      ['arguments_of'],
    ),
    'class Operators(unittest.TestCase):',
    ...tests.slice(0, -1),
    ...foot,
  ].join('\n')
}

/** Test files for Python's unittest, with the data they compare with; run by `python -m unittest discover tests`. */
export function pythonTests(project: ExportedProject, options: PythonTestOptions): FileTree {
  const { calls, gradchecks } = project
  if (calls.length === 0 && gradchecks.length === 0) return new Map()
  const operators = operatorTests(project, options)
  return treeOf({
    'recorded.py': recordedSource(gradchecks.length > 0),
    ...(calls.length > 0 ? { 'test_calls.py': callTests(calls, options) } : {}),
    ...(gradchecks.length > 0 ? { 'test_gradients.py': gradientTests(gradchecks, options) } : {}),
    ...(operators === '' ? {} : { 'test_operators.py': operators }),
    ...Object.fromEntries(
      [...calls, ...gradchecks].map(({ name, archive }) => [`data/${name}.pt`, archive]),
    ),
  })
}

/** What the tests do, no more than they do, such as "… and check gradients"; "" for none. */
export function saysOfTests(project: ExportedProject): string {
  const called = project.calls.filter((call) => call.isOperator)
  const done = [
    ...(project.calls.length > 0 ? ['repeat the calls that Opsmith recorded at the export'] : []),
    ...(project.gradchecks.length > 0 ? ['check gradients (`torch.autograd.gradcheck`)'] : []),
    ...(called.some(({ call }) => opcheckUtilities(project, call.op).length > 0)
      ? ['check operators (`torch.library.opcheck`)']
      : []),
  ]
  const last = done.at(-1) ?? ''
  return done.length < 2 ? last : `${done.slice(0, -1).join(', ')} and ${last}`
}
