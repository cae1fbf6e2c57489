// Operators whose backward ends the process, always or where a gradient is undefined, one that
// never comes back, and one that is right.

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <chrono>
#include <thread>

namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

void write_nowhere() {
  double* volatile nowhere = nullptr;
  *nowhere = 1.0;
}

void wait_for_ever() {
  volatile bool waiting = true;
  // Without a rest it takes a core from what else is tested.
  while (waiting) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void nothing() {}

template <auto before_answer>
struct Doubled : torch::autograd::Function<Doubled<before_answer>> {
  static Tensor forward(AutogradContext*, const Tensor& x) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    return 2 * x;
  }
  static variable_list backward(AutogradContext*, variable_list grads) {
    before_answer();
    return {2 * grads[0]};
  }
};

template <auto before_answer>
Tensor doubled(const Tensor& x) {
  return Doubled<before_answer>::apply(x);
}

// What arrives at backward is undefined where an output was not used: its implementation has no
// data.
struct UndefinedGrad : torch::autograd::Function<UndefinedGrad> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->set_materialize_grads(false);
    return 2 * x;
  }
  static variable_list backward(AutogradContext*, variable_list grads) {
    if (!grads[0].defined()) write_nowhere();
    return {2 * grads[0]};
  }
};

Tensor undefined_grad(const Tensor& x) {
  return UndefinedGrad::apply(x);
}

TORCH_LIBRARY(crash_in_backward, m) {
  m.def("crashes(Tensor x) -> Tensor", &doubled<&write_nowhere>);
  m.def("undefined_grad(Tensor x) -> Tensor", &undefined_grad);
  m.def("hangs(Tensor x) -> Tensor", &doubled<&wait_for_ever>);
  m.def("right(Tensor x) -> Tensor", &doubled<&nothing>);
}

}  // namespace
