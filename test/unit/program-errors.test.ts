import { describe, expect, it } from 'vitest'

import type { LoadReport } from '../../electron/contract/operators'
import { err, ok } from '../../electron/contract/outcome'
import type { WorkbenchError } from '../../electron/contract/outcome'
import { programErrors } from '../../electron/engine/language/program/program-checks'
import { blocksOf, programDiagnostic } from '../../electron/engine/language/program/program-errors'
import { registeredFunction } from '../../electron/engine/language/program/kernel-definition'

/** What libtorch 2.13 says, as the op host hands it on. */
const missingArgument: WorkbenchError = {
  code: 'program.compile',
  message:
    'gc_layer::gc_layer(Tensor a, Tensor x, Tensor w, Tensor b) -> Tensor:\nArgument b not provided.\n\nThe original call is',
  file: 'program.py',
  line: 2,
  column: 12,
  detail: `gc_layer::gc_layer(Tensor a, Tensor x, Tensor w, Tensor b) -> Tensor:
Argument b not provided.

The original call is:
  File "program.py", line 2
def g(x):
    return torch.ops.gc_layer.gc_layer(x, x, x)
           ~~~~~~~~~~~~~~~~~~~~~~~~~~~ <--- HERE`,
}
const overloads: WorkbenchError = {
  code: 'program.compile',
  message: `Arguments for call are not valid.
The following variants are available:
  
  aten::relu(Tensor self) -> Tensor:
  Expected a value of type 'Tensor' for argument 'self' but instead found type 'int'.
  
  aten::relu.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!):
  Expected a value of type 'Tensor' for argument 'self' but instead found type 'int'.

The original call is`,
  line: 2,
  column: 9,
  detail: 'the whole of it',
}
const called: WorkbenchError = {
  code: 'program.compile',
  message: 'undefined value foo',
  line: 4,
  column: 12,
  detail: `undefined value foo:
  File "program.py", line 4
    return g(x)
def g(x):
    return foo(x)
           ~~~ <--- HERE
'g' is being compiled since it was called from 'h'
  File "program.py", line 2
def h(x):
    return g(x)
             ~ <--- HERE`,
}

describe('an error of the TorchScript compiler', () => {
  it('the error is short, on its line, with what libtorch underlined', () => {
    const text = 'def g(x):\n    return torch.ops.gc_layer.gc_layer(x, x, x)\n'
    expect(programDiagnostic(missingArgument, '/p/program.py', text)).toMatchObject({
      severity: 'error',
      source: 'torchscript',
      file: '/p/program.py',
      line: 2,
      column: 12,
      endLine: 2,
      endColumn: 39,
      message: 'gc_layer::gc_layer does not accept these arguments: Argument b not provided',
      raw: missingArgument.detail,
    })
  })

  it('the error has a note for each overload that was tried', () => {
    const { message, notes } = programDiagnostic(overloads, '/p/program.py', 'a\nb')
    expect(message).toBe(
      "None of the 2 overloads of aten::relu accepts these arguments. In the first overload, argument 'self' needs type Tensor, but has type int",
    )
    expect(notes.map((note) => note.message)).toEqual([
      "aten::relu(Tensor self) -> Tensor: argument 'self' needs type Tensor, but has type int",
      "aten::relu.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!): argument 'self' needs type Tensor, but has type int",
    ])
  })

  it('the error names who called the function', () => {
    const { notes, endColumn } = programDiagnostic(called, '/p/program.py', 'a\nb\nc\nd')
    expect(notes).toMatchObject([{ file: '/p/program.py', line: 2, message: 'g is called by h' }])
    expect(endColumn).toBe(15)
  })

  it('an error at the end of the text is on the last line', () => {
    const error: WorkbenchError = {
      code: 'program.compile',
      message: "expected ) but found 'eof'",
      line: 4,
      detail: '',
    }
    expect(programDiagnostic(error, 'p.py', 'def m(x\n\n')).toMatchObject({
      line: 1,
      column: 7,
      message: 'expected ) but found the end of the program',
    })
  })
})

describe('errors of a whole program', () => {
  const text = `import torch

def f(x):
    return foo(x)

@torch.jit.script
def g(x):
    return f(x)

def h(x):
    return torch.ops.mine.op(x)

def k(x):
    return bar(x)
`
  const loaded: LoadReport = { operators: [], classes: [], seconds: 0 }
  const file = 'p.py'
  const lineOf = (words: string): number =>
    text.split('\n').findIndex((line) => line.includes(words)) + 1
  /** Says of the first function that is left what libtorch would. */
  const compile = (left: string) => {
    const says: [string, string][] = [
      ['foo(x)', 'undefined value foo'],
      ['return f(x)', 'undefined value f'],
      ['mine.op', 'Unknown builtin op: mine::op'],
      ['bar(x)', 'undefined value bar'],
    ]
    const lines = left.split('\n')
    for (const [words, message] of says) {
      const isKnown = words === 'return f(x)' && left.includes('def f(')
      const line = lines.findIndex((one) => one.includes(words)) + 1
      if (line > 0 && !isKnown)
        return Promise.resolve(err('program.compile', message, { line, column: 12 }))
    }
    return Promise.resolve(ok([]))
  }

  it('each wrong function gives one error, and its callers give none', async () => {
    const errors = await programErrors({ file, source: text }, compile, loaded)
    expect(errors.ok && errors.value.map(({ line }) => line)).toEqual([
      lineOf('foo(x)'),
      lineOf('mine.op'),
      lineOf('bar(x)'),
    ])
  })

  it('operators are not reported as unknown while no library is loaded', async () => {
    const errors = await programErrors({ file, source: text }, compile, undefined)
    expect(errors.ok && errors.value.map(({ line }) => line)).toEqual([
      lineOf('foo(x)'),
      lineOf('bar(x)'),
    ])
  })

  it('a syntax error is the only error of a program, and a crash of the op host is passed on', async () => {
    const syntax = () =>
      Promise.resolve(err('program.compile', "expected ident but found 'newline'", { line: 4 }))
    const errors = await programErrors({ file, source: text }, syntax, loaded)
    expect(errors.ok && errors.value).toHaveLength(1)
    const gone = await programErrors(
      { file, source: text },
      () => Promise.resolve(err('host.crashed', 'gone')),
      loaded,
    )
    expect(gone).toMatchObject({ ok: false, error: { code: 'host.crashed' } })
  })

  it('the top level is recognized by its indentation, decorators included', () => {
    expect(blocksOf(text).map(({ name, firstLine }) => `${firstLine} ${name}`)).toEqual([
      '1 ',
      '3 f',
      '6 g',
      '10 h',
      '13 k',
    ])
  })
})

describe('registrations in C++', () => {
  it.each([
    ['m.def("forward", &gc_forward, "out = a x", py::arg("a"))', 'gc_forward'],
    ['m.impl("f", TORCH_FN(ns::f_cpu))', 'ns::f_cpu'],
    ['m.impl("f", torch::dispatch(c10::DispatchKey::CPU, TORCH_FN(f_cpu)))', 'f_cpu'],
    ['m.def("scale(Tensor x, float k) -> Tensor", scale)', 'scale'],
    ['m.impl("f", torch::CppFunction::makeFromBoxedFunction<&boxed>())', 'boxed'],
    ['m.def("twice", [](const at::Tensor& x) { return 2 * x; })', ''],
    ['TORCH_LIBRARY(my, m) {', ''],
  ])('the registered function is read from %s', (statement, name) => {
    expect(registeredFunction(statement)).toBe(name)
  })
})
