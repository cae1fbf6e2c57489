#include <ATen/Functions.h>

#include "runtime/dtypes.h"
#include "runtime/operator_check/autograd_fallback.h"
#include "runtime/operator_check/checks.h"

namespace opsmith {
namespace {

std::string shape_text(const at::Tensor& tensor) {
  return dtype_name(tensor.scalar_type()) + index_text(tensor.sizes().vec());
}

OperatorCheckFinding check_meta(const OperatorCall& call) {
  const NoAutogradFallback fallback;
  const auto inputs = call.fresh();
  const auto real = call.run(inputs);
  const auto meta_inputs = call.map([](const at::Tensor& tensor) {
    auto copy = tensor.detach().to(at::kMeta);
    if (tensor.requires_grad()) copy.requires_grad_();
    return copy;
  });
  Tensors meta;
  const auto error = call.try_run(meta_inputs, meta);
  // Only Python knows a Meta kernel of some of libtorch's own operators, relu and convolution say.
  const bool in_python_only = error.find("aten::") != std::string::npos ||
                              error.find("convolution_overrideable") != std::string::npos;
  if (in_python_only) return skipped("libtorch has that Meta kernel in Python only: " + error);
  if (!error.empty() && call.callable().function != nullptr) {
    return skipped("the function does not run on meta tensors: " + error);
  }
  if (!error.empty()) {
    return failed("the operator does not run on meta tensors: " + error,
                  "Register a kernel at Meta that gives an empty tensor of the right shape and "
                  "dtype: torch.compile and torch.export need it.");
  }
  const char* advice = "Mend the Meta kernel: the compiler plans memory by it.";
  if (meta.size() != real.size()) {
    return failed("the Meta kernel gives " + std::to_string(meta.size()) + " output(s), the real " +
                      std::to_string(real.size()),
                  advice);
  }
  for (size_t o = 0; o < real.size(); ++o) {
    const auto at_output = [&](OperatorCheckFinding finding) {
      finding.output = static_cast<int64_t>(o);
      return finding;
    };
    const auto name = "output " + std::to_string(o);
    if (meta[o].sizes() != real[o].sizes() || meta[o].scalar_type() != real[o].scalar_type()) {
      return at_output(failed(name + " is " + shape_text(meta[o]) + " by the Meta kernel, and " +
                                  shape_text(real[o]) + " in truth",
                              advice));
    }
    if (meta[o].device().type() != at::kMeta) {
      return at_output(failed(name + " of the Meta kernel is no meta tensor", advice));
    }
    for (int64_t dim = 0; dim < real[o].dim(); ++dim) {
      if (real[o].size(dim) < 2 || real[o].numel() == 0) continue;
      if (meta[o].stride(dim) == real[o].stride(dim)) continue;
      return at_output(failed(name + " has strides " + index_text(meta[o].strides().vec()) +
                                  " by the Meta kernel, and " +
                                  index_text(real[o].strides().vec()) + " in truth",
                              advice));
    }
  }
  for (size_t o = 0; o < real.size(); ++o) {
    const auto name = "output " + std::to_string(o);
    const auto at_output = [&](const std::string& what) {
      auto finding = failed(what, advice);
      finding.output = static_cast<int64_t>(o);
      return finding;
    };
    if (real[o].requires_grad() != meta[o].requires_grad()) {
      return at_output(name + " requires grad only " +
                       (real[o].requires_grad() ? "in truth" : "by the Meta kernel"));
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool aliased = real[o].is_alias_of(inputs[i]);
      if (real[o].numel() > 0 && aliased != meta[o].is_alias_of(meta_inputs[i])) {
        return at_output(name + " shares the memory of " + call.tensors()[i].name + " only " +
                         (aliased ? "in truth" : "by the Meta kernel"));
      }
    }
    for (size_t other = 0; other < o; ++other) {
      const bool aliased = real[o].is_alias_of(real[other]);
      if (real[o].numel() > 0 && aliased != meta[o].is_alias_of(meta[other])) {
        return at_output(name + " shares the memory of output " + std::to_string(other) + " only " +
                         (aliased ? "in truth" : "by the Meta kernel"));
      }
    }
  }
  return passed("sizes, strides, dtypes and aliases agree");
}

const RegisteredCheck meta_check({
    .name = "meta",
    .title = "meta",
    .meaning = "The Meta kernel gives the sizes, strides and dtypes of the real one",
    .order = 60,
    .run = check_meta,
    .other_shapes = true,
});

}  // namespace
}  // namespace opsmith
