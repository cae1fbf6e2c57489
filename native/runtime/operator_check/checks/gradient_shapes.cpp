#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/gradient_case.h"

namespace opsmith {
namespace {

using Finding = std::optional<OperatorCheckFinding>;

struct Shaped {
  std::string name;
  Tensors inputs;
  bool keeps_rank = true;  // a throw of backward is a fault only where dimensions are as given
};

bool are_alike(const GradientCase& given) {
  const auto sizes = given.inputs[given.wanted[0]].sizes();
  for (const auto& input : given.inputs) {
    if (input.sizes() != sizes) return false;
  }
  return true;
}

// The same tensors in other shapes, which forward may refuse.
std::vector<Shaped> other_shapes_of(const OperatorCall& call, const GradientCase& given) {
  std::vector<Shaped> shapes;
  const auto as_given = [&](const Tensors& cut) {
    Tensors inputs;
    for (size_t i = 0; i < cut.size(); ++i)
      inputs.push_back(cut[i].to(given.inputs[i].scalar_type()));
    return inputs;
  };
  shapes.push_back({"on tensors of one element", as_given(with_small_sizes(call, 1))});
  shapes.push_back({"on empty tensors", as_given(with_small_sizes(call, 0))});
  if (!are_alike(given)) return shapes;
  const auto map = [&](const std::function<at::Tensor(const at::Tensor&)>& change) {
    Tensors inputs;
    for (const auto& input : given.inputs)
      inputs.push_back(change(input.detach()).clone(at::MemoryFormat::Contiguous));
    return inputs;
  };
  const auto& first = given.inputs[given.wanted[0]];
  for (int64_t dim = 0; dim < first.dim(); ++dim) {
    if (first.size(dim) < 2) continue;
    shapes.push_back({"with a size smaller by 1 in dimension " + std::to_string(dim),
                      map([&](const auto& x) { return x.narrow(dim, 0, x.size(dim) - 1); })});
  }
  if (first.numel() > 0) {
    shapes.push_back({"on tensors without dimensions",
                      map([](const auto& x) { return x.reshape(-1)[0]; }), false});
  }
  return shapes;
}

Finding shape_fault(const GradientCase& given, const Shaped& shaped) {
  return look_in_copy(shaped.name + ": ", [&](const std::function<void()>& accept) -> Finding {
    const auto leaves = leaves_of(shaped.inputs, given.wanted);
    const CallWithGraph recorded(given.function, leaves);
    if (!recorded.error().empty() || recorded.outputs().empty()) return std::nullopt;
    accept();
    std::string error;
    const auto mismatch = gradient_mismatch(given, leaves, &error);
    if (mismatch) return mismatch_finding(given, *mismatch, shaped.name + ": ");
    if (error.empty() || !shaped.keeps_rank) return std::nullopt;
    return failed(shaped.name + ", forward runs, but backward throws: " + error,
                  "Handle this shape in backward, or refuse it in forward (TORCH_CHECK).");
  });
}

// Where an input of size 1 gives what an expanded one gives, its gradient is the sum of the
// other's.
Finding broadcast_fault(const GradientCase& given, size_t input, int64_t dim) {
  const auto& name = given.names[input];
  const auto where = "with " + name + " broadcast along dimension " + std::to_string(dim) + ": ";
  return look_in_copy(where, [&](const std::function<void()>& accept) -> Finding {
    auto narrow = given.inputs, wide = given.inputs;
    narrow[input] = given.inputs[input].detach().narrow(dim, 0, 1).contiguous();
    wide[input] = narrow[input].expand(given.inputs[input].sizes()).contiguous();
    const auto leaves = leaves_of(narrow, given.wanted);
    const CallWithGraph expected(given.function, leaves_of(wide, given.wanted));
    const CallWithGraph recorded(given.function, leaves);
    if (!recorded.error().empty() || !expected.error().empty()) return std::nullopt;
    // Shapes that follow from the input's (a concatenation's) are no broadcast.
    if (expected.outputs().empty() ||
        expected.outputs()[0].sizes() != given.inputs[input].sizes() ||
        difference(recorded.outputs(), expected.outputs(), "")) {
      return std::nullopt;
    }
    accept();
    std::string error;
    const auto mismatch = gradient_mismatch(given, leaves, &error);
    if (!mismatch && error.empty()) return std::nullopt;
    auto finding = mismatch ? mismatch_finding(given, *mismatch, where)
                            : failed(where + "forward runs, but backward throws: " + error);
    finding.advice = "Sum the gradient over the dimensions in which " + name +
                     " was broadcast (at::sum_to_size).";
    return finding;
  });
}

OperatorCheckFinding check_gradient_shapes(const OperatorCall& call) {
  if (!all_on_cpu(call)) return skipped(not_on_cpu);
  const auto given = gradient_case(call);
  if (!given.skip.empty()) return skipped(given.skip);
  if (!given.fault.empty()) return skipped("backward throws: " + given.fault);
  for (const auto& shaped : other_shapes_of(call, given)) {
    if (auto fault = shape_fault(given, shaped)) return *fault;
  }
  for (const size_t input : given.wanted) {
    bool has_partner = false;
    for (size_t other = 0; other < given.inputs.size(); ++other) {
      has_partner = has_partner ||
                    (other != input && given.inputs[other].sizes() == given.inputs[input].sizes());
    }
    for (int64_t dim = 0; has_partner && dim < given.inputs[input].dim(); ++dim) {
      if (given.inputs[input].size(dim) < 2) continue;
      if (auto fault = broadcast_fault(given, input, dim)) return *fault;
    }
  }
  return passed(
      "the gradients are right for empty tensors, one element and broadcast inputs, if forward "
      "accepts them");
}

const RegisteredCheck gradient_shapes_check({
    .name = "gradient_shapes",
    .title = "gradient shapes",
    .meaning = "Gradients are right for empty tensors, for tensors of one element and for "
               "broadcast inputs",
    .order = 52,
    .run = check_gradient_shapes,
    .compares_calls = true,
    .after = "gradients",
});

}  // namespace
}  // namespace opsmith
