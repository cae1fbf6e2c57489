// Operators whose backward is wrong in a narrow place: near a number that forward compares with, or
// for one integer of a range. Next to each the right one, with the same forward.

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

// ---- relu6: backward gives a gradient up to `end`, forward is constant from 6 on

struct Relu6 : Function<Relu6> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, double end) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->save_for_backward({x});
    ctx->saved_data["end"] = end;
    return at::where(x > 6.0, at::full_like(x, 6), x.clamp_min(0));
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto x = ctx->get_saved_variables()[0];
    const double end = ctx->saved_data["end"].toDouble();
    const auto inside = x.gt(0).logical_and(x.lt(end));
    return {grads[0] * inside, Tensor()};
  }
};

// ---- sin(n x): the factor of one n is left out

struct Wave : Function<Wave> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, int64_t n, int64_t forgotten) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->save_for_backward({x});
    ctx->saved_data["n"] = n;
    ctx->saved_data["forgotten"] = forgotten;
    return (n * x).sin();
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto n = ctx->saved_data["n"].toInt();
    const auto factor = n == ctx->saved_data["forgotten"].toInt() ? 1 : n;
    const auto x = ctx->get_saved_variables()[0];
    return {grads[0] * (n * x).cos() * factor, Tensor(), Tensor()};
  }
};

TORCH_LIBRARY(gradient_faults, m) {
  m.def("past_six(Tensor x) -> Tensor", [](const Tensor& x) { return Relu6::apply(x, 6.02); });
  m.def("right_past_six(Tensor x) -> Tensor", [](const Tensor& x) { return Relu6::apply(x, 6.0); });
  m.def("wrong_for_thirteen(Tensor x, int n) -> Tensor",
        [](const Tensor& x, int64_t n) { return Wave::apply(x, n, int64_t{13}); });
  m.def("right_for_thirteen(Tensor x, int n) -> Tensor",
        [](const Tensor& x, int64_t n) { return Wave::apply(x, n, int64_t{-1}); });
}

}  // namespace
