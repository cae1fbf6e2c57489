#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <memory>
#include <optional>
#include <vector>

#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/guarded_copy.h"
#include "runtime/operator_check/other_calls.h"
#include "runtime/process/forked_call.h"

namespace opsmith {
namespace {

struct Snapshot {
  std::vector<char> bytes;
  std::vector<int64_t> sizes, strides;

  explicit Snapshot(const at::Tensor& tensor)
      : sizes(tensor.sizes().vec()), strides(tensor.strides().vec()) {
    const auto count = static_cast<int64_t>(tensor.storage().nbytes());
    const auto whole = at::empty({0}, tensor.options().dtype(at::kByte))
                           .set_(tensor.storage(), 0, {count}, {1})
                           .cpu();
    const auto* data = reinterpret_cast<const char*>(whole.const_data_ptr<uint8_t>());
    bytes.assign(data, data + count);
  }
};

// In row-major order, the element in which a byte changed; -1 when it is outside of the view.
int64_t changed_element(const at::Tensor& tensor, size_t byte) {
  const auto size = static_cast<int64_t>(tensor.element_size());
  const auto wanted = static_cast<int64_t>(byte) / size - tensor.storage_offset();
  for (int64_t flat = 0; flat < tensor.numel(); ++flat) {
    int64_t offset = 0, rest = flat;
    for (int64_t dim = tensor.dim() - 1; dim >= 0; --dim) {
      offset += rest % tensor.size(dim) * tensor.stride(dim);
      rest /= tensor.size(dim);
    }
    if (offset == wanted) return flat;
  }
  return -1;
}

bool can_be_snapshot(const at::Tensor& tensor) {
  return tensor.layout() == at::kStrided && (tensor.is_cpu() || tensor.is_cuda()) &&
         tensor.has_storage();
}

// Finds a write that is undone before the call returns: the inputs lie in read-only memory.
std::optional<OperatorCheckFinding> write_fault(const OperatorCall& call) {
  if (!all_on_cpu(call)) return std::nullopt;
  const at::NoGradGuard unrecorded;
  std::vector<std::unique_ptr<GuardedCopy>> copies;
  auto given = call.fresh();
  for (size_t i = 0; i < given.size(); ++i) {
    copies.push_back(std::make_unique<GuardedCopy>(given[i], GuardedCopy::End::first,
                                                   GuardedCopy::Access::read));
    if (!copies[i]->copy().defined()) return std::nullopt;
    if (!call.tensors()[i].may_be_written) given[i] = copies[i]->copy();
  }
  const auto outcome = run_forked(
      [&]() -> std::string {
        Tensors outputs;
        return call.try_run(given, outputs);
      },
      patience);
  if (outcome.end != ForkedOutcome::End::signalled) return std::nullopt;
  for (size_t i = 0; i < given.size(); ++i) {
    const auto& name = call.tensors()[i].name;
    if (call.tensors()[i].may_be_written || !copies[i]->holds(outcome.address)) continue;
    auto finding = ended(
        outcome,
        name + " is written during the call, although the contents are the same after the call",
        "Write to a copy: other threads may read " + name +
            " at the same time, and its memory may be read-only, such as a mapped file.");
    finding.input = name;
    return finding;
  }
  return std::nullopt;
}

// Which bytes of its storage a tensor's elements are made of.
std::vector<bool> covered_bytes(const at::Tensor& tensor) {
  std::vector<bool> covered(tensor.storage().nbytes());
  const auto size = static_cast<size_t>(tensor.element_size());
  const auto first = static_cast<size_t>(tensor.storage_offset()) * size;
  // Places of elements, each counted from the first.
  auto offsets = at::zeros({}, at::kLong);
  for (int64_t dim = 0; dim < tensor.dim(); ++dim) {
    offsets = offsets.unsqueeze(-1) + at::arange(tensor.size(dim), at::kLong) * tensor.stride(dim);
  }
  const auto flat = offsets.reshape(-1).contiguous();
  for (int64_t i = 0; i < flat.numel(); ++i) {
    const auto at = first + static_cast<size_t>(flat.const_data_ptr<int64_t>()[i]) * size;
    for (size_t byte = at; byte < at + size && byte < covered.size(); ++byte)
      covered[byte] = true;
  }
  return covered;
}

// What a call of the operator with `inputs` writes that the schema does not declare; `when` begins
// the sentence. Throws what the operator throws.
std::optional<OperatorCheckFinding> undeclared_write(const OperatorCall& call,
                                                     const Tensors& inputs,
                                                     const std::string& when) {
  std::vector<std::optional<Snapshot>> before;
  for (const auto& input : inputs)
    before.push_back(can_be_snapshot(input) ? std::optional<Snapshot>(input) : std::nullopt);
  call.run(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto& declared = call.tensors()[i];
    if (!before[i]) continue;
    const auto advice = "Declare the write in the schema (Tensor(a!) " + declared.name +
                        "), or work on a copy: callers and torch.compile rely on the schema.";
    const auto with_name = [&](OperatorCheckFinding finding) {
      finding.input = declared.name;
      return finding;
    };
    const bool is_reshaped = inputs[i].sizes().vec() != before[i]->sizes ||
                             inputs[i].strides().vec() != before[i]->strides;
    if (is_reshaped && declared.may_be_written) continue;  // resized, as an out argument is
    if (is_reshaped) {
      return with_name(
          failed(when + "the shape of " + declared.name + " was changed in place", advice));
    }
    const auto covered = declared.may_be_written ? covered_bytes(inputs[i]) : std::vector<bool>();
    const Snapshot after(inputs[i]);
    for (size_t byte = 0; byte < after.bytes.size() && byte < before[i]->bytes.size(); ++byte) {
      if (after.bytes[byte] == before[i]->bytes[byte]) continue;
      if (byte < covered.size() && covered[byte]) continue;
      if (declared.may_be_written) {
        return with_name(failed(when + "memory around " + declared.name +
                                    " was written, but this memory belongs to other tensors",
                                "Follow the strides: the memory between the elements of a view "
                                "belongs to other tensors."));
      }
      const int64_t flat = changed_element(inputs[i], byte);
      const auto index = flat < 0 ? std::vector<int64_t>() : index_of(inputs[i], flat);
      const auto what = flat < 0 ? "memory around " + declared.name
                                 : "element " + index_text(index) + " of " + declared.name;
      auto finding = with_name(
          failed(when + what + " was written, but the schema does not declare the write", advice));
      finding.index = index;
      return finding;
    }
  }
  return std::nullopt;
}

// The same with the inputs in other layouts, and with one element each.
std::optional<OperatorCheckFinding> write_elsewhere(const OperatorCall& call) {
  if (!all_on_cpu(call)) return std::nullopt;
  const at::NoGradGuard unrecorded;
  std::vector<Look> looks;
  const auto add = [&](Tensors given, std::string when) {
    looks.emplace_back([&call, given = std::move(given), when = std::move(when)] {
      return undeclared_write(call, given, when);
    });
  };
  for (auto& [tensors, when] : in_other_layouts(call))
    add(std::move(tensors), std::move(when));
  add(with_small_sizes(call, 1), "with one element, ");
  return first_found_in_copy(looks);
}

OperatorCheckFinding check_mutation(const OperatorCall& call) {
  if (auto fault = undeclared_write(call, call.fresh(), "")) return *fault;
  if (auto fault = write_fault(call)) return *fault;
  if (auto fault = gradient_mutation_fault(call)) return *fault;
  // Other layouts are tried only on the CPU.
  if (!all_on_cpu(call)) {
    size_t compared = 0;
    for (const auto& tensor : call.values())
      compared += can_be_snapshot(tensor) ? 1 : 0;
    if (compared == 0) return skipped("Opsmith compares only strided inputs on the CPU or on CUDA");
    return passed(
        "all strided inputs kept their values, except inputs that the schema marks as written "
        "(a!)");
  }
  return passed(
      "in each layout, all inputs kept their values, except inputs that the schema marks as "
      "written (a!)");
}

const RegisteredCheck mutation_check({
    .name = "mutation",
    .title = "mutation",
    .meaning = "Inputs do not change, unless the schema marks them as written (a!)",
    .order = 10,
    .run = check_mutation,
    .run_elsewhere = write_elsewhere,
    .other_shapes = true,
});

}  // namespace
}  // namespace opsmith
