#include "runtime/timing/machine.h"

#include <ATen/Functions.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "runtime/clock.h"
#include "runtime/timing/counters.h"
#include "runtime/timing/thread_count.h"

namespace opsmith {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const auto start = line.find_first_not_of(" \t", line.find(':') + 1);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return "";
}

// Of the largest cache that this processor's first core uses. sysconf's answer is the sum over a
// whole machine of which a virtual one has a part.
int64_t last_level_cache() {
  int64_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    const auto size =
        first_line("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    if (!size.empty()) largest = std::max<int64_t>(largest, std::stoll(size) << 10);
  }
  return largest > 0 ? largest : int64_t{32} << 20;
}

struct Runs {
  double best = 0, middle = 0;  // seconds
};

Runs seconds_of(int runs, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  work();
  std::vector<double> seconds;
  for (int i = 0; i < runs; ++i) {
    const auto start = Clock::now();
    work();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return {seconds.front(), seconds[seconds.size() / 2]};
}

double matrix_flops(at::ScalarType dtype) {
  constexpr int64_t size = 1024;
  const auto options = at::TensorOptions().dtype(dtype);
  const auto left = at::ones({size, size}, options), right = at::ones({size, size}, options);
  auto product = at::empty({size, size}, options);
  return 2.0 * size * size * size / seconds_of(7, [&] { at::mm_out(product, left, right); }).best;
}

}  // namespace

MachineFacts machine_facts() {
  MachineFacts facts;
  facts.processor = processor_name();
  facts.cores = std::thread::hardware_concurrency();
  facts.cache_bytes = last_level_cache();
  facts.frequency = frequency_facts();
  facts.counters_missing = HardwareCounters().missing();
  return facts;
}

MachineCeilings measure_ceilings(const CeilingsRequest& request) {
  const ThreadCount threads(request.threads);
  MachineCeilings ceilings;
  ceilings.threads = request.threads;
  const int64_t bytes = std::max<int64_t>(4 * last_level_cache(), int64_t{1} << 28);
  const auto options = at::TensorOptions().dtype(at::kFloat);
  const auto from = at::ones({bytes / 4}, options);
  auto to = at::zeros_like(from);
  const auto before_work = cpu_times();
  const auto start = std::chrono::steady_clock::now();
  const auto copies = seconds_of(7, [&] { to.copy_(from); });
  ceilings.bytes_per_second = 2.0 * static_cast<double>(bytes) / copies.best;
  ceilings.spread = copies.middle / copies.best - 1;
  ceilings.flops = {{"float32", matrix_flops(at::kFloat)}, {"float64", matrix_flops(at::kDouble)}};
  const auto after_work = cpu_times();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  const double own = after_work.process - before_work.process;
  const double all = after_work.machine - before_work.machine;
  // 0 where /proc/stat is missing.
  ceilings.others_busy = std::max(0.0, all - own) / wall.count();
  return ceilings;
}

CpuTimes cpu_times() {
  CpuTimes times{clock_seconds(CLOCK_THREAD_CPUTIME_ID), clock_seconds(CLOCK_PROCESS_CPUTIME_ID),
                 0};
  // cpu user nice system idle iowait irq softirq steal guest guest_nice
  std::istringstream line(first_line("/proc/stat"));
  std::string name;
  line >> name;
  const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  double ticks = 0;
  for (int column = 0; column < 8 && line >> ticks; ++column) {
    if (column != 3 && column != 4) times.machine += ticks * tick;
  }
  return times;
}

void flush_caches() {
  static std::vector<char> memory(static_cast<size_t>(2 * last_level_cache()));
  static char value = 0;
  std::memset(memory.data(), ++value, memory.size());
}

}  // namespace opsmith
