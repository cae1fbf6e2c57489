#include "runtime/operator_check/sanitized_calls.h"

#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>
#include <fcntl.h>
#include <torch/csrc/autograd/autograd.h>
#include <unistd.h>

#include <chrono>
#include <limits>

#include "runtime/dtypes.h"
#include "runtime/failure.h"
#include "runtime/operator_check/allocation_log.h"
#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/process/forked_call.h"

namespace opsmith {
namespace {

// Forward and, where there is one, backward. What the operator throws is its right; backward of a
// kernel without one throws too.
SanitizedEnd call_both_ways(const OperatorCall& call, const Tensors& given) {
  Tensors outputs;
  if (!call.try_run(given, outputs).empty()) return SanitizedEnd::refused;
  const auto ends = differentiable_outputs(outputs);
  Tensors starts, gradients;
  for (const auto position : differentiable_inputs(given))
    starts.push_back(given[position]);
  if (ends.empty() || starts.empty()) return SanitizedEnd::ran;
  for (const auto& output : ends)
    gradients.push_back(at::ones_like(output));
  try {
    torch::autograd::grad(ends, starts, gradients, std::nullopt, false, /*allow_unused=*/true);
  } catch (...) {
    return SanitizedEnd::ran;
  }
  return SanitizedEnd::ran;
}

void log_to(const std::string& folder) {
  const auto path = folder + "/" + std::to_string(getpid());
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file >= 0) dup2(file, STDERR_FILENO);
}

class SanitizedCalls {
 public:
  explicit SanitizedCalls(std::string logs) : logs_(std::move(logs)) {}

  // Each call has tensors of its own, made here: the copy of the process has them at the same
  // addresses.
  void make(std::string what, const OperatorCall& call, Tensors given) {
    if (gave_up_) return;
    SanitizedCall made;
    made.given = std::move(what);
    for (size_t i = 0; i < given.size(); ++i) {
      const auto& argument = call.tensors()[i];
      // Written in place, a leaf that requires grad is refused by autograd itself.
      if (!argument.may_be_written && is_differentiable_type(given[i])) given[i].requires_grad_();
      if (!given[i].is_cpu() || !given[i].has_storage() || given[i].storage().nbytes() == 0) {
        continue;
      }
      made.inputs.push_back({argument.name, reinterpret_cast<uint64_t>(given[i].storage().data()),
                             static_cast<uint64_t>(given[i].storage().nbytes())});
    }
    const auto outcome = run_forked(
        [&] {
          log_to(logs_);
          log_allocations();
          return std::string(enum_text(call_both_ways(call, given)));
        },
        patience, CopyThreads::one);
    made.process = outcome.process;
    switch (outcome.end) {
      case ForkedOutcome::End::answered:
        made.end = enum_of<SanitizedEnd>(outcome.answer).value_or(SanitizedEnd::stopped);
        break;
      case ForkedOutcome::End::timed_out:
        made.end = SanitizedEnd::timed_out;
        gave_up_ = true;  // the others would take as long
        break;
      case ForkedOutcome::End::signalled:
      case ForkedOutcome::End::exited:
        made.end = SanitizedEnd::stopped;
        gave_up_ = ++stopped_ >= enough_stops;
        break;
      case ForkedOutcome::End::not_started:
        throw Failure(
            ErrorCode::operator_check,
            "Opsmith could not fork the process for a call, probably because memory ran out.",
            "Close programs that use memory, and try again.");
    }
    calls_.push_back(std::move(made));
  }

  std::vector<SanitizedCall> take() { return std::move(calls_); }

