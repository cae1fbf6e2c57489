// Operators whose gradients are wrong in one way each, beside others that are right.

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// A function of one tensor with a hand-written gradient: backward(grad, x). Both are arguments: one
// class for all compiles in less than half of the time of one for each.
using UnaryForward = Tensor (*)(const Tensor& x);
using UnaryBackward = Tensor (*)(const Tensor& grad, const Tensor& x);

struct Unary : torch::autograd::Function<Unary> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, UnaryForward forward_of,
                        UnaryBackward backward_of) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->save_for_backward({x});
    ctx->saved_data["backward"] = reinterpret_cast<int64_t>(backward_of);
    return forward_of(x);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto backward_of = reinterpret_cast<UnaryBackward>(ctx->saved_data["backward"].toInt());
    return {backward_of(grads[0], ctx->get_saved_variables()[0]), Tensor(), Tensor()};
  }
};

template <auto forward_of, auto backward_of>
Tensor unary(const Tensor& x) {
  return Unary::apply(x, forward_of, backward_of);
}

// The same for two tensors: backward(grad, x, y) gives both gradients.
using BinaryForward = Tensor (*)(const Tensor& x, const Tensor& y);
using BinaryBackward = variable_list (*)(const Tensor& grad, const Tensor& x, const Tensor& y);

struct Binary : torch::autograd::Function<Binary> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& y,
                        BinaryForward forward_of, BinaryBackward backward_of) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->save_for_backward({x, y});
    ctx->saved_data["backward"] = reinterpret_cast<int64_t>(backward_of);
    return forward_of(x, y);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto backward_of = reinterpret_cast<BinaryBackward>(ctx->saved_data["backward"].toInt());
    const auto saved = ctx->get_saved_variables();
    variable_list result = backward_of(grads[0], saved[0], saved[1]);
    result.resize(4);
    return result;
  }
};

template <auto forward_of, auto backward_of>
Tensor binary(const Tensor& x, const Tensor& y) {
  return Binary::apply(x, y, forward_of, backward_of);
}

// x^2, [rows, columns]

Tensor square(const Tensor& x) {
  return x * x;
}
Tensor square_backward(const Tensor& grad, const Tensor& x) {
  return 2 * grad * x;
}
Tensor square_twice(const Tensor& grad, const Tensor& x) {
  return 4 * grad * x;
}
Tensor square_last_row_missing(const Tensor& grad, const Tensor& x) {
  Tensor result = square_backward(grad, x).clone();
  result.select(0, -1).zero_();
  return result;
}
Tensor square_one_element(const Tensor& grad, const Tensor& x) {
  Tensor result = square_backward(grad, x).clone();
  result.select(0, 1).select(0, 2).mul_(1.5);
  return result;
}
// Differs from call to call by less than any tolerance of the Jacobians.
Tensor square_noisy(const Tensor& grad, const Tensor& x) {
  return square_backward(grad, x) + 1e-9 * at::rand_like(x) * grad;
}
Tensor square_without_grad_output(const Tensor&, const Tensor& x) {
  return 2 * x;
}
Tensor square_summed(const Tensor& grad, const Tensor& x) {
  return square_backward(grad, x).sum();
}
// Right, but it leaves grad_output changed, which other branches of the graph may share.
Tensor square_into_grad_output(const Tensor& grad, const Tensor& x) {
  const at::NoGradGuard unrecorded;
  return grad.mul_(2).mul_(x).clone();
}
// Takes grad_output to be contiguous, which sum()'s, expanded from one element, is not.
Tensor square_by_pointer(const Tensor& grad, const Tensor& input) {
  const Tensor x = input.contiguous();
  Tensor result = at::empty(x.sizes(), x.options());
  for (int64_t i = 0; i < x.numel(); ++i) {
    result.mutable_data_ptr<double>()[i] =
        2 * grad.const_data_ptr<double>()[i] * x.const_data_ptr<double>()[i];
  }
  return result;
}
// The autograd engine casts a gradient of another dtype back without a word; its digits are gone.
Tensor square_in_float32(const Tensor& grad, const Tensor& x) {
  return square_backward(grad, x).to(at::kFloat);
}
Tensor square_in_int64(const Tensor& grad, const Tensor& x) {
  return square_backward(grad, x).to(at::kLong);
}
// Wrong at few points: a check at one of the others passes.
Tensor square_wrong_above_one(const Tensor& grad, const Tensor& x) {
  return at::where(x > 1, 4 * grad * x, 2 * grad * x);
}
Tensor square_in_place(const Tensor& x) {
  x.mutable_data_ptr<double>()[0] *= 1 + 1e-3;
  return x * x;
}

// sin(2 x)

Tensor sine(const Tensor& x) {
  return at::sin(2 * x);
}
Tensor sine_backward(const Tensor& grad, const Tensor& x) {
  return 2 * grad * at::cos(2 * x);
}
Tensor sine_without_inner(const Tensor& grad, const Tensor& x) {
  return grad * at::cos(2 * x);
}
Tensor sine_in_float32(const Tensor& x) {
  return at::sin(2 * x.to(at::kFloat)).to(at::kDouble);
}

// cos(x)

Tensor cosine(const Tensor& x) {
  return at::cos(x);
}
Tensor cosine_backward(const Tensor& grad, const Tensor& x) {
  return -grad * at::sin(x);
}
Tensor cosine_without_sign(const Tensor& grad, const Tensor& x) {
  return grad * at::sin(x);
}

Tensor exponential(const Tensor& x) {
  return at::exp(x);
}
Tensor exponential_backward(const Tensor& grad, const Tensor& x) {
  return grad * at::exp(x);
}
Tensor no_gradient(const Tensor& grad, const Tensor&) {
  return at::zeros_like(grad);
}

