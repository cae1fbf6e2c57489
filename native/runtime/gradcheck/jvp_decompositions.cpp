#include "runtime/gradcheck/jvp_decompositions.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/runtime/decomposition_registry.h>
#include <torch/jit.h>

namespace opsmith {
namespace {

// A function for each operator, by the operator's name and with its arguments. A gradient that
// output_mask does not ask for is computed all the same: libtorch can take no None there.
//
// softmax, y = softmax(x):       dx = y (g - sum(g y))
// log_softmax, y = log_softmax:  dx = g - exp(y) sum(g)
// nll_loss, -w[t] x[t]:          dx[t] = -w[t] g, divided by the sum of the weights for a mean
// normalization, x^ = (x - m) r, r = 1/sqrt(var + eps), y = w x^ + b, with means over what is
// normalized: dx = r (h - mean(h) - x^ mean(h x^)) of h = w g, dw = sum(g x^), db = sum(g)
//
// Saved means and deviations carry no tangent of the input: they are computed again. layer_norm's
// eps is no argument of its backward; it is what the saved deviation says, taken as a constant.
constexpr const char* source = R"(
def _softmax_backward_data(grad_output, output, dim: int, input_dtype: int):
    weighted = grad_output * output
    return (weighted - output * weighted.sum([dim], keepdim=True)).to(input_dtype)

def _log_softmax_backward_data(grad_output, output, dim: int, input_dtype: int):
    return (grad_output - output.exp() * grad_output.sum([dim], keepdim=True)).to(input_dtype)

def nll_loss_backward(grad_output, self, target, weight: Optional[Tensor], reduction: int,
                      ignore_index: int, total_weight):
    classes = 0 if self.dim() < 2 else 1
    if self.dim() == 1:
        target = target.reshape([])
    ignored = target == ignore_index
    index = target.masked_fill(ignored, 0)
    gradient = -grad_output / total_weight if reduction == 1 else -grad_output
    if weight is not None:
        gradient = gradient * weight.take(index)
    gradient = torch.where(ignored, torch.zeros_like(gradient), gradient)
    return torch.zeros_like(self).scatter(classes, index.unsqueeze(classes),
                                          gradient.expand_as(index).unsqueeze(classes))

def nll_loss2d_backward(grad_output, self, target, weight: Optional[Tensor], reduction: int,
                        ignore_index: int, total_weight):
    return nll_loss_backward(grad_output, self, target, weight, reduction, ignore_index,
                             total_weight)

def through_statistics(gradient, normalized, deviation, dims: List[int]):
    along = normalized * (gradient * normalized).mean(dims, keepdim=True)
    return deviation * (gradient - gradient.mean(dims, keepdim=True) - along)

def native_layer_norm_backward(grad_out, input, normalized_shape: List[int], mean, rstd,
                               weight: Optional[Tensor], bias: Optional[Tensor],
                               output_mask: List[bool]):
    first = input.dim() - len(normalized_shape)
    inner: List[int] = []
    outer: List[int] = []
    for dim in range(input.dim()):
        if dim < first:
            outer.append(dim)
        else:
            inner.append(dim)
    centered = input - input.mean(inner, keepdim=True)
    variance = (centered * centered).mean(inner, keepdim=True)
    eps = (rstd.pow(-2) - variance).detach()
    deviation = (variance + eps).rsqrt()
    normalized = centered * deviation
    weighted = grad_out
    if weight is not None:
        weighted = grad_out * weight
    grad_input = through_statistics(weighted, normalized, deviation, inner)
    grad_weight = grad_out * normalized
    grad_bias = grad_out
    # Over no dimensions at all, sum() would sum over every one.
    if first > 0:
        grad_weight = grad_weight.sum(outer)
        grad_bias = grad_bias.sum(outer)
    return grad_input, grad_weight, grad_bias

def batch_norm_gradients(grad_out, input, weight: Optional[Tensor], running_mean: Optional[Tensor],
                         running_var: Optional[Tensor], train: bool, eps: float):
    shape: List[int] = []
    dims: List[int] = []
    for dim in range(input.dim()):
        shape.append(input.size(1) if dim == 1 else 1)
        if dim != 1:
            dims.append(dim)
    if train:
        centered = input - input.mean(dims, keepdim=True)
        deviation = ((centered * centered).mean(dims, keepdim=True) + eps).rsqrt()
    else:
        assert running_mean is not None and running_var is not None
        centered = input - running_mean.reshape(shape)
        deviation = (running_var.reshape(shape) + eps).rsqrt()
    normalized = centered * deviation
    weighted = grad_out
    if weight is not None:
        weighted = grad_out * weight.reshape(shape)
    grad_input = weighted * deviation
    if train:
        grad_input = through_statistics(weighted, normalized, deviation, dims)
    return grad_input, (grad_out * normalized).sum(dims), grad_out.sum(dims)

def native_batch_norm_backward(grad_out, input, weight: Optional[Tensor],
                               running_mean: Optional[Tensor], running_var: Optional[Tensor],
                               save_mean: Optional[Tensor], save_invstd: Optional[Tensor],
                               train: bool, eps: float, output_mask: List[bool]):
    return batch_norm_gradients(grad_out, input, weight, running_mean, running_var, train, eps)

def batch_norm_backward(grad_out, input, weight, running_mean: Optional[Tensor],
                        running_var: Optional[Tensor], save_mean: Optional[Tensor],
                        save_var: Optional[Tensor], update: bool, eps: float,
                        output_mask: List[bool], reserve):
    return batch_norm_gradients(grad_out, input, weight, running_mean, running_var, update, eps)

def cudnn_batch_norm_backward(input, grad_output, weight, running_mean: Optional[Tensor],
                              running_var: Optional[Tensor], save_mean: Optional[Tensor],
                              save_var: Optional[Tensor], epsilon: float, reserveSpace):
    return batch_norm_gradients(grad_output, input, weight, running_mean, running_var, True, epsilon)

def miopen_batch_norm_backward(input, grad_output, weight, running_mean: Optional[Tensor],
                               running_var: Optional[Tensor], save_mean: Optional[Tensor],
                               save_var: Optional[Tensor], epsilon: float):
    return batch_norm_gradients(grad_output, input, weight, running_mean, running_var, True, epsilon)
)";

constexpr const char* operators[] = {
    "_softmax_backward_data", "_log_softmax_backward_data", "nll_loss_backward",
    "nll_loss2d_backward",    "native_layer_norm_backward", "native_batch_norm_backward",
    "batch_norm_backward",    "cudnn_batch_norm_backward",  "miopen_batch_norm_backward",
};

bool register_all() {
  const auto unit = torch::jit::compile(source);
  for (const char* name : operators) {
    const auto op =
        c10::Dispatcher::singleton().findSchemaOrThrow((std::string("aten::") + name).c_str(), "");
    torch::jit::RegisterDecomposition(
        op.schema(), torch::jit::toGraphFunction(unit->get_function(name)).graph());
  }
  return true;
}

}  // namespace

void register_jvp_decompositions() {
  [[maybe_unused]] static const bool registered = register_all();
}

}  // namespace opsmith