 private:
  std::string logs_;
  std::vector<SanitizedCall> calls_;
  // Each takes a report's time, and they have one cause or two.
  static constexpr int enough_stops = 12;
  int stopped_ = 0;
  bool gave_up_ = false;
};

Tensors detached(const OperatorCall& call) {
  return call.map([](const at::Tensor& tensor) { return tensor.detach().clone(); });
}

void call_with_small_sizes(SanitizedCalls& calls, const OperatorCall& call) {
  for (const int64_t size : {0, 1}) {
    calls.make(size == 0 ? "empty tensors" : "tensors of one element", call,
               with_small_sizes(call, size));
  }
}

void call_with_layouts(SanitizedCalls& calls, const OperatorCall& call) {
  for (size_t i = 0; i < call.tensors().size(); ++i) {
    for (const auto& [name, tensor] : other_layouts(call.tensors()[i].tensor.detach())) {
      auto given = detached(call);
      given[i] = tensor;
      calls.make(call.tensors()[i].name + " " + name, call, std::move(given));
    }
  }
}

// Where another input has the same shape, it need not: a kernel that goes by the other's size reads
// past the end of this one.
void call_with_broadcast(SanitizedCalls& calls, const OperatorCall& call) {
  const auto& tensors = call.tensors();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto& tensor = tensors[i].tensor;
    bool has_partner = false;
    for (size_t other = 0; other < tensors.size(); ++other)
      has_partner = has_partner || (other != i && tensors[other].tensor.sizes() == tensor.sizes());
    for (int64_t dim = 0; has_partner && dim < tensor.dim(); ++dim) {
      if (tensor.size(dim) < 2) continue;
      auto given = detached(call);
      given[i] = given[i].narrow(dim, 0, 1).clone(at::MemoryFormat::Contiguous);
      calls.make(tensors[i].name + " broadcast along dimension " + std::to_string(dim), call,
                 std::move(given));
    }
  }
}

void call_with_dtypes(SanitizedCalls& calls, const OperatorCall& call) {
  bool floating = false;
  for (const auto& tensor : call.values())
    floating = floating || tensor.is_floating_point();
  if (!floating) return;
  for (const auto dtype :
       {at::kHalf, at::kBFloat16, at::kFloat, at::kDouble, at::kComplexFloat, at::kComplexDouble,
        at::kByte, at::kShort, at::kInt, at::kLong, at::kBool}) {
    calls.make("floating inputs in " + dtype_name(dtype), call,
               call.map([&](const at::Tensor& tensor) {
                 const auto copy = tensor.detach().clone();
                 return tensor.is_floating_point() ? copy.to(dtype) : copy;
               }));
  }
}

void call_with_values(SanitizedCalls& calls, const OperatorCall& call) {
  using limits = std::numeric_limits<double>;
  const std::pair<const char*, double> values[] = {{"NaN", limits::quiet_NaN()},
                                                   {"infinity", limits::infinity()},
                                                   {"minus infinity", -limits::infinity()}};
  for (size_t i = 0; i < call.tensors().size(); ++i) {
    const auto& tensor = call.tensors()[i].tensor;
    if (!tensor.is_floating_point() || tensor.numel() == 0) continue;
    for (const auto& [name, value] : values) {
      auto given = detached(call);
      given[i].fill_(value);
      calls.make(call.tensors()[i].name + " all " + name, call, std::move(given));
    }
  }
}

}  // namespace

SanitizedReport run_sanitized_calls(const SanitizedRequest& sanitized) {
  const Stage stage(ErrorCode::operator_unknown);
  const auto start = std::chrono::steady_clock::now();
  SanitizedReport report;
  SanitizedCalls calls(sanitized.logs);
  const auto at_sizes = calls_at_sizes(sanitized.request);
  const auto& given = at_sizes.front().call;
  report.op = given.callable().name;
  const Stage calling(ErrorCode::operator_check);
  const at::AutoGradMode recording(true);
  for (const auto& [sizes, call] : at_sizes)
    calls.make(sizes, call, detached(call));
  call_with_small_sizes(calls, given);
  call_with_layouts(calls, given);
  call_with_broadcast(calls, given);
  call_with_values(calls, given);
  call_with_dtypes(calls, given);
  report.calls = calls.take();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace opsmith
