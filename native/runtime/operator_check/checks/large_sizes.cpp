#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>
#include <sys/mman.h>

#include <csignal>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "runtime/dtypes.h"
#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/process/forked_call.h"

namespace opsmith {
namespace {

constexpr int64_t tail_size = 64;
constexpr int64_t past = (int64_t{1} << 31) + tail_size;

// Zeros in pages that take memory only once they are written to; undefined when there is no room in
// the address space.
at::Tensor zeros_on_demand(const at::TensorOptions& options) {
  const auto bytes = static_cast<size_t>(past) * options.dtype().itemsize();
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return {};
  return at::from_blob(memory, {past}, [bytes](void* data) { munmap(data, bytes); }, options);
}

// What the system can give without swapping, in bytes.
uint64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  uint64_t kibibytes = 0;
  while (file >> name >> kibibytes && std::getline(file, unit)) {
    if (name == "MemAvailable:") return kibibytes << 10;
  }
  return 0;
}

// The last elements of the large input, in a dtype.
at::Tensor tail_of(const at::Tensor& given, at::ScalarType dtype) {
  // Of a floating input, whose values may all round to 0.
  if (given.is_floating_point() && at::isIntegralType(dtype, /*includeBool=*/false)) {
    return at::arange(tail_size).remainder(7).add(1).to(dtype);
  }
  return given.detach().reshape(-1).to(dtype).repeat({tail_size}).narrow(0, 0, tail_size);
}

// Bytes of an output's element when the input has this dtype; nullopt where the operator takes none
// such, does not give an element for each, or gives nothing but zeros, which pages that nobody
// wrote hold too. In a copy: an operator may read past the end of a narrower dtype.
std::optional<int64_t> output_width(const OperatorCall& call, at::ScalarType dtype) {
  const auto tail = tail_of(call.tensors()[0].tensor, dtype);
  const auto outcome = run_forked(
      [&]() -> std::string {
        Tensors outputs;
        if (!call.try_run({tail}, outputs).empty() || outputs.size() != 1 ||
            outputs[0].sizes() != tail.sizes() || !outputs[0].ne(0).any().item<bool>()) {
          return "";
        }
        return std::to_string(outputs[0].element_size());
      },
      patience);
  if (outcome.end != ForkedOutcome::End::answered || outcome.answer.empty()) return std::nullopt;
  return std::stoll(outcome.answer);
}

OperatorCheckFinding check_large(const OperatorCall& call) {
  const at::NoGradGuard unrecorded;
  if (call.tensors().size() != 1)
    return skipped("this check supports only operators with one input tensor");
  const auto& given = call.tensors()[0].tensor;
  if (!given.is_cpu()) return skipped("this check supports only tensors on the CPU");
  if (given.numel() == 0) return skipped("the input tensor has no elements");
  // The dtype that takes the least memory: the input takes none, its pages hold zeros.
  std::vector<at::ScalarType> candidates{given.scalar_type()};
  if (given.is_floating_point()) candidates = {at::kChar, at::kHalf, at::kFloat, at::kDouble};
  std::optional<at::ScalarType> dtype;
  int64_t width = 0;
  for (const auto candidate : candidates) {
    const auto bytes = output_width(call, candidate);
    if (!bytes || (dtype && *bytes >= width)) continue;
    dtype = candidate;
    width = *bytes;
  }
  if (!dtype) {
    return skipped("this check supports only elementwise operators");
  }
  // The output, and as much again for what the operator computes on the way.
  const auto needed = 2 * static_cast<uint64_t>(past) * static_cast<uint64_t>(width);
  if (available_memory() < needed) {
    return skipped("this check needs " + std::to_string(needed >> 30) +
                   " GiB of free memory, but only " + std::to_string(available_memory() >> 30) +
                   " GiB are free");
  }
  const at::ScalarType chosen = *dtype;
  const auto tail = tail_of(given, chosen);
  const auto outcome = run_forked(
      [&]() -> std::string {
        const auto input = zeros_on_demand(given.options().dtype(chosen).requires_grad(false));
        if (!input.defined()) return "no room";
        input.narrow(0, past - tail_size, tail_size).copy_(tail);
        Tensors expected, outputs;
        call.try_run({tail}, expected);
        const auto error = call.try_run({input}, outputs);
        // The allocator's own error: it is no answer of the operator's.
        if (error.find("DefaultCPUAllocator") != std::string::npos) return "no room";
        if (!error.empty()) return "refused";
        if (outputs[0].sizes() != input.sizes())
          return "the output has a different shape than the input";
        return finding_text(difference({outputs[0].narrow(0, past - tail_size, tail_size)},
                                       expected, "counted from element 2^31,"));
      },
      110);
  if (outcome.end == ForkedOutcome::End::timed_out) return skipped(outcome.describe());
  if (outcome.end == ForkedOutcome::End::not_started) return skipped(outcome.describe());
  // The system's answer to too much memory; a fault of the operator's has another signal.
  if (outcome.end == ForkedOutcome::End::signalled && outcome.signal == SIGKILL) {
    return skipped("the process was killed, probably because memory ran out");
  }
  const bool answered = outcome.end == ForkedOutcome::End::answered;
  if (answered && outcome.answer == "no room")
    return skipped("there is not enough memory for 2^31 elements");
  if (answered && outcome.answer == "refused") {
    return passed("the operator refuses more than 2^31 elements");
  }
  const auto in = " (in " + std::string(dtype_name(*dtype)) + ")";
  if (answered && outcome.answer.empty())
    return passed("the result is right for more than 2^31 elements" + in);
  const auto* advice = "Count elements with int64_t, not with int.";
  if (answered) return failed("with more than 2^31 elements: " + outcome.answer + in, advice);
  return ended(outcome, "with more than 2^31 elements, the call ends in " + outcome.describe() + in,
               advice);
}

const RegisteredCheck large_sizes_check({
    .name = "large_sizes",
    .title = "large sizes",
    .meaning =
        "The results are right for more than 2^31 elements. This check runs only if you select it",
    .order = 220,
    .run = check_large,
    .only_when_asked = "this check is off by default, because it needs gigabytes of memory; select "
                       "this check (--check large_sizes)",
    .compares_calls = true,
    .can_shrink = false,
});

}  // namespace
}  // namespace opsmith
