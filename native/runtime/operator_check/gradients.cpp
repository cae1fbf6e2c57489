#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include <optional>

#include "runtime/operator_check/call_with_graph.h"
#include "runtime/operator_check/checking_allocator.h"
#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/process/forked_call.h"

namespace opsmith {
namespace {

// What ends the process is gradcheck's to say: such a backward counts as one that refuses.
class Recorded {
 public:
  explicit Recorded(const OperatorCall& call) : Recorded(call, call.fresh()) {}

  Recorded(const OperatorCall& call, Tensors given)
      : recorded_([&call](const Tensors& inputs) { return call.run(inputs); }, std::move(given)) {
    if (recorded_.outputs().empty()) return;
    const auto tried = run_forked(
        [&] {
          recorded_.backward(recorded_.grad_outputs());
          return std::string();
        },
        patience);
    ends_ = tried.end != ForkedOutcome::End::answered;
  }

  const Tensors& inputs() const { return recorded_.inputs(); }
  Tensors grad_outputs() const { return ends_ ? Tensors() : recorded_.grad_outputs(); }
  std::optional<Tensors> backward(const Tensors& grads) const {
    return ends_ ? std::nullopt : recorded_.backward(grads);
  }

 private:
  CallWithGraph recorded_;
  bool ends_ = false;
};

Tensors copies_of(const Tensors& tensors) {
  Tensors copies;
  for (const auto& tensor : tensors)
    copies.push_back(tensor.detach().clone(at::MemoryFormat::Contiguous));
  return copies;
}

// What differs between gradients of the same inputs, where both have one.
std::optional<OperatorCheckFinding> gradient_finding(const std::optional<Tensors>& actual,
                                                     const std::optional<Tensors>& expected) {
  if (!actual || !expected) return std::nullopt;  // it may refuse what it cannot read
  Tensors left, right;
  for (size_t i = 0; i < expected->size(); ++i) {
    if (!(*expected)[i].defined() || !(*actual)[i].defined()) continue;
    left.push_back((*actual)[i]);
    right.push_back((*expected)[i]);
  }
  auto found = difference(left, right, "");
  const std::string output = " output ";
  // What differs is a gradient.
  if (const auto at = found ? found->reason.find(output) : std::string::npos;
      at != std::string::npos) {
    found->reason.replace(at, output.size(), " gradient ");
  }
  return found;
}

// The same values in memory of another order.
at::Tensor transposed(const at::Tensor& grad) {
  if (grad.dim() < 2) return {};
  return grad.transpose(-1, -2).contiguous().transpose(-1, -2);
}

// One value for all elements, as the gradient of a sum is. The memory behind it is as large as a
// contiguous gradient's: who reads it in row-major order reads wrong values, not past its end.
at::Tensor expanded(const at::Tensor& grad) {
  if (grad.numel() < 2) return {};
  const auto memory = at::arange(1, grad.numel() + 1, grad.options().dtype(at::kDouble));
  return memory.to(grad.scalar_type())
      .as_strided(grad.sizes(), std::vector<int64_t>(static_cast<size_t>(grad.dim()), 0));
}

}  // namespace

std::optional<OperatorCheckFinding> gradient_mutation_fault(const OperatorCall& call) {
  const Recorded recorded(call);
  const auto grads = recorded.grad_outputs();
  const auto kept = recorded.grad_outputs();
  Tensors inputs;
  for (const auto& input : recorded.inputs())
    inputs.push_back(input.detach().clone());
  if (!recorded.backward(grads)) return std::nullopt;
  const auto fault = [](const std::string& name, const at::Tensor& tensor, int64_t flat) {
    auto finding = failed(
        "backward wrote to element " + index_text(index_of(tensor, flat)) + " of " + name,
        "Work on a copy (grad * 2, not grad.mul_(2)): other operators share this tensor, and their "
        "gradients become wrong.");
    finding.index = index_of(tensor, flat);
    return finding;
  };
  for (size_t o = 0; o < grads.size(); ++o) {
    if (const auto flat = first_difference(grads[o], kept[o])) {
      return fault("grad_output", grads[o], *flat);
    }
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (const auto flat = first_difference(recorded.inputs()[i], inputs[i])) {
      auto finding = fault(call.tensors()[i].name, inputs[i], *flat);
      finding.input = call.tensors()[i].name;
      return finding;
    }
  }
  return std::nullopt;
}

std::optional<OperatorCheckFinding> gradient_layout_fault(const OperatorCall& call) {
  const Recorded recorded(call);
  struct Layout {
    const char* name;
    at::Tensor (*make)(const at::Tensor&);
  };
  constexpr Layout layouts[] = {{"transposed", transposed},
                                {"expanded (stride 0), as from sum()", expanded}};
  const auto contiguous = recorded.grad_outputs();
  for (size_t o = 0; o < contiguous.size(); ++o) {
    for (const auto& layout : layouts) {
      auto grads = contiguous, plain = contiguous;
      grads[o] = layout.make(contiguous[o]);
      if (!grads[o].defined()) continue;
      plain[o] = grads[o].clone(at::MemoryFormat::Contiguous);
      const auto expected = recorded.backward(copies_of(plain));
      const auto wrong = gradient_finding(recorded.backward(grads), expected);
      if (!wrong) continue;
      // The same values in plain memory once more: else it is no layout that makes the difference.
      if (gradient_finding(recorded.backward(copies_of(plain)), expected))
        return gradient_repeat_fault(call);
      auto finding = failed(std::string("with grad_output ") + layout.name +
                                ", the gradients differ:" + wrong->reason,
                            "Backward reads grad_output as if grad_output were contiguous. Call "
                            "grad_output.contiguous() first, or use the strides.");
      finding.index = wrong->index;
      return finding;
    }
  }
  return std::nullopt;
}

std::optional<OperatorCheckFinding> gradient_repeat_fault(const OperatorCall& call) {
  const Recorded recorded(call);
  const auto grads = recorded.grad_outputs(), others = recorded.grad_outputs();
  const auto first = recorded.backward(grads);
  if (const auto wrong = gradient_finding(recorded.backward(others), first)) {
    return failed("two backward calls with the same grad_output differ:" + wrong->reason,
                  "Backward reads memory that was never written, or data that the first call "
                  "changed. Read only grad_output and the saved tensors, and do not change them.");
  }
  // Other values at the same address.
  {
    const at::NoGradGuard unrecorded;
    for (const auto& grad : grads)
      grad.mul_(-0.5);
  }
  const auto copies = copies_of(grads);
  const auto actual = recorded.backward(grads);
  if (const auto wrong = gradient_finding(actual, recorded.backward(copies))) {
    return failed(
        "if grad_output was changed in place after an earlier backward call, backward is wrong:" +
            wrong->reason,
        "Do not use an address (data_ptr()) as a cache key: memory is reused for other tensors.");
  }
  return std::nullopt;
}

std::optional<OperatorCheckFinding> gradient_unwritten_fault(const OperatorCall& call) {
  const Recorded recorded(call);
  const auto grads = recorded.grad_outputs();
  const auto run_with = [&](uint8_t fill) {
    const CheckingAllocation checking(fill);
    auto gradients = recorded.backward(grads);
    for (size_t i = 0; gradients && i < gradients->size(); ++i) {
      if ((*gradients)[i].defined()) (*gradients)[i] = (*gradients)[i].contiguous();
    }
    return gradients;
  };
  const auto first = run_with(0x5A), second = run_with(0xA5);
  const auto again = run_with(0x5A), second_again = run_with(0xA5);
  if (!first || !second || !again || !second_again) return std::nullopt;
  size_t next = 0;
  for (size_t i = 0; i < recorded.inputs().size(); ++i) {
    if (!recorded.inputs()[i].requires_grad()) continue;
    const auto& one = (*first)[next];
    const auto& other = (*second)[next];
    const auto& one_again = (*again)[next];
    const auto& other_again = (*second_again)[next++];
    if (!one.defined() || !other.defined() || one.sizes() != other.sizes()) continue;
    if (!same_bits(one, one_again) || !same_bits(other, other_again)) continue;
    const auto flat = first_difference(one, other);
    if (!flat) continue;
    const auto& name = call.tensors()[i].name;
    auto finding =
        failed("element " + index_text(index_of(one, *flat)) + " of the gradient of " + name +
                   " depends on old contents of memory: backward never wrote the element, or "
                   "computed it from memory that was never written",
               "Write every element, or start from at::zeros instead of at::empty.");
    finding.input = name;
    finding.index = index_of(one, *flat);
    return finding;
  }
  return std::nullopt;
}

std::optional<OperatorCheckFinding> gradient_precision_fault(const OperatorCall& call) {
  const Recorded recorded(call, call.map([](const at::Tensor& tensor) {
    auto copy = tensor.detach().clone();
    if (copy.is_floating_point()) copy = copy.to(at::kDouble);
    return tensor.requires_grad() ? copy.requires_grad_() : copy;
  }));
  const auto gradients = recorded.backward(recorded.grad_outputs());
  if (!gradients) return std::nullopt;
  size_t next = 0;
  for (size_t i = 0; i < recorded.inputs().size(); ++i) {
    if (!recorded.inputs()[i].requires_grad()) continue;
    const auto& gradient = (*gradients)[next++];
    if (!gradient.defined() || gradient.scalar_type() != at::kDouble) continue;
    if (computed_precision(gradient).value_or(at::kDouble) == at::kDouble) continue;
    auto finding =
        failed("every element of the gradient of " + call.tensors()[i].name +
                   " fits float32 exactly: for a float64 input, backward computes in float32, or "
                   "returns float32, which the autograd engine casts silently",
               "Compute the gradient in the dtype of its input: look for float, 1.0f and casts.");
    finding.input = call.tensors()[i].name;
    return finding;
  }
  return std::nullopt;
}

}  // namespace opsmith
