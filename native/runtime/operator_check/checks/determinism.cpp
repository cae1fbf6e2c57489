#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>

#include <optional>

#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"

namespace opsmith {
namespace {

// Calls again with other values at the same addresses: an operator that keeps results by address
// gives the old ones.
std::optional<OperatorCheckFinding> address_fault(const OperatorCall& call) {
  const auto inputs = call.map([](const at::Tensor& tensor) { return tensor.detach().clone(); });
  at::manual_seed(0);
  call.run(inputs);
  Tensors copies;
  for (const auto& input : inputs) {
    if (input.is_floating_point() || input.is_complex()) input.mul_(-0.5).add_(0.125);
    copies.push_back(input.clone());
  }
  Tensors expected, outputs;
  at::manual_seed(0);
  if (!call.try_run(inputs, outputs).empty()) return std::nullopt;
  at::manual_seed(0);
  if (!call.try_run(copies, expected).empty()) return std::nullopt;
  auto finding =
      difference(outputs, expected, "after the inputs of an earlier call were changed in place,");
  if (finding) {
    finding->advice =
        "Do not use an address (data_ptr()) as a cache key: the values at an address can change, "
        "and memory is reused for other tensors.";
  }
  return finding;
}

// An operator that says that it draws random numbers, and gives the same after any manual_seed, has
// a generator of its own. nullopt too where arguments may switch the drawing off.
std::optional<OperatorCheckFinding> own_generator_fault(const OperatorCall& call) {
  if (!draws_random_numbers(call)) return std::nullopt;
  for (const auto& argument : call.arguments()) {
    const bool is_off =
        (argument.isBool() && !argument.toBool()) ||
        (argument.isDouble() && (argument.toDouble() == 0 || argument.toDouble() == 1));
    if (is_off || argument.isGenerator()) return std::nullopt;
  }
  std::optional<Tensors> first;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    at::manual_seed(seed);
    const auto outputs = call.run(call.fresh());
    if (!first) first = outputs;
    for (size_t o = 0; o < outputs.size(); ++o) {
      // Few numbers may be equal by chance.
      if (outputs[o].numel() < 4 || !same_bits(outputs[o], (*first)[o])) return std::nullopt;
    }
  }
  if (first->empty()) return std::nullopt;
  return failed(
      "the schema declares the operator as random (nondeterministic_seeded), but the operator "
      "returns the same bits after manual_seed with eight different seeds",
      "Use libtorch's generator for random numbers (at::get_generator_or_default, or at::rand): "
      "manual_seed does not seed the generators of <random>.");
}

OperatorCheckFinding check_determinism(const OperatorCall& call) {
  const at::NoGradGuard unrecorded;
  at::manual_seed(0);
  const auto first = call.run(call.fresh());
  for (int again = 0; again < 3; ++again) {
    at::manual_seed(0);
    const auto outputs = call.run(call.fresh());
    for (size_t o = 0; o < first.size() && o < outputs.size(); ++o) {
      if (first[o].sizes() == outputs[o].sizes() && same_bits(first[o], outputs[o])) continue;
      auto finding =
          failed("two calls on the same input, after the same manual_seed, differ in output " +
                     std::to_string(o),
                 "The result depends on more than the inputs. Look for memory that was never "
                 "written, for static variables, for threads that run in any order, and for random "
                 "generators that manual_seed does not seed.");
      finding.output = static_cast<int64_t>(o);
      if (const auto flat = first[o].sizes() == outputs[o].sizes()
                                ? first_difference(first[o], outputs[o])
                                : std::nullopt) {
        finding.index = index_of(first[o], *flat);
      }
      return finding;
    }
  }
  if (auto fault = address_fault(call)) return *fault;
  if (auto fault = own_generator_fault(call)) return *fault;
  if (auto fault = gradient_repeat_fault(call)) return *fault;
  return passed(draws_random_numbers(call)
                    ? "the operator draws random numbers; the same seed (manual_seed) gives the "
                      "same bits"
                    : "four calls gave the same bits");
}

const RegisteredCheck determinism_check({
    .name = "determinism",
    .title = "determinism",
    .meaning = "The same input gives the same bits",
    .order = 70,
    .run = check_determinism,
    .other_shapes = true,
    .compares_calls = true,
    .makes_unrepeatable = "the check determinism failed, so calls cannot be compared",
});

}  // namespace
}  // namespace opsmith
