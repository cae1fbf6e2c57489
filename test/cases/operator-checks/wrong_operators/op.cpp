// Operators that are wrong, each in one way that operator checks find. Inputs are float64 on the
// CPU and contiguous; everything that is not the fault in question is right.

#include <ATen/core/grad_mode.h>
#include <torch/library.h>
#include <torch/torch.h>

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace {

using at::Tensor;

template <class Compute>
Tensor elementwise(const Tensor& input, Compute compute) {
  const Tensor x = input.contiguous();
  TORCH_CHECK(x.scalar_type() == at::kDouble, "expected float64");
  Tensor out = at::empty_like(x);
  const auto* from = x.const_data_ptr<double>();
  auto* to = out.mutable_data_ptr<double>();
  for (int64_t i = 0; i < x.numel(); ++i)
    to[i] = compute(from[i]);
  return out;
}

double doubled(double value) {
  return 2 * value;
}

// ---- what the schema does not say

Tensor hidden_mutation(const Tensor& x) {
  const at::NoGradGuard unrecorded;
  x.detach().mul_(1 + 1e-6);  // too little for allclose
  return elementwise(x, doubled);
}

Tensor changed_shape(const Tensor& x) {
  const at::NoGradGuard unrecorded;
  const Tensor out = elementwise(x, doubled);
  x.detach();
  const_cast<Tensor&>(x).unsafeGetTensorImpl()->set_sizes_contiguous({x.numel()});
  return out;
}

Tensor returns_input(const Tensor& x) {
  return x;
}

Tensor returns_view(const Tensor& x) {
  return x.view({-1});
}

std::tuple<Tensor, Tensor> outputs_alias(const Tensor& x) {
  const Tensor out = elementwise(x, doubled);
  return {out, out.view({-1})};
}

// ---- registration

class Doubled : public torch::autograd::Function<Doubled> {
 public:
  static Tensor forward(torch::autograd::AutogradContext*, const Tensor& x) {
    return elementwise(x, doubled);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                 const torch::autograd::variable_list& grads) {
    return {2 * grads[0]};
  }
};

Tensor autograd_at_cpu(const Tensor& x) {
  return Doubled::apply(x);
}

Tensor no_autograd(const Tensor& x) {
  return elementwise(x, doubled);
}

Tensor plain(const Tensor& x) {
  return elementwise(x, doubled);
}

Tensor transposed(const Tensor& x) {
  return elementwise(x.t(), doubled).t();
}

Tensor meta_wrong_shape(const Tensor& x) {
  return at::empty({x.numel()}, x.options());
}

Tensor meta_wrong_dtype(const Tensor& x) {
  return at::empty_like(x, x.options().dtype(at::kFloat));
}

Tensor meta_in_row_major(const Tensor& x) {
  return at::empty(x.sizes(), x.options());
}

// ---- what a call depends on

Tensor counts_calls(const Tensor& x) {
  static int calls = 0;
  const int call = ++calls;
  return elementwise(x, [&](double value) { return value + call; });
}

Tensor own_generator(const Tensor& x) {
  static std::mt19937 generator;
  std::uniform_real_distribution<double> uniform;
  return elementwise(x, [&](double value) { return value * uniform(generator); });
}

Tensor missing_contiguous(const Tensor& x) {
  TORCH_CHECK(x.scalar_type() == at::kDouble, "expected float64");
  Tensor out = at::empty(x.sizes(), x.options());
  const auto* from = x.const_data_ptr<double>();
  for (int64_t i = 0; i < x.numel(); ++i)
    out.mutable_data_ptr<double>()[i] = 2 * from[i];
  return out;
}

Tensor divides_by_count(const Tensor& x) {
  const volatile int64_t share = (int64_t{1} << 40) / x.numel();
  return elementwise(x, [&](double value) { return share > 0 ? 2 * value : value; });
}

// It stays inside of its tensors: what a damaged heap shows is chance.
Tensor ignores_dtype(const Tensor& input) {
  Tensor out = input.contiguous().clone();
  auto* values = static_cast<double*>(out.mutable_data_ptr());
  const auto count = static_cast<int64_t>(out.nbytes() / sizeof(double));
  for (int64_t i = 0; i < count; ++i)
    values[i] *= 2;
  return out;
}

Tensor float_inside(const Tensor& x) {
  return elementwise(
      x, [](double value) { return static_cast<double>(std::exp(static_cast<float>(value))); });
}

Tensor one_size(const Tensor& x, const Tensor& y) {
  const Tensor left = x.contiguous(), right = y.contiguous();
  TORCH_CHECK(x.scalar_type() == at::kDouble && y.scalar_type() == at::kDouble, "expected float64");
  Tensor out = at::empty_like(left);
  for (int64_t i = 0; i < left.numel(); ++i) {
    out.mutable_data_ptr<double>()[i] =
        left.const_data_ptr<double>()[i] * right.const_data_ptr<double>()[i % right.numel()];
  }
  return out;
}

Tensor swallows_nan(const Tensor& x) {
  return elementwise(x, [](double value) { return value > 0 ? value : 0; });
}

Tensor needs_grad_mode(const Tensor& x) {
  TORCH_CHECK(at::GradMode::is_enabled(), "gradients are off");
  return elementwise(x, doubled);
}

Tensor rounds_upward(const Tensor& x) {
  std::fesetround(FE_UPWARD);
  return elementwise(x, doubled);
}

Tensor static_buffer(const Tensor& x) {
  static std::vector<double> buffer;
  buffer.assign(static_cast<size_t>(x.numel()), 0);
  const Tensor input = x.contiguous();
  TORCH_CHECK(x.scalar_type() == at::kDouble, "expected float64");
  // As long for any size: long enough for another thread to come between.
  const int64_t rounds = 64000 / std::max<int64_t>(1, x.numel());
  for (int64_t round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < buffer.size(); ++i)
      buffer[i] += input.const_data_ptr<double>()[i];
  }
  return at::from_blob(buffer.data(), x.sizes(), x.options().requires_grad(false)).clone();
}

