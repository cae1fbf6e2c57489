#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/gradient_case.h"

namespace opsmith {
namespace {

using Finding = std::optional<OperatorCheckFinding>;

struct AnswerInLayout {
  Tensors outputs, gradients;
};

// Leaves that lie in memory as `inputs` do. nullopt where the operator refuses.
std::optional<AnswerInLayout> evaluated(const GradientCase& given, const Tensors& inputs,
                                        const std::function<void(Tensors&)>& change_grad_outputs) {
  Tensors leaves;
  for (const auto& input : inputs)
    leaves.push_back(input.detach());
  for (const size_t place : given.wanted)
    leaves[place].requires_grad_();
  const CallWithGraph recorded(given.function, leaves);
  if (!recorded.error().empty() || recorded.outputs().empty()) return std::nullopt;
  auto grads = recorded.grad_outputs();
  change_grad_outputs(grads);
  const auto gradients = recorded.backward(grads);
  if (!gradients) return std::nullopt;
  return AnswerInLayout{recorded.outputs(), defined_gradients(*gradients, leaves, given.wanted)};
}

Finding finding_of(const GradientCase& given, const GradientMismatch& mismatch,
                   const std::string& tensor, const std::string& layout) {
  auto finding = mismatch_finding(given, mismatch, "with " + tensor + " " + layout + ": ",
                                  "with the same values in contiguous memory");
  // A tensor with an offset may be contiguous: contiguous() would not copy it.
  const std::string misread =
      layout == "offset by 1"
          ? "Backward ignores the storage offset, which data_ptr() includes: call clone() on "
          : "Backward reads memory in order and ignores the strides: call contiguous() on ";
  finding.advice = misread + tensor + " in backward" +
                   (tensor == "grad_output" ? "." : ", or in forward before you save the tensor.");
  return finding;
}

// Views that are to be negated or conjugated when they are read are seldom given to a backward, and
// most of those that are right for all others do not expect them.
bool is_lazy(const at::Tensor& tensor) {
  return tensor.is_neg() || tensor.is_conj();
}

class Layouts {
 public:
  explicit Layouts(const GradientCase& given) : given_(given) {}

  Finding of_input(size_t place) {
    for (const auto& [layout, changed] : other_layouts(given_.inputs[place].detach())) {
      auto inputs = given_.inputs, plain = inputs;
      if (is_lazy(changed)) continue;
      inputs[place] = changed;
      plain[place] = changed.resolve_conj().resolve_neg().contiguous().clone();
      const auto& name = given_.names[place];
      if (auto fault = compared(inputs, plain, nothing, nothing, name, layout)) return fault;
    }
    return std::nullopt;
  }

  Finding of_grad_output(size_t output, const at::Tensor& like) {
    for (const auto& [layout, changed] : other_layouts(like)) {
      if (is_lazy(changed)) continue;
      const auto change = [&, &made = changed](Tensors& grads) { grads.at(output) = made; };
      const auto straighten = [&, &made = changed](Tensors& grads) {
        grads.at(output) = made.resolve_conj().resolve_neg().contiguous().clone();
      };
      if (auto fault =
              compared(given_.inputs, given_.inputs, change, straighten, "grad_output", layout)) {
        return fault;
      }
    }
    return std::nullopt;
  }

  bool has_compared() const { return has_compared_; }

 private:
  using Change = std::function<void(Tensors&)>;
  static void nothing(Tensors&) {}

  Finding compared(const Tensors& inputs, const Tensors& plain, const Change& change,
                   const Change& straighten, const std::string& tensor, const std::string& layout) {
    const auto expected = evaluated(given_, plain, straighten);
    const auto actual = evaluated(given_, inputs, change);
    if (!expected || !actual) return std::nullopt;
    // What forward misreads is for the layouts of forward.
    if (difference(actual->outputs, expected->outputs, "")) return std::nullopt;
    has_compared_ = true;
    const double tolerance = given_.fineness.epsilon > 1e-10 ? 1e-3 : 1e-6;
    const auto mismatch =
        gradient_difference(actual->gradients, expected->gradients, given_.wanted, tolerance);
    if (!mismatch) return std::nullopt;
    // The same values in plain memory once more: else it is no layout that makes the difference.
    const auto again = evaluated(given_, plain, straighten);
    if (!again ||
        gradient_difference(again->gradients, expected->gradients, given_.wanted, tolerance)) {
      return std::nullopt;
    }
    // Nor is it one where the gradient hangs on the last digits, as near a singular matrix.
    auto nearly = plain;
    for (const size_t place : given_.wanted)
      nearly[place] = plain[place].detach() * (1 + 64 * given_.fineness.epsilon);
    const auto near = evaluated(given_, nearly, straighten);
    if (!near ||
        gradient_difference(near->gradients, expected->gradients, given_.wanted, 0.1 * tolerance)) {
      return std::nullopt;
    }
    return finding_of(given_, *mismatch, tensor, layout);
  }

  const GradientCase& given_;
  bool has_compared_ = false;
};

OperatorCheckFinding check_gradient_layouts(const OperatorCall& call) {
  const auto given = gradient_case(call);
  if (!given.skip.empty()) return skipped(given.skip);
  if (auto fault = gradient_layout_fault(call)) return *fault;
  Layouts layouts(given);
  for (size_t i = 0; i < given.inputs.size(); ++i) {
    // What returns a view of an input goes by the input's strides, as as_strided does.
    if (!call.tensors()[i].alias.empty()) continue;
    if (auto fault = layouts.of_input(i)) return *fault;
  }
  const CallWithGraph recorded(given.function, leaves_of(given.inputs, given.wanted));
  const auto grads = recorded.grad_outputs();
  for (size_t o = 0; o < grads.size(); ++o) {
    if (auto fault = layouts.of_grad_output(o, grads[o])) return *fault;
  }
  if (!layouts.has_compared())
    return skipped("no input and no grad_output can have another layout");
  return passed("the gradients are the same for each layout of inputs and grad_output");
}

const RegisteredCheck gradient_layouts_check({
    .name = "gradient_layouts",
    .title = "gradient layouts",
    .meaning = "Gradients are right if inputs or grad_output are transposed, stepped (x[::2]), "
               "offset (x[1:]) or expanded",
    .order = 54,
    .run = check_gradient_layouts,
    .other_shapes = true,
    .compares_calls = true,
    .after = "gradients",
});

}  // namespace
}  // namespace opsmith
