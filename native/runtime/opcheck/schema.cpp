#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/function.h>

#include <cstring>
#include <optional>

#include "runtime/dtypes.h"
#include "runtime/elements.h"
#include "runtime/opcheck/checks.h"
#include "runtime/registry.h"

namespace opsmith {
namespace {

namespace autograd = torch::autograd;

struct Snapshot {
  std::vector<char> bytes;
  std::vector<int64_t> sizes, strides;

  explicit Snapshot(const at::Tensor& tensor)
      : sizes(tensor.sizes().vec()), strides(tensor.strides().vec()) {
    const auto& storage = tensor.storage();
    const auto* data = static_cast<const char*>(storage.data());
    bytes.assign(data, data + storage.nbytes());
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
  return tensor.layout() == at::kStrided && tensor.is_cpu() && tensor.has_storage();
}

bool shares_memory(const at::Tensor& left, const at::Tensor& right) {
  return left.has_storage() && right.has_storage() && left.storage().nbytes() > 0 &&
         left.storage().data() == right.storage().data();
}

// Which alias sets the schema gives an output; "" for none. A list of tensors is one return.
std::string declared_sets(const c10::FunctionSchema& schema, size_t output, size_t outputs) {
  const auto& returns = schema.returns();
  if (returns.empty()) return "";
  const auto& value = returns.size() == outputs ? returns[output] : returns[0];
  std::string sets;
  const auto* alias = value.alias_info();
  if (alias == nullptr) return "";
  for (const auto& set : alias->beforeSets())
    sets += set.toUnqualString();
  for (const auto& element : alias->containedTypes()) {
    for (const auto& set : element.beforeSets())
      sets += set.toUnqualString();
  }
  return sets;
}

bool intersect(const std::string& left, const std::string& right) {
  return left.find_first_of(right) != std::string::npos;
}

std::string shape_text(const at::Tensor& tensor) {
  return dtype_name(tensor.scalar_type()) + index_text(tensor.sizes().vec());
}

std::optional<c10::OperatorHandle> handle_of(const OperatorCall& call) {
  if (call.callable().function != nullptr) return std::nullopt;
  return find_operator(call.callable().name);
}

// Without it, outputs of an operator that has no autograd kernel require grad, so that backward can
// warn.
struct NoAutogradFallback {
  autograd::AutogradFallbackMode before = autograd::getAutogradFallbackMode();
  NoAutogradFallback() {
    autograd::setAutogradFallbackMode(autograd::AutogradFallbackMode::Nothing);
  }
  ~NoAutogradFallback() { autograd::setAutogradFallbackMode(before); }
};

constexpr const char* not_an_operator = "a function of the program has no schema of its own";

}  // namespace

OpcheckFinding check_mutation(const OperatorCall& call) {
  const auto inputs = call.fresh();
  std::vector<std::optional<Snapshot>> before;
  for (const auto& input : inputs)
    before.push_back(can_be_snapshot(input) ? std::optional<Snapshot>(input) : std::nullopt);
  call.run(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto& declared = call.tensors()[i];
    if (!before[i] || declared.may_be_written) continue;
    const auto advice = "Declare it in the schema (Tensor(a!) " + declared.name +
                        "), or work on a copy: callers and the compiler rely on the schema.";
    const auto with_name = [&](OpcheckFinding finding) {
      finding.input = declared.name;
      return finding;
    };
    if (inputs[i].sizes().vec() != before[i]->sizes ||
        inputs[i].strides().vec() != before[i]->strides) {
      return with_name(failed("the shape of " + declared.name + " was changed in place", advice));
    }
    const Snapshot after(inputs[i]);
    for (size_t byte = 0; byte < after.bytes.size() && byte < before[i]->bytes.size(); ++byte) {
      if (after.bytes[byte] == before[i]->bytes[byte]) continue;
      const int64_t flat = changed_element(inputs[i], byte);
      const auto index = flat < 0 ? std::vector<int64_t>() : index_of(inputs[i], flat);
      const auto what = flat < 0 ? "memory behind " + declared.name
                                 : "element " + index_text(index) + " of " + declared.name;
      auto finding =
          with_name(failed(what + " was written, and the schema does not say that it is", advice));
      finding.index = index;
      return finding;
    }
  }
  if (auto fault = gradient_mutation_fault(call)) return *fault;
  return passed("no byte of an input changed that the schema does not declare");
}

OpcheckFinding check_aliasing(const OperatorCall& call) {
  const auto inputs = call.fresh();
  const auto outputs = call.run(inputs);
  const auto& schema = call.callable().schema;
  for (size_t o = 0; o < outputs.size(); ++o) {
    const auto sets = declared_sets(schema, o, outputs.size());
    const auto at_output = [&](OpcheckFinding finding) {
      finding.output = static_cast<int64_t>(o);
      return finding;
    };
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto& input = call.tensors()[i];
      if (!shares_memory(outputs[o], inputs[i]) || intersect(sets, input.alias)) continue;
      auto finding = at_output(failed(
          "output " + std::to_string(o) + " shares the memory of " + input.name +
              ", and the schema does not say so",
          "Return a copy (clone()), or declare both as Tensor(a). Autograd and the compiler go "
          "wrong on aliases that they do not know of."));
      finding.input = input.name;
      return finding;
    }
    for (size_t other = 0; other < o; ++other) {
      const auto others = declared_sets(schema, other, outputs.size());
      if (!shares_memory(outputs[o], outputs[other]) || intersect(sets, others)) continue;
      return at_output(failed("outputs " + std::to_string(other) + " and " + std::to_string(o) +
                                  " share memory, and the schema does not say so",
                              "Return a copy (clone()) of one of them."));
    }
  }
  return passed("outputs share memory with nothing that the schema does not declare");
}

OpcheckFinding check_registration(const OperatorCall& call) {
  const auto op = handle_of(call);
  if (!op) return skipped(not_an_operator);
  using Key = c10::DispatchKey;
  const auto has = [&](Key key) { return op->hasKernelForDispatchKey(key); };
  // From a composite kernel too.
  const auto runs_at = [&](Key key) { return op->hasComputedKernelForDispatchKey(key); };
  const bool composite = has(Key::CompositeImplicitAutograd);
  std::string missing;
  const auto note = [&](const std::string& key, const std::string& felt) {
    missing += (missing.empty() ? "" : "; ") + std::string("no ") + key + " kernel: " + felt;
  };
  if (!runs_at(Key::CPU)) note("CPU", "it cannot run on the CPU");
  if (!runs_at(Key::CUDA)) note("CUDA", "it cannot run on a GPU");
  if (!runs_at(Key::Meta)) {
    note("Meta", "torch.compile and torch.export stop at it");
  }
  if (!composite && !has(Key::Autograd) && !has(Key::AutogradCPU)) {
    note("Autograd", "no gradient flows through it");
  }
  if (!composite && !has(Key::AutocastCUDA) && !has(Key::AutocastCPU)) {
    note("Autocast", "under autocast it gets whatever dtypes come");
  }
  if (!runs_at(Key::CPU)) {
    return failed(missing, "Register a kernel with TORCH_LIBRARY_IMPL.");
  }
  return passed(missing.empty() ? "every key has a kernel" : missing);
}

OpcheckFinding check_autograd_registration(const OperatorCall& call) {
  const auto op = handle_of(call);
  if (!op) return skipped(not_an_operator);
  bool any = false;
  for (const auto& tensor : call.values())
    any = any || tensor.requires_grad();
  if (!any) return skipped("no input requires grad");
  using Key = c10::DispatchKey;
  for (const Key key : {Key::AutogradCPU, Key::Autograd, Key::CompositeImplicitAutograd}) {
    if (op->hasKernelForDispatchKey(key)) {
      return passed(std::string("gradients are registered at ") + c10::toString(key));
    }
  }
  const NoAutogradFallback fallback;
  const auto inputs = call.fresh();
  const auto outputs = call.run(inputs);
  for (size_t o = 0; o < outputs.size(); ++o) {
    bool is_input = false;
    for (const auto& input : inputs)
      is_input = is_input || outputs[o].is_same(input);
    if (is_input || !outputs[o].requires_grad()) continue;
    auto finding = failed(
        "output " + std::to_string(o) +
            " requires grad, but the operator has no kernel at an autograd key",
        "Register what calls torch::autograd::Function at Autograd, not at CPU or CUDA; what is "
        "made of PyTorch's own operators at CompositeImplicitAutograd.");
    finding.output = static_cast<int64_t>(o);
    return finding;
  }
  return passed("no autograd kernel, and no output claims a gradient");
}

OpcheckFinding check_gradient_lost(const OperatorCall& call) {
  const auto inputs = call.fresh();
  const auto differentiable = differentiable_inputs(inputs);
  if (differentiable.empty()) return skipped("no input requires grad");
  const auto outputs = call.run(inputs);
  bool any = false;
  for (const auto& output : outputs) {
    if (!output.is_floating_point() && !output.is_complex()) continue;
    any = true;
    const auto node = output.grad_fn();
    // libtorch's fallback for operators without an autograd kernel: it warns, and gives nothing.
    if (node && node->name().find("NotImplemented") == std::string::npos) {
      return passed("an output requires grad");
    }
  }
  if (draws_random_numbers(call)) return skipped("it draws random numbers");
  if (!any) return skipped("no output is of a floating or complex dtype");
  auto changed = call.fresh();
  for (const size_t index : differentiable) {
    const at::NoGradGuard unrecorded;
    changed[index].add_(0.125);
  }
  const auto others = call.run(changed);
  for (size_t o = 0; o < outputs.size() && o < others.size(); ++o) {
    if (outputs[o].sizes() == others[o].sizes() && same_bits(outputs[o], others[o])) continue;
    auto finding = failed(
        "output " + std::to_string(o) + " depends on " + call.names()[differentiable[0]] +
            ", which requires grad, but does not require it itself: training would silently go "
            "without this gradient",
        "Register an autograd kernel, or add an entry to `autograd` in opsmith.json.");
    finding.output = static_cast<int64_t>(o);
    return finding;
  }
  return passed("the outputs do not change with the inputs that require grad");
}

OpcheckFinding check_meta(const OperatorCall& call) {
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
    const auto at_output = [&](OpcheckFinding finding) {
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

}  // namespace opsmith
