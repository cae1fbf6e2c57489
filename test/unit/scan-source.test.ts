import { describe, expect, it } from 'vitest'

import {
  boundFunctions,
  findFunction,
  includesOf,
  parameterNames,
  pybindModules,
  registrationLine,
} from '../../electron/engine/project/scan-source'

const source = `
// torch::Tensor forward(torch::Tensor nothing);
torch::Tensor forward(const torch::Tensor& x, std::map<int, int> y = {{1, 2}},
                      double alpha = 1.0) {
  return helper(x, alpha);
}
std::vector<at::Tensor> backward(at::Tensor, bool flag);
static inline at::Tensor *raw(float* data, int sizes[3]) { return nullptr; }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, "Forward");
  m.def("backward", ns::backward);
}
`

describe('reading C++ text', () => {
  it('parameter names of definitions and declarations are found', () => {
    expect(parameterNames(source, 'forward')).toEqual(['x', 'y', 'alpha'])
    expect(parameterNames(source, 'ns::backward')).toEqual(['', 'flag'])
    expect(parameterNames(source, 'raw')).toEqual(['data', 'sizes'])
  })

  it('the line of a definition is found', () => {
    expect(findFunction(source, 'forward')?.line).toBe(3)
    expect(findFunction(source, 'raw')?.line).toBe(8)
  })

  it('a call is not mistaken for a definition', () => {
    expect(parameterNames(source, 'helper')).toBeUndefined()
    expect(parameterNames('int f() { return g(a); }', 'g')).toBeUndefined()
  })

  it('the functions that a PYBIND11 block binds are found', () => {
    expect(pybindModules(source)).toEqual(['TORCH_EXTENSION_NAME'])
    expect(boundFunctions(source)).toEqual([
      { name: 'forward', cppName: 'forward' },
      { name: 'backward', cppName: 'ns::backward' },
    ])
  })

  it('includes are found, but not those in comments', () => {
    expect(includesOf('#include <a.h>\n//#include "b.h"\n # include "c.h"')).toEqual([
      { name: 'a.h', quoted: false },
      { name: 'c.h', quoted: true },
    ])
  })

  it('the line of an operator inside its registration block is found', () => {
    const text = 'TORCH_LIBRARY(ns, m) {\n  m.def("a(Tensor x) -> Tensor");\n  m.def("b", &b);\n}\n'
    expect(registrationLine(text, 1, 'a')).toBe(2)
    expect(registrationLine(text, 1, 'b')).toBe(3)
    expect(registrationLine(text, 1, 'c')).toBe(1)
  })
})
