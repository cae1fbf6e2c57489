import { one } from '../lint-case'
import type { LintCase } from '../lint-case'

/** A function `f` of one tensor, registered, around a body. */
const operator = (body: string, parameters = 'const at::Tensor& x'): string =>
  `at::Tensor f(${parameters}) {\n${body}\n}\nTORCH_LIBRARY(ops, m) { m.def("f", &f); }\n`

const float: LintCase[] = [
  {
    code: 'opsmith-float-argument',
    name: 'types and their declaration in a header',
    files: {
      '/op.h': 'at::Tensor f(const at::Tensor& x, float a, std::vector<int> b);\n',
      '/op.cpp': `at::Tensor f(const at::Tensor& x, »float a, std::vector<»int> b) { return x * a; }
TORCH_LIBRARY(ops, m) { m.def("f(Tensor x, float a, int[] b) -> Tensor", &f); }
`,
    },
    fixed: {
      '/op.h': 'at::Tensor f(const at::Tensor& x, double a, std::vector<int64_t> b);\n',
      '/op.cpp': `at::Tensor f(const at::Tensor& x, double a, std::vector<int64_t> b) { return x * a; }
TORCH_LIBRARY(ops, m) { m.def("f(Tensor x, float a, int[] b) -> Tensor", &f); }
`,
    },
  },
  one(
    'opsmith-float-argument',
    'results, long, unsigned and optional ones, and lambdas',
    `»long f(const at::Tensor& x, std::optional<»float> a, »unsigned int b, »size_t c) { return 0; }
TORCH_LIBRARY_IMPL(ops, CPU, m) {
  m.impl("f", TORCH_FN(f));
  m.impl("g", [](const at::Tensor& x, »short n) { return x * n; });
}
`,
    { message: /^ops::f returns long, which the dispatcher does not support; use int64_t\.$/ },
  ),
  one(
    'opsmith-float-argument',
    'not of what is right, of helpers, nor of pybind11',
    `float helper(float x, int n) { return x * n; }
at::Tensor f(const at::Tensor& x, double a, int64_t b, bool c, std::string d, const std::vector<double>& e) { return x * a; }
at::Tensor g(const at::Tensor& x, float a) { return x * a; }
TORCH_LIBRARY(ops, m) { m.def("f", &f); }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("g", &g); }
`,
    { quiet: true },
  ),
]

const blob: LintCase[] = [
  one(
    'opsmith-from-blob',
    'of a local matrix, returned',
    `at::Tensor warp(const at::Tensor& x) {
  cv::Mat out(8, 8, CV_32FC1);
  return »torch::from_blob(out.ptr<float>(), {8, 8});
}
`,
    {
      fixed: `at::Tensor warp(const at::Tensor& x) {
  cv::Mat out(8, 8, CV_32FC1);
  return torch::from_blob(out.ptr<float>(), {8, 8}).clone();
}
`,
    },
  ),
  one(
    'opsmith-from-blob',
    'of a vector and an array, by way of a variable, and in a list',
    `at::Tensor a() {
  std::vector<double> v{1, 2};
  auto t = at::from_blob(v.data(), {2}, at::kDouble);
  return »t;
}
std::vector<at::Tensor> b() {
  float v[2] = {1, 2};
  auto* p = &v[0];
  return {»at::from_blob(p, {2}), at::ones({2})};
}
`,
  ),
  one(
    'opsmith-from-blob',
    'not of a clone, a deleter, memory of others, or a tensor that stays',
    `at::Tensor a() {
  std::vector<float> v{1};
  return at::from_blob(v.data(), {1}).clone();
}
at::Tensor b() {
  auto* v = new std::vector<float>{1};
  return at::from_blob(v->data(), {1}, [v](void*) { delete v; });
}
at::Tensor c(float* data, int64_t n) { return at::from_blob(data, {n}); }
at::Tensor d() {
  static float table[2] = {1, 2};
  return at::from_blob(table, {2});
}
at::Tensor e() {
  std::vector<float> v{1};
  at::Tensor t = at::from_blob(v.data(), {1});
  t = t.clone();
  return t;
}
at::Tensor g() {
  std::vector<float> v{1};
  at::Tensor t = at::from_blob(v.data(), {1});
  return t.sum();
}
struct Buffer {
  std::vector<float> memory;
  at::Tensor view() { return at::from_blob(memory.data(), {1}); }
};
`,
    { quiet: true },
  ),
]

