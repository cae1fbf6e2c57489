#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <chrono>
#include <thread>

#include "runtime/timing/machine.h"
#include "runtime/timing/timing.h"
#include "runtime/values.h"

namespace opsmith {
namespace {

using namespace std::chrono_literals;

// libtorch's own threads are at rest after this: OpenMP's spin a while when their work is done.
constexpr auto settling = 5ms;
constexpr auto watching = 20ms;
constexpr int watched = 3;
// Of one core, while nothing should run.
constexpr double working_share = 0.5;

bool equal(const Tensors& left, const Tensors& right) {
  if (left.size() != right.size()) return false;
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i].sizes() != right[i].sizes() || left[i].scalar_type() != right[i].scalar_type() ||
        !at::allclose(left[i], right[i], 0, 0, /*equal_nan=*/true)) {
      return false;
    }
  }
  return true;
}

Tensors detached(const Tensors& tensors) {
  Tensors copies;
  for (const auto& tensor : tensors)
    copies.push_back(tensor.detach().clone());
  return copies;
}

// Copies that can stand in the place of the inputs.
Tensors copies_of(const Tensors& inputs) {
  Tensors copies;
  for (const auto& input : inputs)
    copies.push_back(input.detach().clone().requires_grad_(input.requires_grad()));
  return copies;
}

bool has_elements(const Tensors& tensors) {
  for (const auto& tensor : tensors) {
    if (tensor.numel() > 0) return true;
  }
  return false;
}

// The first set's memory, with the second set's values: an operator that remembers by address, or
// by size, gives what it gave before.
void find_cached(TimedCall& call, std::vector<TimingTrap>& traps) {
  if (call.sets() < 2 || equal(call.inputs(0), call.inputs(1))) return;
  const auto inputs = copies_of(call.inputs(0));
  const auto before = detached(call.outputs_for(inputs));
  if (!has_elements(before)) return;
  for (size_t i = 0; i < inputs.size(); ++i)
    inputs[i].variable_data().copy_(call.inputs(1)[i]);
  const auto after = detached(call.outputs_for(inputs));
  const auto expected = detached(call.outputs_for(copies_of(call.inputs(1))));
  if (equal(before, after) && !equal(after, expected)) {
    traps.push_back({TimingTrapKind::cached,
                     "caches results: after an input was changed in place, it returns the old "
                     "output, so repeated calls do not do the work"});
  } else if (equal(before, after)) {
    traps.push_back({TimingTrapKind::constant,
                     "gives the same output for different inputs and may cache results. Compare "
                     "the result with a reference before you trust the time"});
  }
}

void find_unfinished(TimedCall& call, std::vector<TimingTrap>& traps) {
  const auto inputs = copies_of(call.inputs(0));
  call.outputs_for(inputs);
  std::this_thread::sleep_for(settling);
  const char* proof = nullptr;
  // libtorch's threads and the op host's own may work now and then, on a busy machine for longer:
  // what an operator leaves behind is there each time.
  for (int i = 0; i < watched; ++i) {
    const auto outputs = call.outputs_for(inputs);
    const auto at_return = detached(outputs);
    std::this_thread::sleep_for(settling);
    const auto before = cpu_times();
    std::this_thread::sleep_for(watching);
    const auto after = cpu_times();
    if (!equal(at_return, detached(outputs))) {
      proof = "changed its outputs after it had returned";
      break;
    }
    const double worked = (after.process - before.process) - (after.thread - before.thread);
    const bool works = worked > working_share * std::chrono::duration<double>(watching).count();
    proof = works ? "returned while its threads were still working" : nullptr;
    if (!works) break;
  }
  if (proof != nullptr) {
    traps.push_back(
        {TimingTrapKind::asynchronous,
         std::string(proof) + ", so the measured time does not include all of the work"});
  }
}

// The same of a device: its work shows on events of the current stream, or it does not.
void find_work_elsewhere(TimedCall& call, DeviceClock& clock, std::vector<TimingTrap>& traps) {
  const auto once = [&] { call.once(); };
  once();
  if (clock.works_elsewhere(once)) {
    traps.push_back(
        {TimingTrapKind::asynchronous,
         "leaves work on another stream: the device was still busy when the current stream was "
         "done, so events on the current stream do not measure all of the work"});
  }
  if (clock.waits(once)) {
    traps.push_back({TimingTrapKind::waits,
                     "waits for the device before it returns (item(), nonzero(), a copy to the "
                     "CPU): after the wait the device is idle until the next launch, so the time "
                     "includes the launch"});
  }
}

void find_nan(TimedCall& call, std::vector<TimingTrap>& traps) {
  size_t number = 0;
  for (const auto& output : call.outputs_for(copies_of(call.inputs(0)))) {
    if ((output.is_floating_point() || output.is_complex()) &&
        at::isnan(output).any().item<bool>()) {
      traps.push_back(
          {TimingTrapKind::not_a_number, "output " + std::to_string(number) + " contains NaN"});
    }
    ++number;
  }
}

}  // namespace

std::vector<TimingTrap> find_traps(TimedCall& call, DeviceClock* clock) {
  std::vector<TimingTrap> traps;
  find_cached(call, traps);
  if (clock != nullptr) {
    find_work_elsewhere(call, *clock, traps);
  } else {
    find_unfinished(call, traps);
  }
  find_nan(call, traps);
  return traps;
}

}  // namespace opsmith
