#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include <optional>
#include <string>

#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/other_calls.h"

namespace opsmith {
namespace {

bool are_alike(const at::Tensor& one, const at::Tensor& other) {
  return one.sizes() == other.sizes() && one.scalar_type() == other.scalar_type() &&
         one.device() == other.device() && one.numel() > 0;
}

// Two inputs that are only read, as views of one memory that share all but an element.
std::optional<OperatorCheckFinding> views_fault(const OperatorCall& call, size_t one,
                                                size_t other) {
  const auto& tensor = call.tensors()[one].tensor;
  const auto base =
      at::cat({tensor.detach().reshape(-1), tensor.detach().reshape(-1).slice(0, 0, 1)});
  auto given = call.fresh(), plain = call.fresh();
  given[one] = base.narrow(0, 0, tensor.numel()).view(tensor.sizes());
  given[other] = base.narrow(0, 1, tensor.numel()).view(tensor.sizes());
  plain[one] = given[one].clone();
  plain[other] = given[other].clone();
  Tensors expected, actual;
  if (!call.try_run(plain, expected).empty() || !call.try_run(given, actual).empty())
    return std::nullopt;
  const auto names = call.names();
  auto finding = difference(actual, expected,
                            "with " + names[one] + " and " + names[other] +
                                " as views of one tensor, shifted by one element,");
  if (!finding) return std::nullopt;
  finding->input = names[other];
  finding->advice =
      "Do not write to inputs, and do not use a tensor's address or storage as a cache key.";
  return finding;
}

// An argument that the result is written to, as libtorch's `out`.
bool is_out(const OperatorCall& call, size_t tensor) {
  const auto& argument = call.tensors()[tensor];
  const auto& declared = call.callable().schema.arguments()[argument.argument];
  return argument.may_be_written &&
         (declared.kwarg_only() || declared.name().compare(0, 3, "out") == 0);
}

// Whether an element of `out` depends on the one of `input` in its place alone.
bool is_elementwise(const OperatorCall& call, size_t input, size_t out) {
  auto plain = call.fresh();
  Tensors ignored;
  if (!call.try_run(plain, ignored).empty()) return false;
  const auto count = plain[input].numel();
  if (plain[out].numel() != count) return false;
  for (const int64_t place : {int64_t{0}, count / 2, count - 1}) {
    auto changed = call.fresh();
    changed[input] = changed[input].detach().clone(at::MemoryFormat::Contiguous);
    changed[input].view(-1)[place].mul_(1.5).add_(0.25);
    if (!call.try_run(changed, ignored).empty()) return false;
    auto differs = changed[out].ne(plain[out]).reshape(-1).contiguous();
    if (!differs[place].item<bool>()) return false;
    differs[place].fill_(false);
    if (differs.any().item<bool>()) return false;
  }
  return true;
}

// The result written over an input. Only where each element of it needs no other than the one that
// it replaces: of a matrix product PyTorch promises nothing either.
std::optional<OperatorCheckFinding> out_fault(const OperatorCall& call, size_t input, size_t out) {
  if (!is_elementwise(call, input, out)) return std::nullopt;
  auto given = call.fresh(), plain = call.fresh();
  given[out] = given[input];
  plain[out] = plain[input].clone();
  Tensors ignored;
  if (!call.try_run(plain, ignored).empty() || !call.try_run(given, ignored).empty())
    return std::nullopt;
  const auto names = call.names();
  auto finding =
      tensor_difference(given[out], plain[out],
                        "with " + names[input] + " itself as " + names[out] + ",", names[out]);
  if (!finding) return std::nullopt;
  finding->input = names[out];
  finding->advice = "Read each element of " + names[input] +
                    " before you write the same element of " + names[out] +
                    ", or refuse tensors that share memory (at::assert_no_overlap).";
  return finding;
}

OperatorCheckFinding check_overlap(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("the operator draws random numbers");
  if (!all_on_cpu(call)) return skipped(not_on_cpu);
  const at::NoGradGuard unrecorded;
  const auto& tensors = call.tensors();
  bool tried = false;
  for (size_t i = 0; i < tensors.size(); ++i) {
    for (size_t j = 0; j < tensors.size(); ++j) {
      if (i == j || !are_alike(tensors[i].tensor, tensors[j].tensor)) continue;
      std::optional<OperatorCheckFinding> fault;
      if (j < i && !tensors[i].may_be_written && !tensors[j].may_be_written) {
        tried = true;
        fault = found_in_copy([&] { return views_fault(call, j, i); });
      }
      if (is_out(call, i) && !tensors[j].may_be_written) {
        tried = true;
        fault = found_in_copy([&] { return out_fault(call, j, i); });
      }
      if (fault) return *fault;
    }
  }
  if (!tried)
    return skipped(
        "no two read-only inputs have the same shape and dtype, and no input has the shape and "
        "dtype of `out`");
  return passed(
      "tensors that share memory give the same result as copies, or the operator refuses them");
}

const RegisteredCheck overlap_check({
    .name = "overlap",
    .title = "overlap",
    .meaning = "The results are the same if inputs share memory, or if the operator writes a "
               "result over an input",
    .order = 85,
    .run = check_overlap,
    .compares_calls = true,
});

}  // namespace
}  // namespace opsmith