const contiguous: LintCase[] = [
  one(
    'opsmith-not-contiguous',
    'an argument as it came',
    operator(`  TORCH_CHECK(x.scalar_type() == at::kFloat);
  at::Tensor y = at::empty_like(x);
  const float* p = »x.data_ptr<float>();
  float* q = y.data_ptr<float>();
  return y;`),
    {
      fixed: operator(`  TORCH_CHECK(x.scalar_type() == at::kFloat);
  at::Tensor y = at::empty_like(x);
  const auto x_contiguous = x.contiguous();
  const float* p = x_contiguous.data_ptr<float>();
  float* q = y.data_ptr<float>();
  return y;`),
    },
  ),
  one(
    'opsmith-not-contiguous',
    'a copy that is not the tensor whose pointer is taken, and one written to',
    operator(
      `  auto unused = x.contiguous();
  auto* p = »x.mutable_data_ptr<float>();
  return unused;`,
      'at::Tensor x',
    ),
    {
      message: /^x may not be contiguous/,
      fixed: operator(
        `  auto unused = x.contiguous();
  TORCH_CHECK(x.is_contiguous(), "f: x must be contiguous");
  auto* p = x.mutable_data_ptr<float>();
  return unused;`,
        'at::Tensor x',
      ),
    },
  ),
  one(
    'opsmith-not-contiguous',
    'a transposed tensor in any function, an alias, and dispatched code',
    `void helper(const at::Tensor& x) {
  auto y = x.t();
  auto* p = »y.data_ptr<float>();
}
at::Tensor f(const at::Tensor& x) {
  const auto& same = x;
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "f", [&] { run(»same.const_data_ptr<scalar_t>()); });
  return at::empty({1});
}
TORCH_LIBRARY(ops, m) { m.def("f", &f); }
`,
  ),
  one(
    'opsmith-not-contiguous',
    'not of what was checked, in whatever way',
    `#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")
#define CHECK_INPUT(x) CHECK_CONTIGUOUS(x)
void check_all(const at::Tensor& t) { TORCH_CHECK(t.is_contiguous()); }
void read(const at::Tensor& t) { auto* p = t.const_data_ptr<float>(); }
at::Tensor a(const at::Tensor& x) {
  TORCH_CHECK(x.is_contiguous() && x.scalar_type() == at::kFloat);
  return at::scalar_tensor(*x.const_data_ptr<float>());
}
at::Tensor b(at::Tensor x) {
  x = x.contiguous();
  TORCH_CHECK(x.scalar_type() == at::kFloat);
  return at::scalar_tensor(*x.const_data_ptr<float>());
}
at::Tensor c(const at::Tensor& x) {
  CHECK_INPUT(x);
  TORCH_CHECK(x.scalar_type() == at::kFloat);
  return at::scalar_tensor(*x.const_data_ptr<float>());
}
at::Tensor d(const at::Tensor& x) {
  check_all(x);
  TORCH_CHECK(x.scalar_type() == at::kFloat);
  return at::scalar_tensor(*x.const_data_ptr<float>());
}
at::Tensor e(const at::Tensor& x, const at::Tensor& y) {
  for (const auto& t : {x, y}) TORCH_CHECK(t.is_contiguous() && t.scalar_type() == at::kFloat);
  return at::scalar_tensor(*x.const_data_ptr<float>() + *y.const_data_ptr<float>());
}
at::Tensor g(const at::Tensor& x) {
  TORCH_CHECK(x.scalar_type() == at::kFloat);
  return at::scalar_tensor(x.const_data_ptr<float>()[x.stride(0)]);
}
at::Tensor h(const at::Tensor& x) {
  TORCH_CHECK(x.scalar_type() == at::kFloat);
  auto y = x.contiguous();
  auto z = at::zeros({3});
  z.mutable_data_ptr<float>()[0] = *y.const_data_ptr<float>();
  return z;
}
TORCH_LIBRARY(ops, m) {
  m.def("a", &a); m.def("b", &b); m.def("c", &c); m.def("d", &d); m.def("e", &e); m.def("g", &g);
  m.def("h", &h);
}
`,
    { quiet: true },
  ),
]

