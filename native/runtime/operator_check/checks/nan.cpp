#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include <limits>
#include <optional>

#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"

namespace opsmith {
namespace {

OperatorCheckFinding check_not_a_number(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("it draws random numbers");
  const at::NoGradGuard unrecorded;
  bool tried = false;
  for (size_t i = 0; i < call.tensors().size(); ++i) {
    const auto& tensor = call.tensors()[i].tensor;
    if (!tensor.is_floating_point() || tensor.numel() == 0) continue;
    const int64_t place = tensor.numel() / 2;
    const auto with = [&](double value) {
      auto given = call.fresh();
      given[i] = tensor.detach().clone(at::MemoryFormat::Contiguous);
      given[i].view(-1)[place].fill_(value);
      Tensors outputs;
      const auto error = call.try_run(given, outputs);
      return error.empty() ? std::optional(outputs) : std::nullopt;
    };
    const auto before = with(0.3), after = with(0.8);
    const auto nan = with(std::numeric_limits<double>::quiet_NaN());
    with(std::numeric_limits<double>::infinity());
    if (!before || !after || !nan) continue;
    for (size_t o = 0; o < nan->size(); ++o) {
      const auto& output = (*nan)[o];
      if (!output.is_floating_point() || output.sizes() != (*after)[o].sizes() ||
          (*before)[o].sizes() != output.sizes()) {
        continue;
      }
      // Where the output depends on this element.
      const auto depends = (*before)[o].ne((*after)[o]);
      if (!depends.any().item<bool>()) continue;
      tried = true;
      const auto swallowed = depends.logical_and(at::isnan(output).logical_not());
      if (!swallowed.any().item<bool>()) continue;
      const auto flat = swallowed.reshape(-1).to(at::kByte).argmax().item<int64_t>();
      const auto from = index_text(index_of(tensor, place));
      auto finding = failed(
          "NaN in element " + from + " of " + call.tensors()[i].name + " is lost: element " +
              index_text(index_of(output, flat)) + " of output " + std::to_string(o) +
              ", which depends on it, is " + element_words(output, flat),
          "PyTorch's operators pass NaN on. Comparisons and std::max with NaN are false: test with "
          "std::isnan, or turn the comparison round.");
      finding.input = call.tensors()[i].name;
      finding.output = static_cast<int64_t>(o);
      finding.index = index_of(output, flat);
      return finding;
    }
  }
  if (!tried) return skipped("no floating output depends on an element that was tried");
  return passed("NaN reaches every output that depends on it");
}

const RegisteredCheck nan_check({
    .name = "nan",
    .title = "nan",
    .meaning = "NaN reaches the outputs that depend on it",
    .order = 130,
    .run = check_not_a_number,
    .other_shapes = true,
    .compares_calls = true,
});

}  // namespace
}  // namespace opsmith
