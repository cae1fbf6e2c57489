#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/operator_check/checking_allocator.h"
#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/other_calls.h"

namespace opsmith {
namespace {

// Small blocks that new and malloc() give out next hold `fill`, as those of an older process may.
void fill_free_memory(uint8_t fill) {
  constexpr size_t largest = 2048, step = 16;
  constexpr int each = 8;
  std::vector<std::unique_ptr<uint8_t[]>> blocks;
  for (size_t size = step; size <= largest; size += step) {
    for (int i = 0; i < each; ++i) {
      blocks.push_back(std::make_unique<uint8_t[]>(size));
      std::memset(blocks.back().get(), fill, size);
    }
  }
}

// `when` goes before what was found.
std::optional<OperatorCheckFinding> unwritten_fault(const OperatorCall& call, const Tensors& given,
                                                    const std::string& when) {
  const auto run_with = [&](uint8_t fill) {
    const auto inputs = clones_of(given);
    at::manual_seed(0);
    const CheckingAllocation checking(fill);
    fill_free_memory(fill);
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
    auto finding = failed(when + "element " + index_text(index_of(first[o], *flat)) +
                              " of output " + std::to_string(o) +
                              " depends on old contents of memory: the operator never wrote the "
                              "element, or computed it from memory that was never written",
                          "Write every element, or start from at::zeros instead of at::empty.");
    finding.output = static_cast<int64_t>(o);
    finding.index = index_of(first[o], *flat);
    return finding;
  }
  return std::nullopt;
}

OperatorCheckFinding check_unwritten(const OperatorCall& call) {
  if (!all_on_cpu(call)) return skipped(not_on_cpu);
  const at::NoGradGuard unrecorded;
  if (auto fault = unwritten_fault(call, call.values(), "")) return *fault;
  if (auto fault = gradient_unwritten_fault(call)) return *fault;
  return passed("every element of every output was written");
}

// The mean of no numbers: outputs that have elements, made of inputs that have none.
std::optional<OperatorCheckFinding> unwritten_when_empty(const OperatorCall& call) {
  if (!not_resizable(call).empty()) return std::nullopt;
  const at::NoGradGuard unrecorded;
  std::vector<Look> looks;
  for (const int64_t size : resizable_sizes(call)) {
    looks.emplace_back([&call, size] {
      const auto empty = with_other_size(call.values(), size, 0);
      return unwritten_fault(call, empty, "with size 0 instead of " + std::to_string(size) + ", ");
    });
  }
  return first_found_in_copy(looks);
}

const RegisteredCheck unwritten_check({
    .name = "unwritten",
    .title = "unwritten",
    .meaning = "Every element of the outputs is written",
    .order = 160,
    .run = check_unwritten,
    .run_elsewhere = unwritten_when_empty,
    .other_shapes = true,
    .makes_unrepeatable = "the check unwritten failed, so calls cannot be compared",
});

}  // namespace
}  // namespace opsmith
