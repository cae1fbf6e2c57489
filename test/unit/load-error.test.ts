import { describe, expect, it } from 'vitest'

import { explainLoadError } from '../../electron/engine/explain/load-error'

const explain = async (text: string): Promise<Record<string, unknown>> => {
  const message = `std::terminate (loading libops.so): c10::Error: ${text}`
  const { detail, ...rest } = await explainLoadError({ code: 'host.crashed', message }, '/nowhere')
  if (rest.message !== message) expect(detail).toBe(message)
  return { ...rest }
}

/** As libtorch 2.13 puts it. */
const mismatch = (schema: string, inferred: string, reason: string): string =>
  `Inferred operator schema for a C++ kernel function doesn't match the expected function schema.
  operator: ops::f
  expected schema: ops::f${schema}
    registered at op.cpp:4
  inferred schema: ${inferred}
    registered at op.cpp:4
  reason: ${reason}`

describe('errors of a library that does not load', () => {
  it.each([
    [
      'a type of the schema',
      mismatch(
        '(Tensor x, int n) -> Tensor',
        '(Tensor _0, float _1) -> Tensor _0',
        'Type mismatch in argument 2: int vs float.',
      ),
      /^Argument 2 of ops::f is int in the schema, but float \(double\) in the C\+\+ function\.$/,
      /The C\+\+ type int64_t is int in a schema/,
      { file: '/nowhere/op.cpp', line: 4 },
    ],
    [
      "C++'s word in a schema",
      mismatch(
        '(Tensor x, double n) -> Tensor',
        '(Tensor _0, float _1) -> Tensor _0',
        'Type mismatch in argument 2: double vs float.',
      ),
      /^Argument 2 of ops::f is double in the schema/,
      /write float for a C\+\+ double/,
      { line: 4 },
    ],
    [
      'a number of arguments',
      mismatch(
        '(Tensor x) -> Tensor',
        '(Tensor _0, float _1) -> Tensor _0',
        'The number of arguments is different. 1 vs 2.',
      ),
      /^The schema of ops::f has 1 argument, but its C\+\+ function has 2\.$/,
      /the same/,
      { line: 4 },
    ],
    [
      'an operator defined twice',
      "Tried to register an operator (ops::f(Tensor x) -> Tensor) with the same name and overload name multiple times. Each overload's schema should only be registered with a single call to def(). Duplicate registration: registered at b.cpp:9. Original registration: registered at a.cpp:4",
      /^ops::f is defined twice; the first time at a\.cpp:4\.$/,
      /Define the operator once/,
      { file: '/nowhere/b.cpp', line: 9 },
    ],
    [
      'a namespace with two libraries',
      'Only a single TORCH_LIBRARY can be used to register the namespace ops; please put all of your definitions in a single TORCH_LIBRARY block.  Previous registration of TORCH_LIBRARY was registered at b.cpp:2; latest registration was registered at op.cpp:4',
      /^ops has two TORCH_LIBRARY blocks; the other is at b\.cpp:2\.$/,
      /TORCH_LIBRARY_FRAGMENT\(ops, m\)/,
      { file: '/nowhere/op.cpp', line: 4 },
    ],
    [
      'kernels of two types',
      '\nMismatch in kernel C++ signatures\n  operator: ops::f\n    no debug info\n  kernel 1: at::Tensor (at::Tensor const&, double)\n    dispatch key: CPU\n    registered at op.cpp:4\n  kernel 2: at::Tensor (at::Tensor const&)\n    dispatch key: Meta\n    registered at op.cpp:7\n',
      /have different C\+\+ signatures: CPU has at::Tensor \(at::Tensor const&, double\), Meta has/,
      /the C\+\+ signature that matches its schema/,
      { line: 7 },
    ],
    [
      'a schema without results',
      "expected arrow but found 'eof' here:\nf(Tensor x, float n)",
      /^This schema is not complete: "f\(Tensor x, float n\)" has no -> with its results\.$/,
      /-> \(\)/,
      {},
    ],
    [
      'a schema with an argument without a name',
      "expected ident but found ')' here:\nf(Tensor) -> Tensor",
      /^This schema is not complete: "f\(Tensor\) -> Tensor" has no name before "\)"\.$/,
      /name\(Tensor x, /,
      {},
    ],
  ])('the load error of %s is explained', async (_name, text, message, hint, place) => {
    const told = await explain(text)
    expect(told['message']).toMatch(message)
    expect(told['hint']).toMatch(hint)
    expect(told).toMatchObject(place)
  })

  it("an unknown load error is libtorch's own text", async () => {
    expect((await explain('something new'))['message']).toContain('something new')
  })
})
