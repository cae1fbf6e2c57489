#include "runtime/timing/flop_count.h"

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace opsmith {
namespace {

using Values = std::vector<c10::IValue>;
using Formula = std::function<int64_t(const Values& inputs, const at::Tensor& output)>;

// The sizes and strides of a sparse or an opaque tensor do not tell what is computed.
bool is_dense(const c10::IValue& value) {
  return value.isTensor() && value.toTensor().defined() &&
         value.toTensor().layout() == at::kStrided;
}

bool counts(const c10::IValue& value) {
  return is_dense(value) && (value.toTensor().is_floating_point() || value.toTensor().is_complex());
}

// Each element of the output is a sum over the first operand's last dimension.
Formula product(size_t first) {
  return [first](const Values& inputs, const at::Tensor& output) {
    return 2 * output.numel() * inputs[first].toTensor().sizes().back();
  };
}

int64_t dot(const Values& inputs, const at::Tensor&) {
  return 2 * inputs[0].toTensor().numel();
}

// Input, weight, bias, stride, padding, dilation, transposed; the weight's second dimension is one
// group's.
int64_t convolution(const Values& inputs, const at::Tensor& output) {
  const auto& weight = inputs[1].toTensor();
  const bool transposed = inputs[6].toBool();
  const auto& places = transposed ? inputs[0].toTensor() : output;
  // An element of the output, or of the input where transposed, takes part in one filter's sums.
  return 2 * places.numel() * (weight.numel() / std::max<int64_t>(1, weight.size(0)));
}

// Query, key, value: softmax(query key^T) value, over the last two dimensions.
int64_t attention(const Values& inputs, const at::Tensor& output) {
  const auto &query = inputs[0].toTensor(), &key = inputs[1].toTensor();
  const int64_t keys = key.size(-2);
  return 2 * query.numel() * keys + 2 * output.numel() * keys;
}

struct Counted {
  size_t operands;  // the first so many tensors must be dense
  Formula formula;
};

const std::map<std::string, Counted>& counted() {
  static const std::map<std::string, Counted> all = {
      {"aten::mm", {2, product(0)}},
      {"aten::bmm", {2, product(0)}},
      {"aten::mv", {2, product(0)}},
      {"aten::dot", {2, dot}},
      {"aten::vdot", {2, dot}},
      {"aten::addmm", {3, product(1)}},
      {"aten::addmv", {3, product(1)}},
      {"aten::baddbmm", {3, product(1)}},
      {"aten::convolution", {2, convolution}},
      {"aten::_convolution", {2, convolution}},
      {"aten::scaled_dot_product_attention", {3, attention}},
  };
  return all;
}

// Work of an amount that is not told by shapes, or not here.
bool is_uncountable(const std::string& name) {
  static const std::set<std::string> elsewhere = {
      // Elementwise, or made of calls that are seen themselves.
      "aten::linalg_cross",  "aten::linalg_diagonal",     "aten::linalg_matmul",
      "aten::linalg_norm",   "aten::linalg_matrix_norm",  "aten::linalg_multi_dot",
      "aten::linalg_vecdot", "aten::linalg_matrix_power", "aten::linalg_vector_norm"};
  static const std::array<const char*, 12> beginnings = {
      "aten::linalg_",
      "aten::_linalg_",
      "aten::_fft_",
      "aten::cholesky",
      "aten::triangular_solve",
      "aten::lu_solve",
      "aten::convolution_backward",
      "aten::mkldnn_rnn_layer",
      "aten::_cdist",
      "aten::_flash_attention",
      "aten::_efficient_attention",
      "aten::_scaled_",
  };
  return elsewhere.count(name) == 0 &&
         std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const char* one) { return name.rfind(one, 0) == 0; });
}

struct Count {
  int64_t flops = 0;
  bool known = true;
  int inside = 0;  // of counted calls: what they call in turn is theirs
};
thread_local Count* count = nullptr;

// Of a counted call. What it is given can be had at its beginning only, what it gives at its end.
struct Inside : at::ObserverContext {
  const Counted* call = nullptr;
  Values inputs;
};

// TorchScript's calls come with its whole stack, of which the end is the call's.
template <typename Range>
Values last(const Range& values, size_t many) {
  return Values(values.end() - static_cast<ptrdiff_t>(std::min(values.size(), many)), values.end());
}

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& call) {
  if (count == nullptr) return nullptr;  // a thread that took callbacks over from this one
  std::string name = call.name();
  if (name.back() == '_') name.pop_back();  // in place: as much work
  const auto found = counted().find(name);
  if (found == counted().end()) {
    if (count->inside == 0 && is_uncountable(name)) count->known = false;
    return nullptr;
  }
  auto inside = std::make_unique<Inside>();
  inside->call = &found->second;
  if (++count->inside == 1) inside->inputs = last(call.inputs(), call.num_inputs());
  return inside;
}

void end(const at::RecordFunction& call, at::ObserverContext* context) {
  if (context == nullptr || --count->inside > 0) return;
  const auto* made = static_cast<Inside*>(context)->call;
  const auto& inputs = static_cast<Inside*>(context)->inputs;
  const auto outputs = last(call.outputs(), call.num_outputs());
  // A call that threw has no output.
  if (inputs.size() < made->operands || outputs.empty() || !is_dense(outputs.front())) {
    count->known = false;
    return;
  }
  for (size_t i = 0; i < made->operands; ++i) {
    if (!is_dense(inputs[i])) count->known = false;
  }
  if (count->known && counts(outputs.front()))
    count->flops += made->formula(inputs, outputs.front().toTensor());
}

}  // namespace

int64_t count_flops(const std::function<void()>& work) {
  Count here;
  count = &here;
  const auto handle = at::addThreadLocalCallback(at::RecordFunctionCallback(begin, end)
                                                     .needsInputs(true)
                                                     .needsOutputs(true)
                                                     .scopes({at::RecordScope::FUNCTION}));
  struct Removal {
    at::CallbackHandle handle;
    ~Removal() {
      at::removeCallback(handle);
      count = nullptr;
    }
  };
  const Removal removal{handle};
  work();
  return here.known ? here.flops : 0;
}

}  // namespace opsmith
