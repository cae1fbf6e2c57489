// Operators whose forward is right and whose backward is wrong in one way each: at some shapes,
// layouts, values, arguments, dtypes or sets of inputs that require grad. Next to each the right one,
// with the same forward.

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <cmath>

namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

// One autograd function for each signature: which functions it calls is kept by address.

using UnaryForward = Tensor (*)(const Tensor&);
using UnaryBackward = Tensor (*)(const Tensor& grad, const Tensor& x);
struct Unary : Function<Unary> {
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
template <UnaryForward forward_of, UnaryBackward backward_of>
Tensor unary(const Tensor& x) {
  return Unary::apply(x, forward_of, backward_of);
}

using BinaryForward = Tensor (*)(const Tensor&, const Tensor&);
using BinaryBackward = variable_list (*)(AutogradContext* ctx, const Tensor& grad, const Tensor& x,
                                         const Tensor& y);
struct Binary : Function<Binary> {
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
    auto both = backward_of(ctx, grads[0], saved[0], saved[1]);
    both.resize(4);
    return both;
  }
};
template <BinaryForward forward_of, BinaryBackward backward_of>
Tensor binary(const Tensor& x, const Tensor& y) {
  return Binary::apply(x, y, forward_of, backward_of);
}

// With a number, or a flag that is 0 or 1.
using NumberedForward = Tensor (*)(const Tensor&, int64_t);
using NumberedBackward = Tensor (*)(const Tensor& grad, const Tensor& x, int64_t number);
struct Numbered : Function<Numbered> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, int64_t number,
                        NumberedForward forward_of, NumberedBackward backward_of) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->save_for_backward({x});
    ctx->saved_data["number"] = number;
    ctx->saved_data["backward"] = reinterpret_cast<int64_t>(backward_of);
    return forward_of(x, number);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto backward_of =
        reinterpret_cast<NumberedBackward>(ctx->saved_data["backward"].toInt());
    const auto number = ctx->saved_data["number"].toInt();
    return {backward_of(grads[0], ctx->get_saved_variables()[0], number), Tensor(), Tensor(),
            Tensor()};
  }
};
template <NumberedForward forward_of, NumberedBackward backward_of>
Tensor along_dim(const Tensor& x, int64_t dim) {
  return Numbered::apply(x, dim, forward_of, backward_of);
}
template <NumberedForward forward_of, NumberedBackward backward_of>
Tensor with_flag(const Tensor& x, bool flag) {
  return Numbered::apply(x, flag ? 1 : 0, forward_of, backward_of);
}

// ---- x^2

Tensor square(const Tensor& x) {
  return x * x;
}
Tensor square_right(const Tensor& grad, const Tensor& x) {
  return 2 * grad * x;
}

// Of contiguous float64 tensors, the elements from `begin` to `end`.
void square_elements(const Tensor& result, const Tensor& grad, const Tensor& x, int64_t begin,
                     int64_t end) {
  auto* out = result.mutable_data_ptr<double>();
  const auto* g = grad.const_data_ptr<double>();
  const auto* in = x.const_data_ptr<double>();
  for (int64_t i = begin; i < end; ++i)
    out[i] = 2 * g[i] * in[i];
}

