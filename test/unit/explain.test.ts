import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, it } from 'vitest'

import type { Diagnostic } from '../../electron/contract/diagnostics'
import { errorsFirst } from '../../electron/engine/compile/build-messages'
import { parseWithText, placeInProject } from '../../electron/engine/compile/diagnostics'
import { explainAll } from '../../electron/engine/explain/explain'
import { root } from '../support/installation'

/** What clang 19 and g++ 12 say of test/cases/mistakes, recorded by scripts/record-mistakes.mjs. */
const recorded = path.join(root, 'test/unit/mistakes')

function explain(name: string, compiler: string): Diagnostic[] {
  const text = fs.readFileSync(path.join(recorded, `${name}.${compiler}.txt`), 'utf8')
  const placed = parseWithText(text, '/project', compiler).map(({ diagnostic, text: raw }) => {
    const one = placeInProject(diagnostic, ['/project'])
    return { diagnostic: one, raw, isFromElsewhere: one !== diagnostic }
  })
  return errorsFirst(explainAll(placed))
}

/** For each mistake, the user's line and what is said; g++ may have found another line of theirs. */
const mistakes: Record<string, { line: number; says: RegExp; gccLine?: number }> = {
  ambiguous_call: { line: 5, says: /Several overloads of (at::)?sum match/ },
  ambiguous_operator: {
    line: 5,
    says: /Several overloads of operator= match this call equally well/,
  },
  argument_type: { line: 13, says: /An operator cannot take or return Options/ },
  backward_result: { line: 13, gccLine: 9, says: /backward takes and returns a list of gradients/ },
  data_removed: { line: 5, says: /use data_ptr<T>\(\)/ },
  dispatch_no_result: { line: 5, says: /The lambda in AT_DISPATCH returns nothing/ },
  dispatch_type: { line: 6, says: /AT_DISPATCH needs one: write x\.scalar_type\(\)/ },
  dispatch_return_type: {
    line: 7,
    says: /This lambda returns (float in one place and double|double in one place and float)/,
  },
  float_signature: { line: 9, says: /An operator cannot take float: use double/ },
  forgotten_context: { line: 13, says: /parameters of forward must be AutogradContext\* ctx/ },
  int_signature: { line: 13, says: /An operator cannot take int: use int64_t/ },
  lambda_captures: {
    line: 6,
    says: /The lambda uses (x|y|factor) of the enclosing function.*\[&\]/,
  },
  library_twice: { line: 8, says: /mistakes already has a TORCH_LIBRARY block in this file/ },
  missing_const_reference: { line: 9, says: /by value or by const reference; add const/ },
  missing_include: { line: 7, says: /include <torch\/library.h>/ },
  missing_parallel: {
    line: 4,
    says: /at::parallel_for is declared in another header: include <ATen\/Parallel.h>/,
  },
  missing_return: { line: 6, says: /the end of the function without a return/ },
  none_gradient: { line: 12, says: /None exists only in Python: .* at::Tensor\(\)/ },
  not_bound_function: { line: 8, says: /several overloads, and m.def cannot choose/ },
  optional_as_tensor: { line: 5, says: /An optional Tensor is passed where a Tensor is needed/ },
  optional_tensor: { line: 5, says: /This value is an optional, which may be empty/ },
  private_member: { line: 5, says: /impl_ is private to libtorch/ },
  removed_macro: { line: 5, says: /AT_CHECK is no longer in libtorch: use TORCH_CHECK/ },
  result_type: { line: 9, says: /An operator cannot return float: use double/ },
  save_for_backward: { line: 9, says: /save_for_backward must be one list.*braces/ },
  saved_tensors: { line: 13, says: /ctx->get_saved_variables\(\)/ },
  scalar_to_double: { line: 5, says: /A Scalar is not a double: call item<double>/ },
  sizes_to_vector: { line: 5, says: /copy the elements with \.vec\(\)/ },
  tensor_as_condition: { line: 5, says: /A Tensor cannot be a condition/ },
  torch_namespace: { line: 4, says: /write at::Tensor, or include/ },
  tuple_to_tensor: { line: 5, says: /This call has several results/ },
}

describe.each(['clang', 'gcc'])('messages of %s', (compiler) => {
  it.each(Object.entries(mistakes))(
    'the message about %s is explained in a sentence, on its line',
    (name, expected) => {
      const found = explain(name, compiler)
      const [first] = found
      expect(first?.message).toMatch(expected.says)
      expect(first?.file).toBe(`/project/${name}.cpp`)
      expect(first?.line).toBe(
        compiler === 'gcc' ? (expected.gccLine ?? expected.line) : expected.line,
      )
      expect(first?.message.length).toBeLessThan(160)
      expect(first?.explanation).toBeTruthy()
      expect(first?.raw).toMatch(/error|warning/)
      // What follows from the mistake is not told beside it.
      expect(found.length, JSON.stringify(found.map((one) => one.message))).toBeLessThanOrEqual(2)
    },
  )
})

describe('explanations of compiler messages', () => {
  it('every recorded mistake has an explanation', () => {
    const sources = fs.readdirSync(path.join(root, 'test/cases/mistakes'))
    expect(sources.map((name) => name.replace(/\.cpp$/, '')).sort()).toEqual(
      Object.keys(mistakes).sort(),
    )
  })

  it('unknown messages stay unchanged', () => {
    const text =
      "op.cpp:3:1: error: expected ';' after struct\n    3 | }\n      | ^\n1 error generated.\n"
    const parsed = parseWithText(text, '/project', 'clang')
    expect(parsed[0]?.text).toBe(
      "op.cpp:3:1: error: expected ';' after struct\n    3 | }\n      | ^",
    )
    const [first] = explainAll(
      parsed.map(({ diagnostic, text: raw }) => ({ diagnostic, raw, isFromElsewhere: false })),
    )
    expect(first?.message).toBe("expected ';' after struct")
    expect(first?.raw).toBeUndefined()
  })
})

it('a deprecation that an explained error covers is no warning of its own', () => {
  for (const compiler of ['clang', 'gcc']) {
    expect(explain('dispatch_type', compiler).map(({ severity }) => severity)).toEqual(['error'])
  }
})

it('a missing omp.h is explained by what needs no OpenMP', () => {
  const text = "op.cpp:2:10: fatal error: 'omp.h' file not found"
  const [{ diagnostic, text: raw } = { diagnostic: undefined, text: '' }] = parseWithText(
    text,
    '/project',
    'clang',
  )
  if (!diagnostic) throw new Error('no message')
  const [told] = explainAll([{ diagnostic, raw, isFromElsewhere: false }])
  expect(told?.message).toMatch(
    /omp\.h is not installed.*use at::parallel_for, which does not need it/,
  )
  expect(told).toMatchObject({ file: '/project/op.cpp', line: 2 })
})