const dtype: LintCase[] = [
  one(
    'opsmith-dtype-unchecked',
    'read as float by name and by cast',
    operator(
      `  const auto a = x.contiguous();
  const auto b = y.is_contiguous();
  auto* p = »x.data_ptr<float>();
  auto* q = static_cast<double*>(»y.data_ptr());
  return a;`,
      'const at::Tensor& x, const at::Tensor& y',
    ),
    {
      message: /^x is read as float32, but its dtype is not checked\.$/,
      fixed: operator(
        `  const auto a = x.contiguous();
  const auto b = y.is_contiguous();
  TORCH_CHECK(x.scalar_type() == at::kFloat, "f: x must be float32, got ", x.scalar_type());
  auto* p = x.data_ptr<float>();
  TORCH_CHECK(y.scalar_type() == at::kDouble, "f: y must be float64, got ", y.scalar_type());
  auto* q = static_cast<double*>(y.data_ptr());
  return a;`,
        'const at::Tensor& x, const at::Tensor& y',
      ),
    },
  ),
  one(
    'opsmith-dtype-unchecked',
    'a function that opsmith.json names',
    'at::Tensor f(const at::Tensor& x) {\n  TORCH_CHECK(x.is_contiguous());\n  auto* p = »x.const_data_ptr<int64_t>();\n  return at::empty({*p});\n}\n',
    { exposed: ['f'] },
  ),
  one(
    'opsmith-dtype-unchecked',
    'not of what was checked, dispatched or made so, nor in helpers',
    `#define CHECK_FLOAT(x) TORCH_CHECK(x.dtype() == torch::kFloat32)
float first(const at::Tensor& x) { return *x.const_data_ptr<float>(); }
at::Tensor a(const at::Tensor& x) {
  TORCH_CHECK(x.dtype() == torch::kFloat && x.is_contiguous());
  return at::scalar_tensor(*x.const_data_ptr<float>());
}
at::Tensor b(const at::Tensor& x) {
  auto y = x.to(at::kFloat).contiguous();
  return at::scalar_tensor(*y.const_data_ptr<float>());
}
at::Tensor c(const at::Tensor& x) {
  CHECK_FLOAT(x);
  TORCH_CHECK(x.is_contiguous());
  return at::scalar_tensor(*x.const_data_ptr<float>());
}
at::Tensor d(const at::Tensor& x) {
  auto y = x.contiguous();
  return AT_DISPATCH_FLOATING_TYPES(y.scalar_type(), "d", [&] { return at::scalar_tensor(*y.const_data_ptr<scalar_t>()); });
}
at::Tensor e(const at::Tensor& x) {
  auto y = at::ones({1}, at::kFloat);
  return at::scalar_tensor(*y.const_data_ptr<float>());
}
TORCH_LIBRARY(ops, m) { m.def("a", &a); m.def("b", &b); m.def("c", &c); m.def("d", &d); m.def("e", &e); }
`,
    { quiet: true },
  ),
]

