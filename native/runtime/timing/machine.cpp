#include "runtime/timing/machine.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace opsmith {
namespace {

double clock_seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

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

// The shortest of several runs, in seconds.
double best_of(int runs, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  work();
  double best = 1e300;
  for (int i = 0; i < runs; ++i) {
    const auto start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

double matrix_flops(at::ScalarType dtype) {
  constexpr int64_t size = 1024;
  const auto options = at::TensorOptions().dtype(dtype);
  const auto left = at::ones({size, size}, options), right = at::ones({size, size}, options);
  auto product = at::empty({size, size}, options);
  return 2.0 * size * size * size / best_of(7, [&] { at::mm_out(product, left, right); });
}

int open_counter(uint64_t config) {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = config;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
}

std::optional<double> read_counter(int file) {
  uint64_t count = 0;
  if (file < 0 || read(file, &count, sizeof count) != sizeof count) return std::nullopt;
  return static_cast<double>(count);
}

}  // namespace

MachineFacts machine_facts() {
  MachineFacts facts;
  facts.processor = processor_name();
  facts.cores = std::thread::hardware_concurrency();
  facts.cache_bytes = last_level_cache();
  facts.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  facts.counters_missing = HardwareCounters().missing();
  return facts;
}

MachineCeilings measure_ceilings(int64_t threads) {
  const int before = at::get_num_threads();
  at::set_num_threads(static_cast<int>(threads));
  MachineCeilings ceilings;
  ceilings.threads = threads;
  const int64_t bytes = std::max<int64_t>(4 * last_level_cache(), int64_t{1} << 28);
  const auto options = at::TensorOptions().dtype(at::kFloat);
  const auto from = at::ones({bytes / 4}, options);
  auto to = at::zeros_like(from);
  ceilings.bytes_per_second =
      2.0 * static_cast<double>(bytes) / best_of(5, [&] { to.copy_(from); });
  ceilings.float32_flops = matrix_flops(at::kFloat);
  ceilings.float64_flops = matrix_flops(at::kDouble);
  at::set_num_threads(before);
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

HardwareCounters::HardwareCounters()
    : instructions_(open_counter(PERF_COUNT_HW_INSTRUCTIONS)),
      cycles_(open_counter(PERF_COUNT_HW_CPU_CYCLES)) {
  if (instructions_ >= 0) return;
  missing_ = errno == EACCES || errno == EPERM
                 ? "the system does not let users count instructions "
                   "(/proc/sys/kernel/perf_event_paranoid)"
                 : "this machine has no hardware counters that it shares";
}

HardwareCounters::~HardwareCounters() {
  for (const int file : {instructions_, cycles_}) {
    if (file >= 0) close(file);
  }
}

std::optional<HardwareCounters::Counts> HardwareCounters::read() const {
  const auto instructions = read_counter(instructions_), cycles = read_counter(cycles_);
  if (!instructions || !cycles) return std::nullopt;
  return Counts{*instructions, *cycles};
}

}  // namespace opsmith
