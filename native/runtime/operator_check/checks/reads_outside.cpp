#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/process/forked_call.h"

namespace opsmith {
namespace {

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

OperatorCheckFinding check_reads_outside(const OperatorCall& call) {
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

const RegisteredCheck reads_outside_check({
    .name = "reads_outside",
    .title = "reads outside",
    .meaning = "Nothing is read past an input's ends",
    .order = 180,
    .run = check_reads_outside,
    .other_shapes = true,
    .in_a_copy = true,
});

}  // namespace
}  // namespace opsmith