Tensor square_by_loop(const Tensor& grad, const Tensor& input) {
  TORCH_CHECK(input.scalar_type() == at::kDouble, "x must be float64");
  const auto x = input.contiguous(), g = grad.contiguous();
  auto result = at::empty(x.sizes(), x.options());
  square_elements(result, g, x, 0, x.numel());
  return result;
}
template <int64_t width>
Tensor square_in_blocks(const Tensor& grad, const Tensor& input) {
  TORCH_CHECK(input.scalar_type() == at::kDouble, "x must be float64");
  const auto x = input.contiguous(), g = grad.contiguous();
  auto result = at::zeros(x.sizes(), x.options());
  square_elements(result, g, x, 0, x.numel() / width * width);
  return result;
}
// Rows in pairs; of an odd count the last row is done as if it were the one before it.
Tensor square_two_rows(const Tensor& grad, const Tensor& x) {
  auto result = square_right(grad, x);
  if (x.dim() == 2 && x.size(0) % 2 == 1 && x.size(0) > 1) {
    result = result.clone();
    result.select(0, -1).copy_(result.select(0, -2));
  }
  return result;
}
Tensor square_not_of_one(const Tensor& grad, const Tensor& x) {
  return x.numel() == 1 ? at::zeros_like(x) : square_right(grad, x);
}
// The largest element scales, and an empty tensor has none.
Tensor square_scaled(const Tensor& grad, const Tensor& x) {
  const auto scale = x.abs().max() + 1;
  return 2 * grad * (x / scale) * scale;
}
Tensor square_counted(const Tensor& grad, const Tensor& x) {
  const volatile int64_t count = x.numel();
  const int64_t part = 1000 / count;
  return part < 0 ? grad : square_right(grad, x);
}
Tensor square_without_dims(const Tensor& grad, const Tensor& x) {
  return x.dim() == 0 ? 4 * grad * x : square_right(grad, x);
}
// Of memory: as if it were contiguous, from the storage's beginning, without the sign of a view.
Tensor square_reads_input(const Tensor& grad, const Tensor& x) {
  TORCH_CHECK(x.scalar_type() == at::kDouble, "x must be float64");
  auto result = at::empty(x.sizes(), x.options());
  square_elements(result, grad.contiguous(), x, 0, x.numel());
  return result;
}
Tensor square_reads_grad(const Tensor& grad, const Tensor& x) {
  TORCH_CHECK(x.scalar_type() == at::kDouble, "x must be float64");
  auto result = at::empty(x.sizes(), x.options());
  square_elements(result, grad, x.contiguous(), 0, x.numel());
  return result;
}
Tensor square_reads_storage(const Tensor& grad, const Tensor& x) {
  TORCH_CHECK(x.scalar_type() == at::kDouble, "x must be float64");
  const auto from_begin = x.as_strided(x.sizes(), x.strides(), 0);
  return 2 * grad * from_begin;
}
Tensor square_as_nchw(const Tensor& grad, const Tensor& x) {
  if (x.dim() != 4 || !x.is_contiguous(at::MemoryFormat::ChannelsLast) || x.is_contiguous())
    return square_right(grad, x);
  const auto in_memory = x.permute({0, 2, 3, 1}).reshape(x.sizes());
  return 2 * grad * in_memory;
}
// Only in some dtypes.
template <at::ScalarType dtype>
Tensor square_not_in(const Tensor& grad, const Tensor& x) {
  return x.scalar_type() == dtype ? 4.5 * grad * x : square_right(grad, x);
}
Tensor square_through_bytes(const Tensor& grad, const Tensor& x) {
  if (x.scalar_type() != at::kFloat) return square_right(grad, x);
  return 2 * grad * x.to(at::kBFloat16).to(at::kFloat);
}
Tensor square_conjugated(const Tensor& grad, const Tensor& x) {
  return 2 * grad * x.conj();
}

// ---- functions with places where formulas fail

Tensor sinc(const Tensor& x) {
  return at::where(x == 0, at::ones({}, x.options()), at::sin(x) / x);
}
Tensor sinc_naive(const Tensor& grad, const Tensor& x) {
  return grad * (at::cos(x) * x - at::sin(x)) / (x * x);
}
Tensor sinc_right(const Tensor& grad, const Tensor& x) {
  const auto near = x.abs() < 1e-4;
  const auto safe = at::where(near, at::ones({}, x.options()), x);
  const auto far = (at::cos(safe) * safe - at::sin(safe)) / (safe * safe);
  return grad * at::where(near, -x / 3, far);
}

Tensor softplus(const Tensor& x) {
  return at::logaddexp(x, at::zeros({}, x.options()));
}
Tensor softplus_right(const Tensor& grad, const Tensor& x) {
  return grad * at::sigmoid(x);
}
Tensor softplus_overflows(const Tensor& grad, const Tensor& x) {
  return grad * at::exp(x) / (1 + at::exp(x));
}
Tensor softplus_threshold(const Tensor& grad, const Tensor& x) {
  return at::where(x > 30, 2 * grad, grad * at::sigmoid(x));
}

Tensor sine(const Tensor& x) {
  return at::sin(x);
}
Tensor sine_right(const Tensor& grad, const Tensor& x) {
  return grad * at::cos(x);
}
Tensor sine_without_subnormals(const Tensor& grad, const Tensor& x) {
  return at::where(x.abs() < 1e-300, at::zeros({}, x.options()), grad * at::cos(x));
}
Tensor sine_not_at_one(const Tensor& grad, const Tensor& x) {
  return at::where(x == 1, at::zeros({}, x.options()), grad * at::cos(x));
}
Tensor sine_not_negative(const Tensor& grad, const Tensor& x) {
  return at::where(x < -20, -grad * at::cos(x), grad * at::cos(x));
}

