#include "runtime/gradcheck/each_batch.h"

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>
#include <vector>

#include "runtime/failure.h"

namespace opsmith {
namespace {

// Of the batch that is timed before the others are shared between threads.
constexpr int64_t first_rows = 8;
constexpr auto worth_a_thread = std::chrono::milliseconds(50);

}  // namespace

bool for_each_batch(int64_t rows, int64_t limit, const Batch& here,
                    const std::function<Batch()>& make) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const int64_t tried = std::min({rows, limit, first_rows});
  if (!here(0, tried)) return false;
  const int64_t left = (rows - tried + limit - 1) / limit;
  const auto expected = (Clock::now() - start) * ((rows - tried) / tried);
  std::atomic<int64_t> next{tried};
  std::atomic<bool> good{true};
  const auto work = [&](const Batch& batch) {
    for (int64_t first = next.fetch_add(limit); good && first < rows;
         first = next.fetch_add(limit)) {
      if (!batch(first, std::min(limit, rows - first))) good = false;
    }
  };
  std::vector<std::thread> others;
  if (expected > worth_a_thread) {
    const int64_t cores = std::thread::hardware_concurrency();
    auto* warnings = c10::WarningUtils::get_warning_handler();
    for (int64_t i = 1; i < std::min(cores, left); ++i) {
      // By value: a thread may start after this block has ended.
      others.emplace_back([&, warnings] {
        const c10::WarningUtils::WarningHandlerGuard guard(warnings);
        at::set_num_threads(1);
        try {
          work(make());
        } catch (...) {
          describe_current_exception();
          good = false;
        }
      });
    }
  }
  std::exception_ptr thrown;
  try {
    work(here);
  } catch (...) {
    thrown = std::current_exception();
    good = false;
  }
  for (auto& thread : others)
    thread.join();
  // Threads that come later start with what was set last, by whichever thread.
  if (!others.empty()) at::set_num_threads(at::get_num_threads());
  if (thrown) std::rethrow_exception(thrown);
  return good;
}

}  // namespace opsmith
