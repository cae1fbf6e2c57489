#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/other_calls.h"

namespace opsmith {
namespace {

// ---- ways in which a tensor can lie in memory, with the same values

struct Layout {
  const char* name;
  // Undefined where the tensor cannot lie so.
  at::Tensor (*make)(const at::Tensor&);
  const char* remedy = "contiguous()";
  const char* misread = "The kernel reads memory in order and ignores the strides";
};

at::Tensor transposed(const at::Tensor& tensor) {
  if (tensor.dim() < 2) return {};
  return tensor.transpose(-1, -2).contiguous().transpose(-1, -2);
}

at::Tensor stepped(const at::Tensor& tensor) {
  if (tensor.dim() < 1) return {};
  auto sizes = tensor.sizes().vec();
  sizes.back() *= 2;
  const auto wide = at::empty(sizes, tensor.options());
  return wide.slice(-1, 0, std::nullopt, 2).copy_(tensor);
}

at::Tensor shifted(const at::Tensor& tensor) {
  if (tensor.numel() == 0) return {};
  const auto longer = at::empty({tensor.numel() + 1}, tensor.options());
  return longer.slice(0, 1).view(tensor.sizes()).copy_(tensor);
}

// Stride 0 needs equal values along a dimension: the first one's.
at::Tensor expanded(const at::Tensor& tensor) {
  if (tensor.dim() < 1 || tensor.size(0) < 2) return {};
  return tensor.narrow(0, 0, 1).contiguous().expand(tensor.sizes());
}

at::Tensor channels_last(const at::Tensor& tensor) {
  if (tensor.dim() != 4) return {};
  return tensor.contiguous(at::MemoryFormat::ChannelsLast);
}

at::Tensor negated_view(const at::Tensor& tensor) {
  if (!tensor.is_floating_point()) return {};
  return at::_neg_view(tensor.neg());
}

at::Tensor conjugated_view(const at::Tensor& tensor) {
  if (!tensor.is_complex()) return {};
  return tensor.conj().resolve_conj().conj();
}

constexpr Layout layouts[] = {{"transposed", transposed},
                              {"stepped by 2", stepped},
                              {"offset by 1", shifted, "clone()",
                               "The kernel ignores the storage offset, which data_ptr() includes"},
                              {"expanded (stride 0)", expanded},
                              {"in channels_last", channels_last},
                              {"as a negated view", negated_view, "resolve_neg()",
                               "The kernel ignores the view's negative bit"},
                              {"as a conjugated view", conjugated_view, "resolve_conj()",
                               "The kernel ignores the view's conjugate bit"}};

}  // namespace

std::vector<std::pair<std::string, at::Tensor>> other_layouts(const at::Tensor& tensor) {
  std::vector<std::pair<std::string, at::Tensor>> others;
  for (const auto& layout : layouts) {
    if (auto other = layout.make(tensor); other.defined()) others.emplace_back(layout.name, other);
  }
  return others;
}

namespace {

constexpr const char* not_a_layout =
    "The layout is not the cause. The result depends on more than the inputs: for example, on data "
    "of an earlier call, or on memory that was never written.";

// Gives one tensor for two inputs; a copy for the second must give the same answer.
std::optional<OperatorCheckFinding> twice_fault(const OperatorCall& call) {
  const auto& tensors = call.tensors();
  for (size_t i = 0; i < tensors.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const auto& one = tensors[i].tensor;
      const auto& other = tensors[j].tensor;
      const bool are_alike = one.sizes() == other.sizes() &&
                             one.scalar_type() == other.scalar_type() &&
                             one.device() == other.device();
      if (!are_alike || tensors[i].may_be_written || tensors[j].may_be_written) continue;
      auto given = call.fresh(), plain = call.fresh();
      given[i] = given[j];
      plain[i] = plain[j].clone();
      Tensors expected, actual;
      if (!call.try_run(plain, expected).empty() || !call.try_run(given, actual).empty()) continue;
      auto finding = difference(
          actual, expected,
          "with the same tensor as " + tensors[j].name + " and " + tensors[i].name + ",");
      if (!finding) continue;
      finding->input = tensors[i].name;
      finding->advice = "Do not write to inputs, and do not compare their addresses.";
      return finding;
    }
  }
  return std::nullopt;
}

OperatorCheckFinding check_layouts(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("the operator draws random numbers");
  const at::NoGradGuard unrecorded;
  std::vector<std::string> same, refused;
  for (const auto& layout : layouts) {
    bool tried = false, ran = false;
    for (size_t i = 0; i < call.tensors().size(); ++i) {
      auto given = call.fresh();
      const auto changed = layout.make(given[i].detach());
      if (!changed.defined()) continue;
      // Of elements that share memory, none can be written.
      if (call.tensors()[i].may_be_written && layout.make == expanded) continue;
      tried = true;
      const auto values = changed.resolve_conj().resolve_neg().contiguous();
      const auto make_plain = [&] {
        auto plain = call.fresh();
        plain[i] = values.clone(at::MemoryFormat::Contiguous);
        return plain;
      };
      const auto run_plain = [&] { return call.run(make_plain()); };
      given[i] = changed;
      const auto plain = make_plain();
      const auto expected = call.run(plain);
      Tensors actual;
      // An operator may refuse what it cannot read: only a wrong answer is a fault.
      if (!call.try_run(given, actual).empty()) continue;
      ran = true;
      const auto& name = call.tensors()[i].name;
      const auto when = "with " + name + " " + layout.name + ",";
      auto finding = difference(actual, expected, when);
      if (auto written = written_difference(call, given, plain, when)) {
        written->advice =
            "Use the strides when you write, or copy the result back: " + written->input +
            ".copy_(result).";
        return *written;
      }
      if (!finding) continue;
      if (auto other =
              difference(run_plain(), expected, "in a second call with contiguous tensors,")) {
        other->advice = not_a_layout;
        return *other;
      }
      finding->input = name;
      finding->advice = std::string(layout.misread) + ": call " + layout.remedy + " on " + name +
                        " first, which gives the right result here.";
      return *finding;
    }
    if (tried) (ran ? same : refused).push_back(layout.name);
  }
  if (auto fault = twice_fault(call)) return *fault;
  if (same.empty() && refused.empty()) return skipped("no input can have another layout");
  return passed(
      (same.empty() ? "" : "same result: " + joined(same)) +
      (refused.empty() ? "" : (same.empty() ? "" : "; ") + ("refused: " + joined(refused))));
}

const RegisteredCheck layouts_check({
    .name = "layouts",
    .title = "layouts",
    .meaning = "The results are the same if inputs are transposed, stepped (x[::2]), offset "
               "(x[1:]), expanded or channels-last",
    .order = 80,
    .run = check_layouts,
    .other_shapes = true,
    .compares_calls = true,
});

}  // namespace
}  // namespace opsmith