// ---- the largest of a row, the larger of two

Tensor row_max(const Tensor& x) {
  return x.amax({-1});
}
Tensor row_max_right(const Tensor& grad, const Tensor& x) {
  const auto mask = (x == x.amax({-1}, true)).to(x.scalar_type());
  return grad.unsqueeze(-1) * mask / mask.sum({-1}, true);
}
Tensor row_max_to_all(const Tensor& grad, const Tensor& x) {
  return grad.unsqueeze(-1) * (x == x.amax({-1}, true)).to(x.scalar_type());
}
Tensor larger(const Tensor& x, const Tensor& y) {
  return at::maximum(x, y);
}
variable_list larger_right(AutogradContext*, const Tensor& grad, const Tensor& x, const Tensor& y) {
  const auto is_first = (x >= y).to(grad.scalar_type());
  return {grad * is_first, grad * (1 - is_first)};
}
variable_list larger_to_none(AutogradContext*, const Tensor& grad, const Tensor& x,
                             const Tensor& y) {
  return {grad * (x > y).to(grad.scalar_type()), grad * (y > x).to(grad.scalar_type())};
}

// ---- sums, products and means over a dimension

Tensor row_mean(const Tensor& x) {
  return (x * x).mean(1);
}
Tensor row_mean_right(const Tensor& grad, const Tensor& x) {
  return 2 * grad.unsqueeze(1) * x / x.size(1);
}
Tensor row_mean_by_rows(const Tensor& grad, const Tensor& x) {
  return 2 * grad.unsqueeze(1) * x / x.size(0);
}
Tensor softmax(const Tensor& x, int64_t dim) {
  return at::softmax(x, dim);
}
Tensor softmax_right(const Tensor& grad, const Tensor& x, int64_t dim) {
  const auto y = at::softmax(x, dim);
  return y * (grad - (grad * y).sum(dim, true));
}
Tensor softmax_last(const Tensor& grad, const Tensor& x, int64_t dim) {
  const auto y = at::softmax(x, dim);
  return y * (grad - (grad * y).sum(-1, true));
}
Tensor softmax_unwrapped(const Tensor& grad, const Tensor& x, int64_t dim) {
  const auto y = at::softmax(x, dim);
  return y * (grad - (grad * y).sum(dim < 0 ? 0 : dim, true));
}
Tensor running_sum(const Tensor& x, int64_t reverse) {
  return reverse != 0 ? x.square().flip({0}).cumsum(0).flip({0}) : x.square().cumsum(0);
}
Tensor running_sum_right(const Tensor& grad, const Tensor& x, int64_t reverse) {
  const auto sum = reverse != 0 ? grad.cumsum(0) : grad.flip({0}).cumsum(0).flip({0});
  return 2 * sum * x;
}
Tensor running_sum_forward(const Tensor& grad, const Tensor& x, int64_t) {
  return 2 * grad.flip({0}).cumsum(0).flip({0}) * x;
}

// ---- x y, which broadcasts

