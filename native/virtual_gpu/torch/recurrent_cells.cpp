#include "recurrent_cells.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/zeros_like.h>
#include <ATen/TensorOperators.h>

namespace opsmith::gpu {
namespace {

constexpr int64_t features = 1;  // the dimension of a cell's gates

at::Tensor with_bias(const at::Tensor& gates, const OptionalTensor& bias) {
  return bias && bias->defined() ? gates + *bias : gates;
}

at::Tensor or_zeros(const OptionalTensor& gradient, const at::Tensor& like) {
  return gradient && gradient->defined() ? *gradient : at::zeros_like(like);
}

at::Tensor of_sigmoid(const at::Tensor& y) {
  return y * (1 - y);
}
at::Tensor of_tanh(const at::Tensor& y) {
  return 1 - y * y;
}

}  // namespace

std::tuple<at::Tensor, at::Tensor, at::Tensor> lstm_cell(const at::Tensor& input_gates,
                                                         const at::Tensor& hidden_gates,
                                                         const at::Tensor& cx,
                                                         const OptionalTensor& input_bias,
                                                         const OptionalTensor& hidden_bias) {
  const auto gates = (with_bias(input_gates, input_bias) + with_bias(hidden_gates, hidden_bias))
                         .chunk(4, features);
  const auto in = gates[0].sigmoid(), forget = gates[1].sigmoid();
  const auto cell = gates[2].tanh(), out = gates[3].sigmoid();
  const auto cy = forget * cx + in * cell;
  return {out * cy.tanh(), cy, at::cat({in, forget, cell, out}, features)};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> lstm_cell_backward(
    const OptionalTensor& grad_hy, const OptionalTensor& grad_cy, const at::Tensor& cx,
    const at::Tensor& cy, const at::Tensor& workspace, bool has_bias) {
  const auto gates = workspace.chunk(4, features);
  const auto &in = gates[0], &forget = gates[1], &cell = gates[2], &out = gates[3];
  const auto dh = or_zeros(grad_hy, cy);
  const auto tanh_cy = cy.tanh();
  const auto dc = or_zeros(grad_cy, cy) + dh * out * of_tanh(tanh_cy);
  const auto grad_gates = at::cat({dc * cell * of_sigmoid(in), dc * cx * of_sigmoid(forget),
                                   dc * in * of_tanh(cell), dh * tanh_cy * of_sigmoid(out)},
                                  features);
  return {grad_gates, dc * forget, has_bias ? grad_gates.sum(0) : at::Tensor()};
}

std::tuple<at::Tensor, at::Tensor> gru_cell(const at::Tensor& input_gates,
                                            const at::Tensor& hidden_gates, const at::Tensor& hx,
                                            const OptionalTensor& input_bias,
                                            const OptionalTensor& hidden_bias) {
  const auto from_input = with_bias(input_gates, input_bias).chunk(3, features);
  const auto from_hidden = with_bias(hidden_gates, hidden_bias).chunk(3, features);
  const auto reset = (from_input[0] + from_hidden[0]).sigmoid();
  const auto update = (from_input[1] + from_hidden[1]).sigmoid();
  const auto fresh = (from_input[2] + reset * from_hidden[2]).tanh();
  return {fresh + update * (hx - fresh),
          at::cat({reset, update, fresh, hx, from_hidden[2]}, features)};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor> gru_cell_backward(
    const at::Tensor& grad_hy, const at::Tensor& workspace, bool has_bias) {
  const auto kept = workspace.chunk(5, features);
  const auto &reset = kept[0], &update = kept[1], &fresh = kept[2], &hx = kept[3],
             &hidden = kept[4];
  const auto d_update = grad_hy * (hx - fresh) * of_sigmoid(update);
  const auto d_fresh = grad_hy * (1 - update) * of_tanh(fresh);
  const auto d_reset = d_fresh * hidden * of_sigmoid(reset);
  const auto grad_input = at::cat({d_reset, d_update, d_fresh}, features);
  const auto grad_hidden = at::cat({d_reset, d_update, d_fresh * reset}, features);
  if (!has_bias) return {grad_input, grad_hidden, grad_hy * update, at::Tensor(), at::Tensor()};
  return {grad_input, grad_hidden, grad_hy * update, grad_input.sum(0), grad_hidden.sum(0)};
}

}  // namespace opsmith::gpu
