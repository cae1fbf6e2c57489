#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>

#include "runtime/operator_check/checking_allocator.h"
#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"

namespace opsmith {
namespace {

OperatorCheckFinding check_unwritten(const OperatorCall& call) {
  if (!all_on_cpu(call)) return skipped(not_on_cpu);
  const at::NoGradGuard unrecorded;
  const auto run_with = [&](uint8_t fill) {
    const auto inputs = call.fresh();
    at::manual_seed(0);
    const CheckingAllocation checking(fill);
    Tensors outputs;
    for (const auto& output : call.run(inputs))
      outputs.push_back(output.contiguous());
    return outputs;
  };
  at::manual_seed(0);
  const auto first = run_with(0x5A), second = run_with(0xA5);
  const auto again = run_with(0x5A), second_again = run_with(0xA5);
  for (size_t o = 0; o < first.size() && o < second.size(); ++o) {
    if (first[o].sizes() != second[o].sizes()) continue;
    // What differs without another filling too is another check's.
    if (!same_bits(first[o], again[o]) || !same_bits(second[o], second_again[o])) continue;
    const auto flat = first_difference(first[o], second[o]);
    if (!flat) continue;
    auto finding = failed("element " + index_text(index_of(first[o], *flat)) + " of output " +
                              std::to_string(o) +
                              " depends on what the memory held before: it was never written, or "
                              "computed from memory "
                              "that was not",
                          "Write every element, or start from at::zeros instead of at::empty.");
    finding.output = static_cast<int64_t>(o);
    finding.index = index_of(first[o], *flat);
    return finding;
  }
  if (auto fault = gradient_unwritten_fault(call)) return *fault;
  return passed("every element of every output was written");
}

const RegisteredCheck unwritten_check({
    .name = "unwritten",
    .title = "unwritten",
    .meaning = "Every element of the outputs is written",
    .order = 160,
    .run = check_unwritten,
    .other_shapes = true,
    .makes_unrepeatable = "outputs hold what was never written",
});

}  // namespace
}  // namespace opsmith