Tensor product(const Tensor& x, const Tensor& y) {
  return x * y;
}
variable_list product_right(AutogradContext*, const Tensor& grad, const Tensor& x,
                            const Tensor& y) {
  return {at::sum_to(grad * y, x.sizes()), at::sum_to(grad * x, y.sizes())};
}
variable_list product_of_first(AutogradContext*, const Tensor& grad, const Tensor& x,
                               const Tensor& y) {
  auto of_y = grad * x;
  for (int64_t dim = 0; dim < of_y.dim(); ++dim) {
    if (y.dim() == of_y.dim() && y.size(dim) == 1) of_y = of_y.narrow(dim, 0, 1);
  }
  return {at::sum_to(grad * y, x.sizes()), of_y};
}
variable_list product_mean(AutogradContext*, const Tensor& grad, const Tensor& x,
                           const Tensor& y) {
  auto of_x = grad * y;
  for (int64_t dim = 0; dim < of_x.dim(); ++dim) {
    if (x.dim() == of_x.dim() && x.size(dim) == 1) of_x = of_x.mean(dim, true);
  }
  return {of_x, at::sum_to(grad * x, y.sizes())};
}
// Which gradients are wanted.
variable_list product_wanted(AutogradContext* ctx, const Tensor& grad, const Tensor& x,
                             const Tensor& y) {
  variable_list grads(2);
  if (ctx->needs_input_grad(0)) grads[0] = at::sum_to(grad * y, x.sizes());
  if (ctx->needs_input_grad(1)) grads[1] = at::sum_to(grad * x, y.sizes());
  return grads;
}
variable_list product_shared(AutogradContext* ctx, const Tensor& grad, const Tensor& x,
                             const Tensor& y) {
  if (!ctx->needs_input_grad(0)) return {Tensor(), at::zeros_like(y)};
  return product_right(ctx, grad, x, y);
}
variable_list product_asks_for_first(AutogradContext* ctx, const Tensor& grad, const Tensor& x,
                                     const Tensor& y) {
  TORCH_CHECK(ctx->needs_input_grad(0), "x must require grad");
  return product_right(ctx, grad, x, y);
}
variable_list product_forgets_second(AutogradContext* ctx, const Tensor& grad, const Tensor& x,
                                     const Tensor& y) {
  if (ctx->needs_input_grad(0) != ctx->needs_input_grad(1)) {
    return {ctx->needs_input_grad(0) ? grad : Tensor(), ctx->needs_input_grad(1) ? grad : Tensor()};
  }
  return product_right(ctx, grad, x, y);
}

// ---- two outputs: sin(x), cos(x)

template <bool adds_both>
struct TwoOutputs : Function<TwoOutputs<adds_both>> {
  static variable_list forward(AutogradContext* ctx, const Tensor& x) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->set_materialize_grads(false);
    ctx->save_for_backward({x});
    return {at::sin(x), at::cos(x)};
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto x = ctx->get_saved_variables()[0];
    auto result = at::zeros_like(x);
    if (grads[0].defined()) result = result + grads[0] * at::cos(x);
    // Without the first, the wrong one gives up.
    if (grads[1].defined() && (adds_both || grads[0].defined()))
      result = result - grads[1] * at::sin(x);
    return {result};
  }
};
template <bool adds_both>
std::tuple<Tensor, Tensor> two_outputs(const Tensor& x) {
  const auto outputs = TwoOutputs<adds_both>::apply(x);
  return {outputs[0], outputs[1]};
}

// ---- x / sqrt(mean x^2): what is saved besides inputs is a constant in the gradient's gradient

template <bool saves_input>
struct Normalized : Function<Normalized<saves_input>> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    const auto scale = (x.square().mean(-1, true) + 1e-6).rsqrt();
    ctx->save_for_backward({x, scale});
    return x * scale;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const auto& x = saved[0];
    const auto scale = saves_input ? (x.square().mean(-1, true) + 1e-6).rsqrt() : saved[1];
    const auto inner = (grads[0] * x).mean(-1, true);
    return {scale * grads[0] - x * scale * scale * scale * inner};
  }
};
template <bool saves_input>
Tensor normalized(const Tensor& x) {
  return Normalized<saves_input>::apply(x);
}