// x^3: the wrong one's gradient is right, but not the gradient of that.

Tensor cube(const Tensor& x) {
  return x * x * x;
}
Tensor cube_backward(const Tensor& grad, const Tensor& x) {
  return 3 * grad * x * x;
}
Tensor cube_detached(const Tensor& grad, const Tensor& x) {
  const Tensor fixed = x.detach();
  return 3 * grad * fixed * fixed;
}

// x [rows, columns] + 2 bias [columns]

Tensor add_bias(const Tensor& x, const Tensor& bias) {
  return x + 2 * bias;
}
variable_list add_bias_backward(const Tensor& grad, const Tensor&, const Tensor&) {
  return {grad, 2 * grad.sum(0)};
}
variable_list add_bias_without_sum(const Tensor& grad, const Tensor&, const Tensor&) {
  return {grad, 2 * grad.select(0, 0)};
}
variable_list add_bias_mean(const Tensor& grad, const Tensor&, const Tensor&) {
  return {grad, 2 * grad.mean(0)};
}

// x [n, n] times y [n, n]

Tensor product(const Tensor& x, const Tensor& y) {
  return x.mm(y);
}
variable_list product_backward(const Tensor& grad, const Tensor& x, const Tensor& y) {
  return {grad.mm(y.t()), x.t().mm(grad)};
}
variable_list product_transposed(const Tensor& grad, const Tensor& x, const Tensor& y) {
  return {grad.mm(y.t()).t(), x.t().mm(grad)};
}

// x - 3 y

Tensor difference(const Tensor& x, const Tensor& y) {
  return x - 3 * y;
}
variable_list difference_backward(const Tensor& grad, const Tensor&, const Tensor&) {
  return {grad, -3 * grad};
}
variable_list difference_exchanged(const Tensor& grad, const Tensor&, const Tensor&) {
  return {-3 * grad, grad};
}

Tensor detached(const Tensor& x) {
  return at::sin(x.detach());
}

// What arrives at backward is undefined where an output was not used.
struct NeedsGrad : torch::autograd::Function<NeedsGrad> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->set_materialize_grads(false);
    return 2 * x;
  }
  static variable_list backward(AutogradContext*, variable_list grads) {
    TORCH_CHECK(grads[0].defined(), "where is my gradient?");
    return {2 * grads[0]};
  }
};

Tensor needs_grad(const Tensor& x) {
  return NeedsGrad::apply(x);
}

TORCH_LIBRARY(wrong_gradients, m) {
  m.def("square(Tensor x) -> Tensor", &unary<&square, &square_backward>);
  m.def("wrong_factor(Tensor x) -> Tensor", &unary<&square, &square_twice>);
  m.def("missing_row(Tensor x) -> Tensor", &unary<&square, &square_last_row_missing>);
  m.def("wrong_element(Tensor x) -> Tensor", &unary<&square, &square_one_element>);
  m.def("noisy_backward(Tensor x) -> Tensor", &unary<&square, &square_noisy>);
  m.def("without_grad_output(Tensor x) -> Tensor", &unary<&square, &square_without_grad_output>);
  m.def("wrong_shape(Tensor x) -> Tensor", &unary<&square, &square_summed>);
  m.def("writes_grad_output(Tensor x) -> Tensor", &unary<&square, &square_into_grad_output>);
  m.def("contiguous_grad_output(Tensor x) -> Tensor", &unary<&square, &square_by_pointer>);
  m.def("float32_gradient(Tensor x) -> Tensor", &unary<&square, &square_in_float32>);
  m.def("int64_gradient(Tensor x) -> Tensor", &unary<&square, &square_in_int64>);
  m.def("wrong_above_one(Tensor x) -> Tensor", &unary<&square, &square_wrong_above_one>);
  m.def("in_place(Tensor x) -> Tensor", &unary<&square_in_place, &square_backward>);
  m.def("sine(Tensor x) -> Tensor", &unary<&sine, &sine_backward>);
  m.def("missing_factor(Tensor x) -> Tensor", &unary<&sine, &sine_without_inner>);
  m.def("float32_inside(Tensor x) -> Tensor", &unary<&sine_in_float32, &sine_backward>);
  m.def("cosine(Tensor x) -> Tensor", &unary<&cosine, &cosine_backward>);
  m.def("wrong_sign(Tensor x) -> Tensor", &unary<&cosine, &cosine_without_sign>);
  m.def("exponential(Tensor x) -> Tensor", &unary<&exponential, &exponential_backward>);
  m.def("zero_gradient(Tensor x) -> Tensor", &unary<&exponential, &no_gradient>);
  m.def("cube(Tensor x) -> Tensor", &unary<&cube, &cube_backward>);
  m.def("wrong_second_order(Tensor x) -> Tensor", &unary<&cube, &cube_detached>);
  m.def("add_bias(Tensor x, Tensor bias) -> Tensor", &binary<&add_bias, &add_bias_backward>);
  m.def("missing_sum(Tensor x, Tensor bias) -> Tensor", &binary<&add_bias, &add_bias_without_sum>);
  m.def("mean_for_sum(Tensor x, Tensor bias) -> Tensor", &binary<&add_bias, &add_bias_mean>);
  m.def("product(Tensor x, Tensor y) -> Tensor", &binary<&product, &product_backward>);
  m.def("transposed(Tensor x, Tensor y) -> Tensor", &binary<&product, &product_transposed>);
  m.def("difference(Tensor x, Tensor y) -> Tensor", &binary<&difference, &difference_backward>);
  m.def("exchanged(Tensor x, Tensor y) -> Tensor", &binary<&difference, &difference_exchanged>);
  m.def("detached(Tensor x) -> Tensor", &detached);
  m.def("needs_grad(Tensor x) -> Tensor", &needs_grad);
}

}  // namespace