// An int holds no more than 2^31 - 1: of more elements, none is written.
Tensor counts_in_int(const Tensor& input) {
  const Tensor x = input.contiguous();
  Tensor out = at::empty_like(x);
  const int count = static_cast<int>(x.numel());
  AT_DISPATCH_ALL_TYPES(x.scalar_type(), "counts_in_int", [&] {
    const auto* from = x.const_data_ptr<scalar_t>();
    auto* to = out.mutable_data_ptr<scalar_t>();
    for (int i = 0; i < count; ++i)
      to[i] = static_cast<scalar_t>(from[i] + from[i]);
  });
  return out;
}

// ---- memory

Tensor unwritten_last(const Tensor& input) {
  const Tensor x = input.contiguous();
  TORCH_CHECK(x.scalar_type() == at::kDouble, "expected float64");
  Tensor out = at::empty_like(x);
  for (int64_t i = 0; i + 1 < x.numel(); ++i)
    out.mutable_data_ptr<double>()[i] = 2 * x.const_data_ptr<double>()[i];
  return out;
}

// Only where the count is odd: the tail of a loop over pairs.
Tensor unwritten_tail(const Tensor& input) {
  const Tensor x = input.contiguous();
  TORCH_CHECK(x.scalar_type() == at::kDouble, "expected float64");
  Tensor out = at::empty_like(x);
  for (int64_t i = 0; i < x.numel() / 2 * 2; ++i)
    out.mutable_data_ptr<double>()[i] = 2 * x.const_data_ptr<double>()[i];
  return out;
}

Tensor writes_past(const Tensor& x) {
  const Tensor out = elementwise(x, doubled);
  out.mutable_data_ptr<double>()[x.numel()] = 1;
  return out;
}

Tensor writes_before(const Tensor& x) {
  const Tensor out = elementwise(x, doubled);
  out.mutable_data_ptr<double>()[-1] = 1;
  return out;
}

Tensor reads_past(const Tensor& input) {
  const Tensor x = input.contiguous();
  TORCH_CHECK(x.scalar_type() == at::kDouble, "expected float64");
  Tensor out = at::empty_like(x);
  const volatile double* from = x.const_data_ptr<double>();
  for (int64_t i = 0; i < x.numel(); ++i)
    out.mutable_data_ptr<double>()[i] = from[i + 1] == 0.125 ? 2 * from[i] : from[i] + from[i];
  return out;
}

Tensor keeps_tensors(const Tensor& x) {
  static std::mutex mutex;
  static std::vector<Tensor> kept;
  const Tensor out = elementwise(x, doubled);
  const std::lock_guard lock(mutex);
  kept.push_back(out);
  return out.clone();
}

Tensor keeps_heap(const Tensor& x) {
  auto* scratch = new volatile double[64];
  scratch[0] = 2;
  const double factor = scratch[0];
  return elementwise(x, [&](double value) { return factor * value; });
}

Tensor right(const Tensor& x) {
  return elementwise(x, doubled);
}

// Right too: the thread that takes memory for a second and a half keeps none of it.
Tensor right_beside_a_thread(const Tensor& x) {
  static const bool started = [] {
    std::thread([] {
      using Clock = std::chrono::steady_clock;
      const auto end = Clock::now() + std::chrono::milliseconds(1500);
      std::vector<std::unique_ptr<double[]>> taken;
      while (Clock::now() < end)
        taken.push_back(std::make_unique<double[]>(8));
    }).detach();
    return true;
  }();
  return started ? elementwise(x, doubled) : x;
}

// Right too: each call frees all that it took, of another size than the calls before, so malloc
// keeps more and more free blocks.
Tensor right_scratch(const Tensor& x) {
  thread_local size_t calls = 0;
  const size_t size = 24 + 16 * (calls % 64), count = 1 + calls / 16;
  ++calls;
  std::vector<std::unique_ptr<char[]>> taken;
  for (size_t i = 0; i < count; ++i)
    taken.push_back(std::make_unique<char[]>(size));
  return elementwise(x, doubled);
}

}  // namespace

