#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <optional>
#include <sstream>

#include "runtime/dtypes.h"
#include "runtime/failure.h"
#include "runtime/opcheck/checking_allocator.h"
#include "runtime/opcheck/checks.h"
#include "runtime/opcheck/compare.h"
#include "runtime/process/forked_call.h"

namespace opsmith {
namespace {

bool all_on_cpu(const OperatorCall& call) {
  for (const auto& tensor : call.values()) {
    if (!tensor.is_cpu() || tensor.layout() != at::kStrided) return false;
  }
  return true;
}
constexpr const char* not_on_cpu = "only strided tensors on the CPU are looked at";

std::string bytes_text(int64_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

// Which tensor an address belongs to, by name.
std::string owner_of(const void* data, const OperatorCall& call, const Tensors& inputs,
                     const Tensors& outputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].storage().data() == data) return call.tensors()[i].name;
  }
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (outputs[o].has_storage() && outputs[o].storage().data() == data) {
      return "output " + std::to_string(o);
    }
  }
  return "";
}

// A copy of a tensor that ends, or begins, where a page begins that may not be touched.
class GuardedCopy {
 public:
  GuardedCopy(const at::Tensor& tensor, bool at_end) : at_end_(at_end) {
    const auto plain = tensor.detach().contiguous();
    bytes_ = plain.nbytes();
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t room = (bytes_ + page - 1) / page * page;
    size_ = room + 2 * page;
    base_ = static_cast<char*>(
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED) {
      base_ = nullptr;
      return;
    }
    mprotect(base_, page, PROT_NONE);
    mprotect(base_ + page + room, page, PROT_NONE);
    data_ = at_end ? base_ + page + room - bytes_ : base_ + page;
    std::memcpy(data_, plain.data_ptr(), bytes_);
    copy_ = at::from_blob(data_, plain.sizes(), plain.options());
  }
  ~GuardedCopy() {
    if (base_ != nullptr) munmap(base_, size_);
  }
  GuardedCopy(const GuardedCopy&) = delete;
  GuardedCopy& operator=(const GuardedCopy&) = delete;

  const at::Tensor& copy() const { return copy_; }

  // In words, how far outside an address is; "" when it is not in a page that this guards.
  std::string distance(uintptr_t address) const {
    const auto start = reinterpret_cast<uintptr_t>(data_), end = start + bytes_;
    const auto first = reinterpret_cast<uintptr_t>(base_), last = first + size_;
    if (address < first || address >= last) return "";
    if (at_end_ && address >= end) {
      return bytes_text(static_cast<int64_t>(address - end) + 1) + " past its end";
    }
    if (address < start) {
      return bytes_text(static_cast<int64_t>(start - address)) + " before its beginning";
    }
    return "outside of it";
  }

 private:
  bool at_end_;
  char* base_ = nullptr;
  char* data_ = nullptr;
  size_t bytes_ = 0, size_ = 0;
  at::Tensor copy_;
};

}  // namespace

OpcheckFinding check_unwritten(const OperatorCall& call) {
  if (!all_on_cpu(call)) return skipped(not_on_cpu);
  const at::NoGradGuard unrecorded;
  const auto run_with = [&](uint8_t fill) {
    const auto inputs = call.fresh();
    at::manual_seed(0);
    const CheckingAllocation checking(fill);
    Tensors outputs;
    for (const auto& output : call.run(inputs))
      outputs.push_back(output.contiguous());
    return outputs;
  };
  at::manual_seed(0);
  const auto first = run_with(0x5A), second = run_with(0xA5), again = run_with(0x5A);
  for (size_t o = 0; o < first.size() && o < second.size(); ++o) {
    if (first[o].sizes() != second[o].sizes()) continue;
    // What differs without another filling too is another check's.
    if (!same_bits(first[o], again[o])) continue;
    const auto flat = first_difference(first[o], second[o]);
    if (!flat) continue;
    auto finding = failed("element " + index_text(index_of(first[o], *flat)) + " of output " +
                              std::to_string(o) +
                              " depends on what the memory held before: it was never written, or "
                              "computed from memory "
                              "that was not",
                          "Write every element, or begin with at::zeros in place of at::empty.");
    finding.output = static_cast<int64_t>(o);
    finding.index = index_of(first[o], *flat);
    return finding;
  }
  return passed("every element of every output was written");
}

