import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, expect, it } from 'vitest'

import type { OperatorDetail } from '../../electron/contract/operators'
import { withKernelPlaces } from '../../electron/engine/builds/kernel-places'

const source = `#include <torch/script.h>
torch::Tensor warp(torch::Tensor image, torch::Tensor by, int64_t times = 1) { return image; }
torch::Tensor plain(const torch::Tensor& x) { return x; }
torch::Tensor unnamed(torch::Tensor) { return {}; }
// torch::RegisterOperators("ops::warp", &nothing);
static auto registry = torch::RegisterOperators("ops::warp", &warp)
    .op("ops::lambda", [](const torch::Tensor& left, std::vector<double> factors) { return left; })
    .op(torch::RegisterOperators::options()
            .schema("ops::keyed")
            .kernel<decltype(plain), &plain>(c10::DispatchKey::CPU))
    .op("ops::unnamed", &unnamed);
TORCH_LIBRARY_FRAGMENT(ops, m) {
  m.def("plain", TORCH_FN(plain));
}
`

let folder = ''
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-places-'))
  fs.writeFileSync(path.join(folder, 'op.cpp'), source)
})
afterAll(() => {
  fs.rmSync(folder, { recursive: true })
})

function operator(name: string, types: string[], file = ''): OperatorDetail {
  const taken = types.map((type, index) => `${type} _${index}`).join(', ')
  return {
    name: `ops::${name}`,
    overload: '',
    schema: `ops::${name}(${taken}) -> Tensor _0`,
    arguments: types.map((type, index) => ({ name: `_${index}`, type, kwargOnly: false })),
    returns: [],
    doc: '',
    kernels: [{ dispatchKey: 'CompositeImplicitAutograd', file, line: file === '' ? 0 : 12 }],
  }
}

async function placed(one: OperatorDetail): Promise<{ schema: string; at: string }> {
  const sources = { folder, manifestText: '', sources: () => Promise.resolve(['op.cpp']) }
  const [found] = await withKernelPlaces([one], sources)
  const [kernel] = found?.kernels ?? []
  const at = `${path.basename(kernel?.file ?? '')}:${kernel?.line ?? 0}`
  const names = found?.arguments.map(({ name }) => name)
  if (names?.[0] !== '_0') expect(found?.schema).toContain(` ${names?.at(-1) ?? ''})`)
  return { schema: found?.schema ?? '', at }
}

it.each([
  [
    'warp',
    ['Tensor', 'Tensor', 'int'],
    'ops::warp(Tensor image, Tensor by, int times) -> Tensor _0',
    'op.cpp:6',
  ],
  [
    'lambda',
    ['Tensor', 'float[]'],
    'ops::lambda(Tensor left, float[] factors) -> Tensor _0',
    'op.cpp:7',
  ],
  ['keyed', ['Tensor'], 'ops::keyed(Tensor x) -> Tensor _0', 'op.cpp:9'],
  ['unnamed', ['Tensor'], 'ops::unnamed(Tensor _0) -> Tensor _0', 'op.cpp:11'],
])(
  'the operator %s of torch::RegisterOperators has its line and the names of its parameters',
  async (name, types, schema, at) => {
    expect(await placed(operator(name, types))).toEqual({ schema, at })
  },
)

it('an inferred schema of TORCH_LIBRARY has the names of the parameters too', async () => {
  const one = operator('plain', ['Tensor'], 'op.cpp')
  const expected = { schema: 'ops::plain(Tensor x) -> Tensor _0', at: 'op.cpp:13' }
  expect(await placed(one)).toEqual(expected)
})
