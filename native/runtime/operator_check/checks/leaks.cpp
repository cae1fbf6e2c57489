#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <sstream>
#include <system_error>

#include "runtime/failure.h"
#include "runtime/operator_check/checking_allocator.h"
#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/other_calls.h"
#include "runtime/process/forked_call.h"

namespace opsmith {
namespace {

// What the calls of check_leaks leave behind each, in bytes, and how many open files; 0 for
// nothing.
struct LeftBehind {
  int64_t tensors = 0, heap = 0, files = 0;
};

int64_t open_files() {
  int64_t count = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator one("/proc/self/fd", error), end; !error && one != end;
       one.increment(error))
    ++count;
  return count;
}

// The bytes of the heap that are in use. glibc counts a freed block of up to 1032 bytes as in use
// while the thread keeps it for itself (tcache). How many it keeps differs between looks: after
// hundreds of calls, more and more cuttings of aligned blocks lie there. So each look first makes
// the thread keep as many of each size as it may. Then the number is always the same.
int64_t heap_in_use() {
  constexpr size_t most_kept = 32, smallest = 24, largest = 1032, step = 16;
  std::vector<void*> blocks;
  blocks.reserve(most_kept);
  for (size_t size = smallest; size <= largest; size += step) {
    for (size_t i = 0; i < most_kept; ++i)
      blocks.push_back(std::malloc(size));
    for (void* block : blocks)
      std::free(block);
    blocks.clear();
  }
  return static_cast<int64_t>(mallinfo2().uordblks);
}

LeftBehind left_behind(const std::function<void()>& work) {
  constexpr int batches = 5, calls = 20;
  std::vector<int64_t> tensors, heap, files;
  {
    const CheckingAllocation checking(0);
    for (int i = 0; i < 5; ++i)
      work();
    for (int batch = 0; batch <= batches; ++batch) {
      tensors.push_back(static_cast<int64_t>(CheckingAllocation::live_bytes()));
      heap.push_back(heap_in_use());
      files.push_back(open_files());
      for (int i = 0; batch < batches && i < calls; ++i)
        work();
    }
  }
  // Growth in every batch: what grows once is a cache. No block of the heap is smaller than
  // `each` of it; what grows by less was not taken by each call.
  const auto growth = [](const std::vector<int64_t>& bytes, int64_t each) -> int64_t {
    int64_t least = bytes[1] - bytes[0];
    for (size_t i = 1; i < bytes.size(); ++i)
      least = std::min(least, bytes[i] - bytes[i - 1]);
    return least >= calls * each ? (bytes.back() - bytes.front()) / (calls * batches) : 0;
  };
  return {growth(tensors, 1), growth(heap, 24), growth(files, 1)};
}

// `when` begins the sentence about a failure.
OperatorCheckFinding leaks_of(const std::function<void()>& work, const std::string& when) {
  // In a copy, which has no other thread: the heap is one for all, and what the process's other
  // threads take meanwhile would be laid at the operator's door.
  const auto outcome = run_forked(
      [&]() -> std::string {
        try {
          const auto left = left_behind(work);
          return std::to_string(left.tensors) + " " + std::to_string(left.heap) + " " +
                 std::to_string(left.files);
        } catch (...) {
          return "stops: " + brief(describe_current_exception().message);
        }
      },
      patience);
  if (outcome.end == ForkedOutcome::End::timed_out) {
    return skipped("105 calls took longer than " + std::to_string(static_cast<int>(patience)) +
                   " seconds");
  }
  if (outcome.end != ForkedOutcome::End::answered) return skipped(outcome.describe());
  LeftBehind left;
  std::istringstream answer(outcome.answer);
  if (!(answer >> left.tensors >> left.heap >> left.files))
    return skipped("the operator " + outcome.answer);
  if (left.tensors > 0) {
    return failed(when + "each call leaks " + bytes_text(left.tensors) + " of tensor memory",
                  "Look for tensors kept in static containers, and for at::Tensor objects made "
                  "with new and never deleted.");
  }
  if (left.heap > 0) {
    return failed(when + "each call leaks " + bytes_text(left.heap) + " of heap memory",
                  "Look for new without delete, and for malloc without free.");
  }
  if (left.files > 0) {
    return failed(when + "each call leaks " + std::to_string(left.files) + " open file(s)",
                  "Close each file, even if the call throws: use an object whose destructor closes "
                  "the file.");
  }
  return passed("memory and open files are the same after 100 calls");
}

OperatorCheckFinding check_leaks(const OperatorCall& call) {
  if (!all_on_cpu(call)) return skipped(not_on_cpu);
  call.run(call.fresh());  // an operator that throws does so here
  const auto inputs = call.fresh();
  auto forward = leaks_of([&] { call.run(inputs); }, "");
  const bool has_gradients = std::any_of(
      inputs.begin(), inputs.end(), [](const at::Tensor& input) { return input.requires_grad(); });
  if (forward.status != CheckStatus::passed || !has_gradients) return forward;
  auto backward = leaks_of([&] { run_with_backward(call, inputs); }, "with backward, ");
  return backward.status == CheckStatus::failed ? backward : forward;
}

// What is kept where sizes are odd, of the tail of a loop say.
std::optional<OperatorCheckFinding> leak_elsewhere(const OperatorCall& call) {
  const auto odd = with_small_sizes(call, 3);
  Tensors outputs;
  const bool refuses =
      run_forked([&] { return call.try_run(odd, outputs); }, patience).answer != "";
  if (refuses) return std::nullopt;
  auto finding = leaks_of([&] { call.run(odd); }, "with sizes of 3, ");
  if (finding.status != CheckStatus::failed) return std::nullopt;
  return finding;
}

const RegisteredCheck leaks_check({
    .name = "leaks",
    .title = "leaks",
    .meaning = "Repeated calls do not leak memory or open files",
    .order = 190,
    .run = check_leaks,
    .run_elsewhere = leak_elsewhere,
});

}  // namespace
}  // namespace opsmith
