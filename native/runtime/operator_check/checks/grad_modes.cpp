#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>
#include <c10/core/InferenceMode.h>

#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"

namespace opsmith {
namespace {

OperatorCheckFinding check_grad_modes(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("the operator draws random numbers");
  const auto expected = call.run(call.fresh());
  const auto compare = [&](const Tensors& outputs, const std::string& when) {
    return difference(outputs, expected, when);
  };
  {
    const at::NoGradGuard unrecorded;
    Tensors outputs;
    const auto error = call.try_run(call.fresh(), outputs);
    if (!error.empty()) return failed("under no_grad: " + error);
    for (size_t o = 0; o < outputs.size(); ++o) {
      if (!outputs[o].requires_grad() || outputs[o].is_leaf()) continue;
      auto finding = failed("under no_grad, output " + std::to_string(o) + " has a grad_fn",
                            "Do not enable grad mode inside a kernel.");
      finding.output = static_cast<int64_t>(o);
      return finding;
    }
    if (auto finding = compare(outputs, "under no_grad,")) return *finding;
  }
  {
    const c10::InferenceMode inference;
    const auto given = call.map([](const at::Tensor& tensor) { return tensor.detach().clone(); });
    Tensors outputs;
    const auto error = call.try_run(given, outputs);
    if (!error.empty()) return failed("under inference_mode: " + error);
    if (auto finding = compare(outputs, "under inference_mode,")) return *finding;
  }
  std::vector<size_t> floating;
  for (size_t i = 0; i < call.tensors().size() && floating.size() < 4; ++i) {
    if (is_differentiable_type(call.tensors()[i].tensor)) floating.push_back(i);
  }
  for (size_t subset = 0; subset < (size_t{1} << floating.size()); ++subset) {
    auto given = call.map([](const at::Tensor& tensor) { return tensor.detach().clone(); });
    std::vector<std::string> names;
    for (size_t bit = 0; bit < floating.size(); ++bit) {
      if ((subset >> bit & 1) == 0) continue;
      given[floating[bit]].requires_grad_();
      names.push_back(call.tensors()[floating[bit]].name);
    }
    const auto when = names.empty() ? std::string("when no input requires grad")
                                    : "when " + joined(names) +
                                          (names.size() > 1 ? " require grad" : " requires grad");
    Tensors outputs;
    const auto error = call.try_run(given, outputs);
    // Autograd itself refuses a leaf that is written in place, and an argument that has no
    // gradient.
    const bool is_autograds = error.find("leaf") != std::string::npos ||
                              error.find("is not differentiable") != std::string::npos;
    if (!error.empty() && !is_autograds) return failed(when + ": " + error);
    if (!error.empty()) continue;
    if (auto finding = compare(outputs, when + ",")) return *finding;
  }
  return passed(
      "the results are the same under no_grad, under inference_mode, and no matter which inputs "
      "require grad");
}

const RegisteredCheck grad_modes_check({
    .name = "grad_modes",
    .title = "grad modes",
    .meaning = "The results are the same under no_grad, under inference_mode, and no matter which "
               "inputs require grad",
    .order = 140,
    .run = check_grad_modes,
    .compares_calls = true,
});

}  // namespace
}  // namespace opsmith
