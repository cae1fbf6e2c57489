import fs from 'node:fs'
import path from 'node:path'

import type { Argument } from '../../electron/contract/manifest'
import { copyProject, root } from '../support/installation'
import type { TestCache } from '../support/installation'

/** A project with one file that is edited, once in each round. */
export interface HotCase {
  name: string
  /** Seconds that ../shared/design asks for: median and worst of ten. */
  goal: number
  worst: number
  folder: string
  /** Absolute path of the file that is edited. */
  file: string
  /** Its text in a round; `space` is the namespace, which Python needs a new one of for every build. */
  text(round: number, space: string): string
  call(round: number): { op: string; args: Argument[] }
  /** A call of the same in Python, of `torch.ops.<space>`. */
  python(round: number): string
}

const elementwise = (round: number, space: string): string => `#include <torch/extension.h>

at::Tensor combine(const at::Tensor& x, const at::Tensor& y) {
  TORCH_CHECK(x.sizes() == y.sizes(), "combine: x is ", x.sizes(), ", y is ", y.sizes());
  return (x * ${round + 2} - y).sigmoid();
}

TORCH_LIBRARY(${space}, m) {
  m.def("f", &combine);
}
`

const rawLoop = (round: number, space: string): string => `#include <torch/extension.h>

at::Tensor square(const at::Tensor& input) {
  TORCH_CHECK(input.scalar_type() == at::kFloat, "square: expected float, got ", input.scalar_type());
  const auto x = input.contiguous();
  auto y = at::empty_like(x);
  const float* from = x.const_data_ptr<float>();
  float* to = y.mutable_data_ptr<float>();
  at::parallel_for(0, x.numel(), 4096, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = from[i] * from[i] + ${round + 1}.0f;
  });
  return y;
}

TORCH_LIBRARY(${space}, m) {
  m.def("f(Tensor x) -> Tensor", &square);
}
`

const extra = [
  ['double a', '0.5'],
  ['int64_t a', '2'],
  ['bool a', 'True'],
  ['double a, double b', '0.5, 1.5'],
  ['double a, int64_t b', '0.5, 2'],
  ['int64_t a, bool b', '2, True'],
  ['int64_t a, int64_t b, int64_t c', '1, 2, 3'],
  ['double a, bool b, int64_t c', '0.5, False, 3'],
  ['const at::Tensor& a, double b', 'x, 0.5'],
  ['const std::optional<at::Tensor>& a, double b', 'None, 0.5'],
] as const

const signature = (round: number, space: string): string => `#include <torch/extension.h>

at::Tensor changed(const at::Tensor& x, ${extra[round % extra.length]?.[0] ?? ''}) {
  return x + ${round};
}

TORCH_LIBRARY(${space}, m) {
  m.def("f", &changed);
}
`

const autograd = (round: number, space: string): string => `#include <torch/extension.h>

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Scaled : torch::autograd::Function<Scaled> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, double scale) {
    auto y = at::sigmoid(x * scale);
    ctx->save_for_backward({y});
    ctx->saved_data["scale"] = scale;
    return y;
  }
  static variable_list backward(AutogradContext* ctx, variable_list gradients) {
    const auto y = ctx->get_saved_variables()[0];
    return {gradients[0] * y * (1 - y) * ctx->saved_data["scale"].toDouble(), at::Tensor()};
  }
};

at::Tensor scaled(const at::Tensor& x) { return Scaled::apply(x, ${round + 1}.0); }

TORCH_LIBRARY(${space}, m) {
  m.def("f", &scaled);
}
`

const x = { shape: [8], dtype: 'float32', distribution: 'randn', seed: 1 }

function single(
  cache: TestCache,
  id: string,
  name: string,
  [goal, worst]: [number, number],
  text: HotCase['text'],
  args: (round: number) => Argument[],
): HotCase {
  const folder = path.join(cache.home, id)
  fs.mkdirSync(folder)
  const file = path.join(folder, 'op.cpp')
  const manifest = { name: id, sources: ['op.cpp'], inputs: { x } }
  fs.writeFileSync(path.join(folder, 'opsmith.json'), JSON.stringify(manifest))
  fs.writeFileSync(file, text(0, id))
  const list = (round: number): string =>
    args(round)
      .map((one) => (one === null ? 'None' : one === true ? 'True' : one === false ? 'False' : one))
      .join(', ')
  return {
    name,
    goal,
    worst,
    folder,
    file,
    text,
    call: (round) => ({ op: `${id}::f`, args: args(round) }),
    python: list,
  }
}

/** The last words of a changed signature, as opsmith.json writes them. */
function extraArguments(round: number): Argument[] {
  const words = extra[round % extra.length]?.[1].split(', ') ?? []
  return words.map((word) =>
    word === 'x'
      ? 'x'
      : word === 'None'
        ? null
        : word === 'True'
          ? true
          : word === 'False'
            ? false
            : Number(word),
  )
}

/** The five edits that ../shared/design/HOT-COMPILE.md and issue 7 name. */
export function hotCases(cache: TestCache): HotCase[] {
  const force = copyProject(path.join(root, 'samples/calculate_force'), cache)
  const forceFile = path.join(force, 'src/calculate_force.cpp')
  const forceText = fs.readFileSync(forceFile, 'utf8')
  return [
    single(
      cache,
      'elementwise',
      'body of an elementwise operator',
      [0.25, 0.6],
      elementwise,
      () => ['x', 'x'],
    ),
    single(cache, 'raw_loop', 'raw loop with at::parallel_for', [0.35, 0.7], rawLoop, () => ['x']),
    single(cache, 'signature', 'changed signature', [0.5, 1], signature, (round) => [
      'x',
      ...extraArguments(round),
    ]),
    single(cache, 'autograd', 'autograd::Function', [0.8, 1.5], autograd, () => ['x']),
    {
      name: 'one of three files of calculate_force',
      goal: 0.8,
      worst: 1.5,
      folder: force,
      file: forceFile,
      text: (round, space) =>
        `#include <torch/torch.h>\n${forceText.replaceAll('CalcOps', space === 'calculate_force' ? 'CalcOps' : space)}\nint opsmith_edit_${round}() { return ${round}; }\n`,
      call: () => ({ op: 'CalcOps::calculateForce', args: ['list_neigh', 'dE', 'Ri_d', 'F'] }),
      python: () => '',
    },
  ]
}
