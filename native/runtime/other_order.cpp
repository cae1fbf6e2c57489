#include "runtime/other_order.h"

#include <ATen/Context.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/CUDAHooksInterface.h>

#include <mutex>

#include "runtime/comparison.h"
#include "runtime/devices.h"
#include "runtime/operator_check/checks.h"
#include "runtime/values.h"
#include "runtime/virtual_device.h"

namespace opsmith {
namespace {

using Stack = std::vector<c10::IValue>;

// Of the CPU and of each virtual GPU.
std::vector<at::Generator> default_generators() {
  std::vector<at::Generator> generators{at::detail::getDefaultCPUGenerator()};
  for (int i = 0; i < at::detail::getCUDAHooks().deviceCount(); ++i)
    generators.push_back(
        at::globalContext().defaultGenerator({at::kCUDA, static_cast<c10::DeviceIndex>(i)}));
  return generators;
}

bool is_equal(const c10::IValue& one, const c10::IValue& other) {
  if (one.isTensor() && other.isTensor()) {
    const auto& left = one.toTensor();
    const auto& right = other.toTensor();
    if (!left.defined() || !right.defined()) return left.defined() == right.defined();
    // Of the same bits are NaNs too, which are equal to nothing.
    if (left.sizes() == right.sizes() && left.dtype() == right.dtype() && same_bits(left, right))
      return true;
  }
  return opsmith::compare(0, one, other, {}).matches;
}

bool are_equal(const Stack& ones, const Stack& others) {
  const auto left = flatten(ones);
  const auto right = flatten(others);
  if (left.size() != right.size()) return false;
  for (size_t i = 0; i < left.size(); ++i) {
    if (!is_equal(left[i], right[i])) return false;
  }
  return true;
}

}  // namespace

OtherOrder::OtherOrder(const Stack& arguments) {
  if (!checks_kernels()) return;
  arguments_ = arguments;
  copies_ = clones_of(arguments);
  for (auto& generator : default_generators()) {
    const std::lock_guard lock(generator.mutex());
    generators_.push_back(generator.clone());
  }
}

void OtherOrder::compare(const Stack& results, const std::function<void(Stack&)>& call) const {
  if (!results_may_differ()) return;
  auto generators = default_generators();
  for (size_t i = 0; i < generators.size(); ++i) {
    const std::lock_guard lock(generators[i].mutex());
    generators[i].set_state(generators_[i].get_state());
  }
  auto stack = copies_;
  call(stack);
  wait_for_devices();
  if (!are_equal(results, stack) || !are_equal(arguments_, copies_)) results_differ();
}

}  // namespace opsmith