const alias: LintCase[] = [
  one(
    'opsmith-schema-alias',
    'writes that the schema does not tell',
    `at::Tensor f(at::Tensor x, const at::Tensor& y) {
  »x.add_(y);
  return x + y;
}
TORCH_LIBRARY(ops, m) { m.def("f(Tensor x, Tensor y) -> Tensor", &f); }
`,
    {
      message: /^ops::f writes to x, but its schema does not declare the write\.$/,
      fixed: `at::Tensor f(at::Tensor x, const at::Tensor& y) {
  x.add_(y);
  return x + y;
}
TORCH_LIBRARY(ops, m) { m.def("f(Tensor(a!) x, Tensor y) -> Tensor", &f); }
`,
    },
  ),
  {
    code: 'opsmith-schema-alias',
    name: 'a kernel whose schema is in another file; parts, operators and out functions',
    files: {
      '/schema.cpp': `TORCH_LIBRARY(ops, m) {
  m.def("f(Tensor(a!) x, Tensor y, "
        "Tensor z, Tensor w) -> ()");
}
`,
      '/kernel.cpp': `void f(at::Tensor& x, at::Tensor y, at::Tensor z, at::Tensor w) {
  x.zero_();
  »y[0] = 1;
  »z += x;
  »at::add_out(w, x, y);
}
TORCH_LIBRARY_IMPL(ops, CPU, m) { m.impl("f", &f); }
`,
    },
  },
  one(
    'opsmith-schema-alias',
    'an argument that comes back as a result',
    `at::Tensor f(const at::Tensor& x) {
  if (x.numel() == 0) return »x;
  return x * 2;
}
TORCH_LIBRARY(ops, m) { m.def("f(Tensor x) -> Tensor", &f); }
`,
    {
      fixed: `at::Tensor f(const at::Tensor& x) {
  if (x.numel() == 0) return x.clone();
  return x * 2;
}
TORCH_LIBRARY(ops, m) { m.def("f(Tensor x) -> Tensor", &f); }
`,
    },
  ),
  one(
    'opsmith-schema-alias',
    'not of what the schema tells, of copies, and of functions that are no operators',
    `at::Tensor f(at::Tensor x) { x.mul_(2); return x; }
at::Tensor g(at::Tensor x) { x = x.clone(); x.mul_(2); return x; }
at::Tensor h(const at::Tensor& x) { auto y = x.clone(); y.add_(1); return y; }
at::Tensor helper(at::Tensor x) { x.zero_(); return x; }
at::Tensor& out(const at::Tensor& x, at::Tensor& y) { return at::mul_out(y, x, x); }
at::Tensor s(const at::Tensor& x) { auto t = [](at::Tensor q) { return q; }; return t(x) * 2; }
TORCH_LIBRARY(ops, m) {
  m.def("f(Tensor(a!) x) -> Tensor(a!)", &f);
  m.def("g(Tensor x) -> Tensor", &g);
  m.def("h(Tensor x) -> Tensor", &h);
  m.def("out(Tensor x, *, Tensor(a!) y) -> Tensor(a!)", &out);
  m.def("s(Tensor x) -> Tensor", &s);
}
TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) { m.impl("zero_", &helper); }
`,
    { quiet: true },
  ),
]

const modules: LintCase[] = [
  one(
    'opsmith-module-name',
    'written by hand',
    'PYBIND11_MODULE(»my_op, m) { m.def("f", &f); }\n',
    {
      fixed: 'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("f", &f); }\n',
    },
  ),
  one(
    'opsmith-module-name',
    'not as it should be',
    'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {}\nTORCH_LIBRARY(my_op, m) {}\n',
    { quiet: true },
  ),
]

const stableAbi: LintCase[] = [
  {
    code: 'opsmith-stable-abi',
    name: 'an ATen operator in a project of the stable ABI',
    files: {
      '/stable.cpp': 'STABLE_TORCH_LIBRARY(ops, m) {\n  m.def("f(Tensor x) -> Tensor");\n}\n',
      '/aten.cpp':
        '»TORCH_LIBRARY_FRAGMENT(ops, m) {\n  m.def("g(Tensor x) -> Tensor");\n}\n»TORCH_LIBRARY_IMPL(ops, CPU, m) { m.impl("g", &g); }\n',
    },
    message: /^TORCH_LIBRARY_(FRAGMENT|IMPL) binds the library to one version of libtorch/,
  },
  {
    code: 'opsmith-stable-abi',
    name: 'a project of either alone',
    files: {
      '/stable.cpp':
        'STABLE_TORCH_LIBRARY(ops, m) {\n  m.def("f(Tensor x) -> Tensor");\n}\nSTABLE_TORCH_LIBRARY_IMPL(ops, CPU, m) { m.impl("f", TORCH_BOX(&f)); }\n',
    },
  },
]

