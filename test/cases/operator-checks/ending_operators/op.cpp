// Operators that end their process, for some inputs or for all, and some that go wrong for a cause
// that looks like another one. What is not the fault in question is right.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace {

using at::Tensor;

void read_null() {
  volatile int* nothing = nullptr;
  *nothing = 1;
}

// How often each row is named. It trusts its indices, as many kernels do.
Tensor count_rows(const Tensor& given, int64_t count) {
  const Tensor rows = given.contiguous();
  Tensor counts = at::zeros({count}, rows.options());
  auto* to = counts.mutable_data_ptr<int64_t>();
  for (int64_t i = 0; i < rows.numel(); ++i)
    to[rows.const_data_ptr<int64_t>()[i]] += 1;
  return counts;
}

Tensor faults_when_strided(const Tensor& x) {
  if (!x.is_contiguous()) read_null();
  return x * 2;
}

Tensor faults_when_wide(const Tensor& x) {
  if (x.size(-1) > 20) read_null();
  return x * 2;
}

Tensor always_faults(const Tensor& x) {
  read_null();
  return x * 2;
}

Tensor throws_where_nobody_catches(const Tensor& x) {
  const auto fails = []() noexcept { throw std::runtime_error("lost in a thread"); };
  fails();
  return x * 2;
}

Tensor exits(const Tensor& x) {
  std::exit(3);
  return x * 2;
}

Tensor noisy(const Tensor& x) {
  std::printf("noise on stdout\n");
  std::fprintf(stderr, "noise on stderr\n");
  return x * 2;
}

// The sum that reaches `out` last depends on the order of threads.
Tensor order_of_threads(const Tensor& x) {
  std::atomic<int> next{0};
  Tensor places = at::zeros({64}, x.options());
  auto* to = places.mutable_data_ptr<double>();
  at::parallel_for(0, 64, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      volatile double work = 0;
      for (int j = 0; j < 200000; ++j)
        work += j;
      to[i] = next++;
    }
  });
  return places;
}

// The last digits of all elements change from call to call, as of sums in any order.
Tensor rounds_differently(const Tensor& x) {
  static std::atomic<int> calls{0};
  return x * 3 * (1 + 3e-16 * (calls++ % 5));
}

// Its input is as before when the call returns.
Tensor writes_and_undoes(const Tensor& x) {
  auto* data = const_cast<double*>(static_cast<const double*>(x.const_data_ptr()));
  if (x.numel() > 0) {
    const double before = data[0];
    *const_cast<volatile double*>(data) = before + 1;
    *const_cast<volatile double*>(data) = before;
  }
  return x * 2;
}

Tensor tells_same_apart(const Tensor& x, const Tensor& y) {
  return x.is_same(y) ? x * 3 : x + y;
}

// Right: a value that is rounded to fewer bits may fall into the next bucket.
Tensor buckets(const Tensor& x) {
  return (x * 100).floor().to(at::kLong);
}

// ---- layouts that are none

Tensor kept_by_address(const Tensor& x) {
  static const void* address = nullptr;
  static Tensor answer;
  if (x.const_data_ptr() != address || answer.sizes() != x.sizes()) {
    address = x.const_data_ptr();
    answer = x * 2;
  }
  return answer.clone();
}

// Its memory, without the sign that a negated view adds.
Tensor ignores_sign(const Tensor& input) {
  const Tensor x = input.contiguous();
  Tensor out = at::empty(x.sizes(), x.options());
  const auto* from = static_cast<const double*>(x.const_data_ptr());
  for (int64_t i = 0; i < x.numel(); ++i)
    out.mutable_data_ptr<double>()[i] = 2 * from[i];
  return out;
}

class UnwrittenGradient : public torch::autograd::Function<UnwrittenGradient> {
 public:
  static Tensor forward(torch::autograd::AutogradContext*, const Tensor& x) { return x * 2; }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                 const torch::autograd::variable_list& grads) {
    Tensor gradient = at::empty(grads[0].sizes(), grads[0].options());
    gradient.flatten().slice(0, 1).copy_((2 * grads[0]).flatten().slice(0, 1));
    return {gradient};
  }
};

class ScaledInPlace : public torch::autograd::Function<ScaledInPlace> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x) {
    context->save_for_backward({x * 2});
    return x * x;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    const Tensor saved = context->get_saved_variables()[0];
    const Tensor gradient = grads[0] * saved;
    at::NoGradGuard unrecorded;
    saved.variable_data().mul_(2);
    return {gradient};
  }
};

}  // namespace

TORCH_LIBRARY(ending_operators, m) {
  m.def("count_rows(Tensor rows, int count) -> Tensor", &count_rows);
  m.def("faults_when_strided(Tensor x) -> Tensor", &faults_when_strided);
  m.def("faults_when_wide(Tensor x) -> Tensor", &faults_when_wide);
  m.def("always_faults(Tensor x) -> Tensor", &always_faults);
  m.def("throws_where_nobody_catches(Tensor x) -> Tensor", &throws_where_nobody_catches);
  m.def("exits(Tensor x) -> Tensor", &exits);
  m.def("noisy(Tensor x) -> Tensor", &noisy);
  m.def("order_of_threads(Tensor x) -> Tensor", &order_of_threads);
  m.def("rounds_differently(Tensor x) -> Tensor", &rounds_differently);
  m.def("kept_by_address(Tensor x) -> Tensor", &kept_by_address);
  m.def("ignores_sign(Tensor x) -> Tensor", &ignores_sign);
  m.def("writes_and_undoes(Tensor x) -> Tensor", &writes_and_undoes);
  m.def("tells_same_apart(Tensor x, Tensor y) -> Tensor", &tells_same_apart);
  m.def("buckets(Tensor x) -> Tensor", &buckets);
  m.def("unwritten_gradient(Tensor x) -> Tensor",
        [](const Tensor& x) { return UnwrittenGradient::apply(x); });
  m.def("scaled_in_place(Tensor x) -> Tensor",
        [](const Tensor& x) { return ScaledInPlace::apply(x); });
}
