#include "runtime/operator_check/other_calls.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include <algorithm>

#include "runtime/operator_check/call_with_graph.h"
#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/finding_text.h"
#include "runtime/process/forked_call.h"
#include "runtime/process/shared_value.h"

namespace opsmith {

std::optional<OperatorCheckFinding> found_in_copy(const Look& look) {
  return first_found_in_copy({look});
}

std::optional<OperatorCheckFinding> first_found_in_copy(const std::vector<Look>& looks) {
  const SharedValue<size_t> next(0);
  while (*next < looks.size()) {
    const auto outcome = run_forked(
        [&]() -> std::string {
          while (*next < looks.size()) {
            try {
              const auto finding = looks[(*next)++]();
              if (finding) return packed(*finding);
            } catch (...) {
              continue;
            }
          }
          return "";
        },
        patience);
    if (outcome.end == ForkedOutcome::End::answered) {
      return outcome.answer.empty() ? std::nullopt : std::optional(unpacked(outcome.answer));
    }
    if (!outcome.ended()) return std::nullopt;
  }
  return std::nullopt;
}

std::vector<OtherInputs> in_other_layouts(const OperatorCall& call) {
  std::vector<OtherInputs> all;
  for (size_t i = 0; i < call.tensors().size(); ++i) {
    const auto& argument = call.tensors()[i];
    for (const auto& [layout, tensor] : other_layouts(argument.tensor.detach())) {
      if (argument.may_be_written && tensor.numel() > 0 && tensor.stride(0) == 0) continue;
      auto given = call.fresh();
      given[i] = tensor;
      all.push_back({std::move(given), "with " + argument.name + " " + layout + ", "});
    }
  }
  return all;
}

std::optional<OperatorCheckFinding> written_difference(const OperatorCall& call,
                                                       const Tensors& actual,
                                                       const Tensors& expected,
                                                       const std::string& when) {
  for (size_t i = 0; i < call.tensors().size(); ++i) {
    const auto& written = call.tensors()[i];
    if (!written.may_be_written) continue;
    auto finding = difference({actual[i]}, {expected[i]}, when);
    if (!finding) continue;
    const std::string output = "output 0";
    if (const auto at = finding->reason.find(output); at != std::string::npos)
      finding->reason.replace(at, output.size(), written.name);
    finding->output.reset();
    finding->input = written.name;
    return finding;
  }
  return std::nullopt;
}

Tensors results_of(const OperatorCall& call, const Tensors& inputs) {
  auto results = call.run(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (call.tensors()[i].may_be_written) results.push_back(inputs[i]);
  }
  return results;
}

void run_with_backward(const OperatorCall& call, const Tensors& inputs) {
  const CallWithGraph recorded([&call](const Tensors& given) { return call.run(given); }, inputs);
  if (recorded.error().empty()) recorded.backward(recorded.grad_outputs());
}

Tensors clones_of(const Tensors& tensors) {
  Tensors clones;
  for (const auto& tensor : tensors)
    clones.push_back(tensor.detach().clone());
  return clones;
}

std::string packed_tensors(const Tensors& tensors) {
  c10::List<at::Tensor> list;
  for (const auto& tensor : tensors)
    list.push_back(tensor.detach().resolve_conj().resolve_neg().contiguous());
  const auto bytes = torch::jit::pickle_save(list);
  return {bytes.begin(), bytes.end()};
}

Tensors unpacked_tensors(const std::string& text) {
  return torch::jit::pickle_load({text.begin(), text.end()}).toTensorVector();
}

std::vector<int64_t> resizable_sizes(const OperatorCall& call) {
  auto tensors = call.values();
  std::stable_sort(tensors.begin(), tensors.end(),
                   [](const auto& a, const auto& b) { return a.numel() > b.numel(); });
  std::vector<int64_t> sizes;
  const auto& integers = call.integers();
  for (const auto& tensor : tensors) {
    for (const int64_t size : tensor.sizes()) {
      const bool is_known = std::find(sizes.begin(), sizes.end(), size) != sizes.end();
      const bool is_argument = std::find(integers.begin(), integers.end(), size) != integers.end();
      if (size > 1 && !is_known && !is_argument) sizes.push_back(size);
    }
  }
  return sizes;
}

std::string not_resizable(const OperatorCall& call) {
  if (call.tensors().empty()) return "no argument is a tensor";
  for (const auto& tensor : call.tensors()) {
    if (at::isIntegralType(tensor.tensor.scalar_type(), /*includeBool=*/false))
      return "the integers in " + tensor.name + " may be indices, so Opsmith cannot change sizes";
  }
  if (!resizable_sizes(call).empty()) return "";
  return "each dimension of the inputs has size 0 or 1, or the size that an integer argument has, "
         "so Opsmith has no size to change";
}

Tensors with_other_size(const Tensors& tensors, int64_t from, int64_t to) {
  const auto places = at::arange(to, at::kLong).remainder(from);
  Tensors resized;
  for (const auto& tensor : tensors) {
    auto other = tensor.detach();
    for (int64_t dim = 0; dim < other.dim(); ++dim) {
      if (other.size(dim) == from) other = other.index_select(dim, places.to(other.device()));
    }
    resized.push_back(other.clone(at::MemoryFormat::Contiguous));
  }
  return resized;
}

}  // namespace opsmith