const twice: LintCase[] = [
  {
    code: 'opsmith-registered-twice',
    name: 'an operator, a kernel and a namespace, over files',
    files: {
      '/a.cpp':
        'TORCH_LIBRARY(ops, m) {\n  m.def("f(Tensor x) -> Tensor");\n  m.def("f.other(Tensor x) -> Tensor");\n}\nTORCH_LIBRARY_IMPL(ops, CPU, m) { m.impl("f", &f); }\n',
      '/b.cpp':
        '»TORCH_LIBRARY(ops, m) {\n  m.def(»"f(Tensor x, int n) -> Tensor");\n}\nTORCH_LIBRARY_IMPL(ops, CPU, m) { m.impl(»"f", &g); }\nTORCH_LIBRARY_IMPL(ops, Meta, m) { m.impl("f", &g); }\n',
    },
    message: /^The namespace ops already has a TORCH_LIBRARY; the library will not load\.$/,
  },
  {
    code: 'opsmith-registered-twice',
    name: 'a namespace, mended as a fragment',
    files: {
      '/a.cpp': 'TORCH_LIBRARY(ops, m) { m.def("f(Tensor x) -> Tensor"); }\n',
      '/b.cpp': '»TORCH_LIBRARY(ops, m) { m.def("g(Tensor x) -> Tensor"); }\n',
    },
    fixed: { '/b.cpp': 'TORCH_LIBRARY_FRAGMENT(ops, m) { m.def("g(Tensor x) -> Tensor"); }\n' },
  },
  one(
    'opsmith-registered-twice',
    'not overloads, other devices, fragments and branches of #if',
    `TORCH_LIBRARY(ops, m) {
  m.def("f(Tensor x) -> Tensor");
  m.def("f.int(int x) -> Tensor");
#ifdef USE_A
  m.def("g(Tensor x) -> Tensor");
#else
  m.def("g(Tensor x) -> Tensor");
#endif
}
TORCH_LIBRARY_FRAGMENT(ops, m) { m.def("h(Tensor x) -> Tensor"); }
TORCH_LIBRARY_IMPL(ops, CPU, m) { m.impl("f", &f); m.impl("h", &f); }
TORCH_LIBRARY_IMPL(ops, CUDA, m) { m.impl("f", &f); }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("f", &f); m.def("f", &g); }
`,
    { quiet: true },
  ),
]

const generators: LintCase[] = [
  one(
    'opsmith-own-generator',
    'of <random> and of the C library, in operators and their helpers',
    `double drawn() { return »std::rand() / double(RAND_MAX); }
at::Tensor f(const at::Tensor& x) {
  »static std::mt19937 generator(42);
  »std::random_device device;
  std::uniform_real_distribution<double> uniform;
  return x * uniform(generator) * drawn();
}
TORCH_LIBRARY(ops, m) { m.def("f(Tensor x) -> Tensor", &f); }
`,
    {
      message:
        /^torch\.manual_seed has no effect on (std::rand\(\)|std::mt19937|std::random_device);/,
    },
  ),
  one(
    'opsmith-own-generator',
    "not where the seed is an argument, or comes from libtorch's generator, nor in a program without operators",
    `at::Tensor f(const at::Tensor& x, int64_t seed) {
  std::mt19937_64 generator(static_cast<uint64_t>(seed));
  return x * generator();
}
at::Tensor g(const at::Tensor& x) {
  std::mt19937 generator(at::detail::getDefaultCPUGenerator().seed());
  return x * generator();
}
at::Tensor h(const at::Tensor& x) { return x * at::rand_like(x); }
TORCH_LIBRARY(ops, m) {
  m.def("f(Tensor x, int seed) -> Tensor", &f);
  m.def("g(Tensor x) -> Tensor", &g);
  m.def("h(Tensor x) -> Tensor", &h);
}
`,
    { quiet: true },
  ),
]

export const cases: LintCase[] = [
  ...float,
  ...blob,
  ...contiguous,
  ...dtype,
  ...alias,
  ...modules,
  ...stableAbi,
  ...twice,
  ...generators,
]
