#include <optional>
#include <string>

#include "runtime/operator_check/autograd_fallback.h"
#include "runtime/operator_check/checks.h"
#include "runtime/registry.h"

namespace opsmith {
namespace {

std::optional<c10::OperatorHandle> handle_of(const OperatorCall& call) {
  if (call.callable().function != nullptr) return std::nullopt;
  return find_operator(call.callable().name);
}

constexpr const char* not_an_operator = "a function of the program is not a registered operator";

OperatorCheckFinding check_registration(const OperatorCall& call) {
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
  if (!runs_at(Key::CPU)) note("CPU", "the operator cannot run on the CPU");
  if (!runs_at(Key::CUDA)) note("CUDA", "the operator cannot run on a GPU");
  if (!runs_at(Key::Meta)) {
    note("Meta", "torch.compile and torch.export fail");
  }
  if (!composite && !has(Key::Autograd) && !has(Key::AutogradCPU)) {
    note("Autograd", has(Key::AutogradCUDA) ? "autograd records no gradient on the CPU"
                                            : "autograd records no gradient");
  }
  if (!composite && !has(Key::AutocastCUDA) && !has(Key::AutocastCPU)) {
    note("Autocast", "inputs may have mixed dtypes under autocast");
  }
  if (!runs_at(Key::CPU)) {
    return failed(missing, "Register a kernel with TORCH_LIBRARY_IMPL.");
  }
  return passed(missing.empty() ? "no kernel is missing for CPU, CUDA, Meta, Autograd or Autocast"
                                : missing);
}

OperatorCheckFinding check_autograd_registration(const OperatorCall& call) {
  const auto op = handle_of(call);
  if (!op) return skipped(not_an_operator);
  bool any = false;
  for (const auto& tensor : call.values())
    any = any || tensor.requires_grad();
  if (!any) return skipped("no input requires grad");
  using Key = c10::DispatchKey;
  bool on_cuda = false;
  for (const auto& tensor : call.values())
    on_cuda = on_cuda || tensor.is_cuda();
  const auto of_device = on_cuda ? Key::AutogradCUDA : Key::AutogradCPU;
  for (const Key key : {of_device, Key::Autograd, Key::CompositeImplicitAutograd}) {
    if (op->hasKernelForDispatchKey(key)) {
      return passed(std::string("a kernel is registered for the dispatch key ") +
                    c10::toString(key));
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
            " requires grad, but the operator has no kernel for an autograd key",
        "If the kernel calls a torch::autograd::Function, register the kernel for Autograd, not "
        "for CPU or CUDA. If the kernel calls only PyTorch's operators, register the kernel for "
        "CompositeImplicitAutograd.");
    finding.output = static_cast<int64_t>(o);
    return finding;
  }
  return passed("the operator has no autograd kernel, and no output requires grad");
}

const RegisteredCheck registration_check({
    .name = "registration",
    .title = "registration",
    .meaning = "The operator has a CPU kernel. The check also lists the missing kernels for other "
               "dispatch keys, and what fails without them",
    .order = 30,
    .run = check_registration,
    .makes_calls = false,
    .can_shrink = false,
});

const RegisteredCheck autograd_registration_check({
    .name = "autograd_registration",
    .title = "autograd registration",
    .meaning =
        "If an output requires grad, the operator has a kernel for Autograd, for autograd on "
        "the device of the inputs (such as AutogradCPU), or for CompositeImplicitAutograd",
    .order = 40,
    .run = check_autograd_registration,
    .can_shrink = false,
});

}  // namespace
}  // namespace opsmith