OpcheckFinding check_writes_outside(const OperatorCall& call) {
  if (!all_on_cpu(call)) return skipped(not_on_cpu);
  const at::NoGradGuard unrecorded;
  const auto outcome = run_forked(
      [&]() -> std::string {
        const CheckingAllocation checking(0);
        const auto inputs = call.fresh();
        Tensors outputs;
        const auto error = call.try_run(inputs, outputs);
        for (const auto& damage : checking.damages()) {
          auto name = owner_of(damage.data, call, inputs, outputs);
          if (name.empty())
            name = "a temporary of " + bytes_text(static_cast<int64_t>(damage.bytes));
          const auto where = damage.distance < 0
                                 ? bytes_text(-damage.distance) + " before the beginning of "
                                 : std::to_string(damage.distance) + " bytes past the end of ";
          return bytes_text(damage.count) + " written outside, " + where + name;
        }
        return "";
      },
      patience);
  if (outcome.end == ForkedOutcome::End::not_started) return skipped(outcome.describe());
  if (outcome.end != ForkedOutcome::End::answered) {
    return failed("the call ends in " + outcome.describe(),
                  "Run it by itself: the report of the op host's end names the line.");
  }
  if (outcome.answer.empty()) return passed("nothing was written within 4 KiB of any tensor");
  return failed(outcome.answer, "Check the bounds of the loop that writes there.");
}

OpcheckFinding check_reads_outside(const OperatorCall& call) {
  if (!all_on_cpu(call)) return skipped(not_on_cpu);
  const at::NoGradGuard unrecorded;
  for (size_t i = 0; i < call.tensors().size(); ++i) {
    if (call.tensors()[i].tensor.numel() == 0) continue;
    for (const bool at_end : {true, false}) {
      const GuardedCopy guarded(call.tensors()[i].tensor, at_end);
      if (!guarded.copy().defined()) return skipped("memory could not be mapped");
      auto given = call.fresh();
      given[i] = guarded.copy();
      const auto outcome = run_forked(
          [&]() -> std::string {
            Tensors outputs;
            return call.try_run(given, outputs);
          },
          patience);
      if (outcome.end == ForkedOutcome::End::not_started) return skipped(outcome.describe());
      if (outcome.end != ForkedOutcome::End::signalled) continue;
      const auto distance = guarded.distance(outcome.address);
      if (distance.empty()) continue;
      const auto& name = call.tensors()[i].name;
      auto finding = failed(name + " is read (or written) " + distance,
                            "Check the bounds of the loop that reads " + name +
                                ": on other days this reads whatever lies there.");
      finding.input = name;
      return finding;
    }
  }
  return passed("no access within a page of any input's ends");
}

namespace {

// What the calls of check_leaks leave behind each, in bytes; 0 for nothing.
struct LeftBehind {
  int64_t tensors = 0, heap = 0;
};

LeftBehind left_behind(const OperatorCall& call) {
  const auto inputs = call.fresh();
  constexpr int batches = 5, calls = 20;
  std::vector<int64_t> tensors, heap;
  {
    const CheckingAllocation checking(0);
    for (int i = 0; i < 5; ++i)
      call.run(inputs);
    for (int batch = 0; batch <= batches; ++batch) {
      tensors.push_back(static_cast<int64_t>(CheckingAllocation::live_bytes()));
      heap.push_back(static_cast<int64_t>(mallinfo2().uordblks));
      for (int i = 0; i < calls; ++i)
        call.run(inputs);
    }
  }
  // Growth of a byte a call or more in every batch: what grows once is a cache.
  const auto growth = [](const std::vector<int64_t>& bytes) -> int64_t {
    int64_t least = bytes[1] - bytes[0];
    for (size_t i = 1; i < bytes.size(); ++i)
      least = std::min(least, bytes[i] - bytes[i - 1]);
    return least >= calls ? (bytes.back() - bytes.front()) / (calls * batches) : 0;
  };
  return {growth(tensors), growth(heap)};
}

}  // namespace

OpcheckFinding check_leaks(const OperatorCall& call) {
  if (!all_on_cpu(call)) return skipped(not_on_cpu);
  call.run(call.fresh());  // an operator that throws does so here
  // In a copy, which has no other thread: the heap is one for all, and what the process's other
  // threads take meanwhile would be laid at the operator's door.
  const auto outcome = run_forked(
      [&]() -> std::string {
        try {
          const auto left = left_behind(call);
          return std::to_string(left.tensors) + " " + std::to_string(left.heap);
        } catch (...) {
          return "stops: " + brief(describe_current_exception().message);
        }
      },
      patience);
  if (outcome.end == ForkedOutcome::End::timed_out) {
    return skipped("105 calls took longer than the time there is");
  }
  if (outcome.end != ForkedOutcome::End::answered) return skipped(outcome.describe());
  LeftBehind left;
  std::istringstream answer(outcome.answer);
  if (!(answer >> left.tensors >> left.heap)) return skipped("the operator " + outcome.answer);
  if (left.tensors > 0) {
    return failed("each call leaves " + bytes_text(left.tensors) + " of tensors behind",
                  "Look for tensors kept in static containers, and for raw at::Tensor pointers.");
  }
  if (left.heap > 0) {
    return failed("each call leaves " + bytes_text(left.heap) + " on the heap behind",
                  "Look for new without delete, and for malloc without free.");
  }
  return passed("memory is the same after 100 calls");
}

}  // namespace opsmith