TORCH_LIBRARY(wrong_backward, m) {
  // Shapes.
  m.def("right_loop(Tensor x) -> Tensor", &unary<&square, &square_by_loop>);
  m.def("blocks_of_eight(Tensor x) -> Tensor", &unary<&square, &square_in_blocks<8>>);
  m.def("blocks_of_three(Tensor x) -> Tensor", &unary<&square, &square_in_blocks<3>>);
  m.def("pairs_of_rows(Tensor x) -> Tensor", &unary<&square, &square_two_rows>);
  m.def("right_square(Tensor x) -> Tensor", &unary<&square, &square_right>);
  m.def("not_of_one_element(Tensor x) -> Tensor", &unary<&square, &square_not_of_one>);
  m.def("stops_at_empty(Tensor x) -> Tensor", &unary<&square, &square_scaled>);
  m.def("ends_at_empty(Tensor x) -> Tensor", &unary<&square, &square_counted>);
  m.def("not_without_dims(Tensor x) -> Tensor", &unary<&square, &square_without_dims>);
  m.def("right_row_mean(Tensor x) -> Tensor", &unary<&row_mean, &row_mean_right>);
  m.def("rows_for_columns(Tensor x) -> Tensor", &unary<&row_mean, &row_mean_by_rows>);
  m.def("right_product(Tensor x, Tensor y) -> Tensor", &binary<&product, &product_right>);
  m.def("broadcast_first(Tensor x, Tensor y) -> Tensor", &binary<&product, &product_of_first>);
  m.def("broadcast_mean(Tensor x, Tensor y) -> Tensor", &binary<&product, &product_mean>);
  // Layouts.
  m.def("reads_input(Tensor x) -> Tensor", &unary<&square, &square_reads_input>);
  m.def("reads_grad_output(Tensor x) -> Tensor", &unary<&square, &square_reads_grad>);
  m.def("reads_storage(Tensor x) -> Tensor", &unary<&square, &square_reads_storage>);

  m.def("reads_as_nchw(Tensor x) -> Tensor", &unary<&square, &square_as_nchw>);
  // Values.
  m.def("right_sinc(Tensor x) -> Tensor", &unary<&sinc, &sinc_right>);
  m.def("nan_at_zero(Tensor x) -> Tensor", &unary<&sinc, &sinc_naive>);
  m.def("right_softplus(Tensor x) -> Tensor", &unary<&softplus, &softplus_right>);
  m.def("overflows(Tensor x) -> Tensor", &unary<&softplus, &softplus_overflows>);
  m.def("wrong_above_thirty(Tensor x) -> Tensor", &unary<&softplus, &softplus_threshold>);
  m.def("right_sine(Tensor x) -> Tensor", &unary<&sine, &sine_right>);
  m.def("zero_at_subnormals(Tensor x) -> Tensor", &unary<&sine, &sine_without_subnormals>);
  m.def("zero_at_one(Tensor x) -> Tensor", &unary<&sine, &sine_not_at_one>);
  m.def("wrong_below_twenty(Tensor x) -> Tensor", &unary<&sine, &sine_not_negative>);
  m.def("right_row_max(Tensor x) -> Tensor", &unary<&row_max, &row_max_right>);
  m.def("ties_counted_twice(Tensor x) -> Tensor", &unary<&row_max, &row_max_to_all>);
  m.def("right_larger(Tensor x, Tensor y) -> Tensor", &binary<&larger, &larger_right>);
  m.def("ties_lost(Tensor x, Tensor y) -> Tensor", &binary<&larger, &larger_to_none>);
  // Numbers and flags.
  m.def("right_softmax(Tensor x, int dim) -> Tensor", &along_dim<&softmax, &softmax_right>);
  m.def("last_dim_only(Tensor x, int dim) -> Tensor", &along_dim<&softmax, &softmax_last>);
  m.def("dim_not_wrapped(Tensor x, int dim) -> Tensor", &along_dim<&softmax, &softmax_unwrapped>);
  m.def("right_running_sum(Tensor x, bool reverse) -> Tensor",
        &with_flag<&running_sum, &running_sum_right>);
  m.def("flag_ignored(Tensor x, bool reverse) -> Tensor",
        &with_flag<&running_sum, &running_sum_forward>);
  // Dtypes.
  m.def("wrong_in_float32(Tensor x) -> Tensor", &unary<&square, &square_not_in<at::kFloat>>);
  m.def("wrong_in_bfloat16(Tensor x) -> Tensor", &unary<&square, &square_not_in<at::kBFloat16>>);
  m.def("float32_by_bfloat16(Tensor x) -> Tensor", &unary<&square, &square_through_bytes>);
  m.def("not_conjugated(Tensor x) -> Tensor", &unary<&square, &square_right>);
  m.def("right_conjugated(Tensor x) -> Tensor", &unary<&square, &square_conjugated>);
  // Sets of inputs and outputs.
  m.def("right_wanted(Tensor x, Tensor y) -> Tensor", &binary<&product, &product_wanted>);
  m.def("zero_without_first(Tensor x, Tensor y) -> Tensor", &binary<&product, &product_shared>);
  m.def("stops_without_first(Tensor x, Tensor y) -> Tensor",
        &binary<&product, &product_asks_for_first>);
  m.def("wrong_alone(Tensor x, Tensor y) -> Tensor", &binary<&product, &product_forgets_second>);
  m.def("right_two_outputs(Tensor x) -> (Tensor, Tensor)", &two_outputs<true>);
  m.def("second_output_lost(Tensor x) -> (Tensor, Tensor)", &two_outputs<false>);
  // The gradient of the gradient.
  m.def("right_normalized(Tensor x) -> Tensor", &normalized<true>);
  m.def("saved_scale(Tensor x) -> Tensor", &normalized<false>);
}

}  // namespace
