import type { ExportedProject, RecordedCall, RecordedGradcheck } from '../exported-project'
import { treeOf } from '../file-tree'
import type { FileTree } from '../file-tree'
import { pythonName } from './names'

export interface PythonTestOptions {
  /** Imports of Python's own modules that `load` needs, as lines. */
  standard: readonly string[]
  /** The lines that register the operators: `import my_op`. */
  load: readonly string[]
  /** The line that imports the program's functions as `program`; it is there. */
  program: string
}

const support = `"""Calls that were recorded when this was exported: their arguments, and what they gave."""

from pathlib import Path

import torch

DATA = Path(__file__).parent / "data"


def arguments_of(name):
    """The arguments of a recorded call, as they were before it was made."""
    return torch.jit.load(DATA / f"{name}.pt").arguments


def flatten(value):
    """Tuples and lists of tensors taken apart, in order."""
    if isinstance(value, (tuple, list)) and any(not isinstance(one, (int, float)) for one in value):
        return [part for one in value for part in flatten(one)]
    return [value]


def check_call(function, name, rtol=None, atol=None):
    """Makes a recorded call again; it must give what it gave then, within the tolerance."""
    recorded = torch.jit.load(DATA / f"{name}.pt")
    results = flatten(function(*recorded.arguments))
    expected = list(recorded.results)
    assert len(results) == len(expected), f"{len(results)} results, not {len(expected)}"
    exact = True
    for actual, wanted in zip(results, expected):
        if isinstance(wanted, torch.Tensor):
            actual = actual.detach()
            exact = exact and actual.dtype == wanted.dtype and torch.equal(actual, wanted)
            torch.testing.assert_close(actual, wanted, rtol=rtol, atol=atol, equal_nan=True)
        else:
            assert actual == wanted, f"{actual}, not {wanted}"
    print(f"{name}: {'bit for bit' if exact else 'within the tolerance'}")


def check_gradients(check, function, name, **options):
    """torch.autograd.gradcheck or gradgradcheck: whether it passes."""
    torch.manual_seed(0)
    return check(function, arguments_of(name), raise_exception=False, **options)
`

/** How a test reaches what is called: an operator, or a function of the program. */
function callee(op: string): string {
  if (!op.includes('::')) return `program.${op}`
  const [namespace = '', name = ''] = op.split('::')
  return `torch.ops.${namespace}.${name}`
}

const literal = (text: string): string => JSON.stringify(text)
const pythonValue = (value: number | boolean | string): string =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value)

function tolerances({
  rtol,
  atol,
}: {
  rtol?: number | undefined
  atol?: number | undefined
}): string {
  // As torch.testing.assert_close asks for it: both or none.
  if (rtol === undefined && atol === undefined) return ''
  return `, rtol=${rtol ?? 0}, atol=${atol ?? 0}`
}

function head(
  title: string,
  options: PythonTestOptions,
  usesProgram: boolean,
  names: string[],
): string[] {
  return [
    `"""${title}"""`,
    '',
    ...options.standard.filter((line) => line.startsWith('import ')),
    'import unittest',
    ...options.standard.filter((line) => line.startsWith('from ')),
    '',
    'import torch',
    ...(usesProgram ? [options.program] : []),
    `from recorded import ${names.join(', ')}`,
    '',
    ...options.load,
    '',
    '',
  ]
}

const foot = ['', '', 'if __name__ == "__main__":', '    unittest.main()']

function callTests(calls: readonly RecordedCall[], options: PythonTestOptions): string {
  const usesProgram = calls.some((call) => !call.isOperator)
  const tests = calls.flatMap(({ name, call, text, isOperator }) => [
    `    def test_${pythonName(name)}(self):`,
    `        """${text}"""`,
    `        check_call(${callee(call.op)}, ${literal(name)}${tolerances(call)})`,
    ...(isOperator
      ? []
      : [
          `        check_call(torch.jit.script(${callee(call.op)}), ${literal(name)}${tolerances(call)})`,
        ]),
    '',
  ])
  return [
    ...head(
      'The calls of opsmith.json give what they gave when this was exported.',
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

function gradcheckOptions({ entry }: RecordedGradcheck): string {
  const second = entry.second_order === true
  return Object.entries(entry)
    .filter(([key]) => !notOptions.has(key))
    .filter(([key]) => !(second ? notOfSecondOrder : ofSecondOrder).has(key))
    .map(([key, value]) => `, ${key}=${pythonValue(value as number | boolean)}`)
    .join('')
}

function gradientTests(checks: readonly RecordedGradcheck[], options: PythonTestOptions): string {
  const usesProgram = checks.some(({ entry }) => !entry.op.includes('::'))
  const tests = checks.flatMap((check) => {
    const kind = check.entry.second_order === true ? 'gradgradcheck' : 'gradcheck'
    const fails = check.entry.expect === 'failed'
    return [
      `    def test_${pythonName(check.name)}(self):`,
      `        """${check.text}${fails ? ': fails, and is to' : ''}"""`,
      `        passed = check_gradients(`,
      `            torch.autograd.${kind}, ${callee(check.entry.op)}, ${literal(check.name)}${gradcheckOptions(check)}`,
      '        )',
      `        self.${fails ? 'assertFalse' : 'assertTrue'}(passed)`,
      '',
    ]
  })
  return [
    ...head('The gradient checks of opsmith.json, made by torch.autograd.', options, usesProgram, [
      'check_gradients',
    ]),
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

function operatorTests(project: ExportedProject, options: PythonTestOptions): string {
  const seen = new Set<string>()
  const tests = project.calls.flatMap(({ name, call, isOperator }) => {
    if (!isOperator || seen.has(call.op)) return []
    seen.add(call.op)
    const utilities = opcheckUtilities(project, call.op)
    const overload = call.op.split('::')[1]?.includes('.') === true ? '' : '.default'
    const chosen =
      utilities.length === 4 ? '' : `, test_utils=(${utilities.map(literal).join(', ')},)`
    return [
      `    def test_${pythonName(name)}(self):`,
      `        """${call.op}"""`,
      '        torch.library.opcheck(',
      `            ${callee(call.op)}${overload}, arguments_of(${literal(name)})${chosen}`,
      '        )',
      '',
    ]
  })
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
  const operators = calls.some((call) => call.isOperator)
  return treeOf({
    'recorded.py': support,
    ...(calls.length > 0 ? { 'test_calls.py': callTests(calls, options) } : {}),
    ...(gradchecks.length > 0 ? { 'test_gradients.py': gradientTests(gradchecks, options) } : {}),
    ...(operators ? { 'test_operators.py': operatorTests(project, options) } : {}),
    ...Object.fromEntries(
      [...calls, ...gradchecks].map(({ name, archive }) => [`data/${name}.pt`, archive]),
    ),
  })
}