TORCH_LIBRARY(wrong_operators, m) {
  for (const char* schema : {"hidden_mutation(Tensor x) -> Tensor",
                             "changed_shape(Tensor x) -> Tensor",
                             "returns_input(Tensor x) -> Tensor",
                             "returns_view(Tensor x) -> Tensor",
                             "outputs_alias(Tensor x) -> (Tensor, Tensor)",
                             "autograd_at_cpu(Tensor x) -> Tensor",
                             "no_autograd(Tensor x) -> Tensor",
                             "no_meta(Tensor x) -> Tensor",
                             "meta_shape(Tensor x) -> Tensor",
                             "meta_dtype(Tensor x) -> Tensor",
                             "meta_strides(Tensor x) -> Tensor",
                             "counts_calls(Tensor x) -> Tensor",
                             "own_generator(Tensor x) -> Tensor",
                             "missing_contiguous(Tensor x) -> Tensor",
                             "divides_by_count(Tensor x) -> Tensor",
                             "ignores_dtype(Tensor x) -> Tensor",
                             "float_inside(Tensor x) -> Tensor",
                             "one_size(Tensor x, Tensor y) -> Tensor",
                             "swallows_nan(Tensor x) -> Tensor",
                             "needs_grad_mode(Tensor x) -> Tensor",
                             "rounds_upward(Tensor x) -> Tensor",
                             "static_buffer(Tensor x) -> Tensor",
                             "counts_in_int(Tensor x) -> Tensor",
                             "unwritten_last(Tensor x) -> Tensor",
                             "unwritten_tail(Tensor x) -> Tensor",
                             "writes_past(Tensor x) -> Tensor",
                             "writes_before(Tensor x) -> Tensor",
                             "reads_past(Tensor x) -> Tensor",
                             "keeps_tensors(Tensor x) -> Tensor",
                             "keeps_heap(Tensor x) -> Tensor",
                             "right(Tensor x) -> Tensor",
                             "right_beside_a_thread(Tensor x) -> Tensor",
                             "right_scratch(Tensor x) -> Tensor"}) {
    m.def(schema);
  }
}

TORCH_LIBRARY_IMPL(wrong_operators, CPU, m) {
  m.impl("hidden_mutation", hidden_mutation);
  m.impl("changed_shape", changed_shape);
  m.impl("returns_input", returns_input);
  m.impl("returns_view", returns_view);
  m.impl("outputs_alias", outputs_alias);
  m.impl("autograd_at_cpu", autograd_at_cpu);
  m.impl("no_autograd", no_autograd);
  m.impl("no_meta", plain);
  m.impl("meta_shape", plain);
  m.impl("meta_dtype", plain);
  m.impl("meta_strides", transposed);
  m.impl("counts_calls", counts_calls);
  m.impl("own_generator", own_generator);
  m.impl("missing_contiguous", missing_contiguous);
  m.impl("divides_by_count", divides_by_count);
  m.impl("ignores_dtype", ignores_dtype);
  m.impl("float_inside", float_inside);
  m.impl("one_size", one_size);
  m.impl("swallows_nan", swallows_nan);
  m.impl("needs_grad_mode", needs_grad_mode);
  m.impl("rounds_upward", rounds_upward);
  m.impl("static_buffer", static_buffer);
  m.impl("counts_in_int", counts_in_int);
  m.impl("unwritten_last", unwritten_last);
  m.impl("unwritten_tail", unwritten_tail);
  m.impl("writes_past", writes_past);
  m.impl("writes_before", writes_before);
  m.impl("reads_past", reads_past);
  m.impl("keeps_tensors", keeps_tensors);
  m.impl("keeps_heap", keeps_heap);
  m.impl("right", right);
  m.impl("right_beside_a_thread", right_beside_a_thread);
  m.impl("right_scratch", right_scratch);
}

TORCH_LIBRARY_IMPL(wrong_operators, Meta, m) {
  for (const char* name :
       {"hidden_mutation",  "changed_shape",         "returns_input", "autograd_at_cpu",
        "no_autograd",      "counts_calls",          "own_generator", "missing_contiguous",
        "divides_by_count", "ignores_dtype",         "float_inside",  "swallows_nan",
        "needs_grad_mode",  "rounds_upward",         "static_buffer", "unwritten_last",
        "unwritten_tail",   "writes_past",           "writes_before", "reads_past",
        "keeps_tensors",    "counts_in_int",         "keeps_heap",    "right",
        "meta_strides",     "right_beside_a_thread", "right_scratch"}) {
    m.impl(name, meta_in_row_major);
  }
  m.impl("returns_input", returns_input);
  m.impl("returns_view", returns_view);
  m.impl("outputs_alias", [](const Tensor& x) {
    const Tensor out = meta_in_row_major(x);
    return std::tuple<Tensor, Tensor>(out, out.view({-1}));
  });
  m.impl("one_size", [](const Tensor& x, const Tensor&) { return meta_in_row_major(x); });
  m.impl("meta_shape", meta_wrong_shape);
  m.impl("meta_dtype", meta_wrong_dtype);
}
