#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "runtime/dtypes.h"
#include "runtime/operator_check/autograd_fallback.h"
#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/other_arguments.h"
#include "runtime/operator_check/other_calls.h"

namespace opsmith {
namespace {

std::string shape_text(const at::Tensor& tensor) {
  return dtype_name(tensor.scalar_type()) + index_text(tensor.sizes().vec());
}

constexpr const char* correct_it =
    "Correct the Meta kernel. torch.compile uses the Meta kernel to plan memory, and fails if "
    "sizes or strides differ (assert_size_stride).";

at::Tensor meta_copy(const at::Tensor& tensor) {
  auto copy = at::empty_strided(tensor.sizes(), tensor.strides(),
                                tensor.options().device(at::kMeta).requires_grad(false));
  if (tensor.requires_grad()) copy.requires_grad_();
  return copy;
}

Tensors meta_copies(const Tensors& tensors) {
  Tensors copies;
  for (const auto& tensor : tensors)
    copies.push_back(meta_copy(tensor));
  return copies;
}

// Sizes, dtypes and strides of a Meta kernel's outputs against those of the real one; `when` begins
// the sentence.
std::optional<OperatorCheckFinding> shape_fault(const Tensors& meta, const Tensors& real,
                                                const std::string& when) {
  if (meta.size() != real.size()) {
    return failed(when + "the Meta kernel returns " + std::to_string(meta.size()) +
                      " output(s), but the real kernel returns " + std::to_string(real.size()),
                  correct_it);
  }
  for (size_t o = 0; o < real.size(); ++o) {
    const auto at_output = [&](const std::string& what) {
      auto finding = failed(when + what, correct_it);
      finding.output = static_cast<int64_t>(o);
      return finding;
    };
    const auto name = "output " + std::to_string(o);
    if (meta[o].sizes() != real[o].sizes() || meta[o].scalar_type() != real[o].scalar_type()) {
      return at_output(name + " is " + shape_text(meta[o]) + " from the Meta kernel, but " +
                       shape_text(real[o]) + " from the real kernel");
    }
    if (meta[o].device().type() != at::kMeta) {
      return at_output(name + " of the Meta kernel is not a meta tensor");
    }
    for (int64_t dim = 0; dim < real[o].dim(); ++dim) {
      if (real[o].size(dim) < 2 || real[o].numel() == 0) continue;
      if (meta[o].stride(dim) == real[o].stride(dim)) continue;
      return at_output(name + " has strides " + index_text(meta[o].strides().vec()) +
                       " from the Meta kernel, but " + index_text(real[o].strides().vec()) +
                       " from the real kernel");
    }
  }
  return std::nullopt;
}

// The same with inputs in other layouts, of other dtypes than the given ones (of all, and of one of
// several), and with other arguments.
std::optional<OperatorCheckFinding> shape_fault_elsewhere(const OperatorCall& call) {
  if (call.callable().function != nullptr) return std::nullopt;
  // Of some of libtorch's own, the Meta kernel that torch.compile takes is in Python.
  if (call.callable().name.compare(0, 6, "aten::") == 0) return std::nullopt;
  const at::NoGradGuard unrecorded;
  std::vector<Look> looks;
  const auto add = [&](Tensors given, std::string when) {
    looks.emplace_back([&call, given = std::move(given), when = std::move(when)] {
      const auto copies = meta_copies(given);
      const auto real = call.run(given);
      return shape_fault(call.run(copies), real, when);
    });
  };
  std::vector<size_t> floating;
  for (size_t i = 0; i < call.tensors().size(); ++i) {
    if (call.tensors()[i].tensor.is_floating_point()) floating.push_back(i);
  }
  for (auto& [tensors, when] : in_other_layouts(call)) {
    const bool has_bit = std::any_of(tensors.begin(), tensors.end(), [](const at::Tensor& tensor) {
      return tensor.is_neg() || tensor.is_conj();
    });
    if (!has_bit) add(std::move(tensors), std::move(when));
  }
  const auto converted = [&](const at::Tensor& tensor, at::ScalarType dtype) {
    return tensor.detach().to(dtype, /*non_blocking=*/false, /*copy=*/true);
  };
  for (const auto dtype : {at::kHalf, at::kFloat, at::kDouble}) {
    auto all = call.fresh();
    for (const size_t i : floating)
      all[i] = converted(all[i], dtype);
    add(all, std::string("in ") + dtype_name(dtype) + ", ");
    for (const size_t i : floating) {
      if (floating.size() < 2) break;
      auto mixed = all;
      mixed[i] = converted(all[i], dtype == at::kDouble ? at::kFloat : at::kDouble);
      const auto when = "with " + call.tensors()[i].name + " in " +
                        dtype_name(mixed[i].scalar_type()) + " and the others in " +
                        dtype_name(dtype) + ", ";
      add(std::move(mixed), when);
    }
  }
  // A window that fits its input leaves nothing over, so that rounding up and down are the same.
  const bool keeps_sizes = !not_resizable(call).empty();
  for (const int64_t size : keeps_sizes ? std::vector<int64_t>() : resizable_sizes(call)) {
    for (const int64_t other : {size - 1, size + 1}) {
      add(with_other_size(call.values(), size, other), "when input dimensions of size " +
                                                           std::to_string(size) + " get size " +
                                                           std::to_string(other) + ", ");
    }
  }
  for (auto& [place, value, words, same] : other_arguments(call)) {
    const auto changed = call.with_argument(place, value);
    looks.emplace_back([changed, words = words] {
      const auto real = changed.run(changed.fresh());
      return shape_fault(changed.run(meta_copies(changed.fresh())), real, words);
    });
  }
  return first_found_in_copy(looks);
}

OperatorCheckFinding check_meta(const OperatorCall& call) {
  const NoAutogradFallback fallback;
  const auto inputs = call.fresh();
  const auto real = call.run(inputs);
  const auto meta_inputs = meta_copies(call.fresh());
  Tensors meta;
  const auto error = call.try_run(meta_inputs, meta);
  // Only Python knows a Meta kernel of some of libtorch's own operators, relu and convolution say.
  const bool in_python_only = error.find("aten::") != std::string::npos ||
                              error.find("convolution_overrideable") != std::string::npos;
  if (in_python_only)
    return skipped("the call uses a PyTorch operator whose Meta kernel exists only in Python: " +
                   error);
  if (!error.empty() && call.callable().function != nullptr) {
    return skipped("the function does not run on meta tensors: " + error);
  }
  if (!error.empty()) {
    return failed("the operator does not run on meta tensors: " + error,
                  "Register a Meta kernel that returns an empty tensor of the right shape and "
                  "dtype. torch.compile and torch.export need a Meta kernel.");
  }
  if (auto fault = shape_fault(meta, real, "")) return *fault;
  for (size_t o = 0; o < real.size(); ++o) {
    const auto name = "output " + std::to_string(o);
    const auto at_output = [&](const std::string& what) {
      auto finding = failed(what, correct_it);
      finding.output = static_cast<int64_t>(o);
      return finding;
    };
    const auto only_one = [&](bool is_real, const std::string& what) {
      const std::string real_kernel = "the real kernel", meta_kernel = "the Meta kernel";
      return at_output("with " + (is_real ? real_kernel : meta_kernel) + ", " + name + what +
                       ", but not with " + (is_real ? meta_kernel : real_kernel));
    };
    if (real[o].requires_grad() != meta[o].requires_grad())
      return only_one(real[o].requires_grad(), " requires grad");
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool aliased = real[o].is_alias_of(inputs[i]);
      if (real[o].numel() > 0 && aliased != meta[o].is_alias_of(meta_inputs[i])) {
        return only_one(aliased, " shares the memory of " + call.tensors()[i].name);
      }
    }
    for (size_t other = 0; other < o; ++other) {
      const bool aliased = real[o].is_alias_of(real[other]);
      if (real[o].numel() > 0 && aliased != meta[o].is_alias_of(meta[other])) {
        return only_one(aliased, " shares the memory of output " + std::to_string(other));
      }
    }
  }
  return passed("the Meta kernel and the real kernel agree on sizes, strides, dtypes and aliases");
}

const RegisteredCheck meta_check({
    .name = "meta",
    .title = "meta",
    .meaning = "The Meta kernel returns the sizes, strides and dtypes of the real kernel",
    .order = 60,
    .run = check_meta,
    .run_elsewhere = shape_fault_elsewhere,
    .other_shapes = true,
});

}  // namespace
}  // namespace opsmith
