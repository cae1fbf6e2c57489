#include "runtime/process/memory_limit.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "runtime/process/crash_report.h"
#include "runtime/process/process_tree.h"

namespace opsmith {
namespace {

std::atomic<uint64_t> limit_bytes{0};
std::atomic<int64_t> limit_processes{0};
std::atomic<int> rare_looks{0};
constexpr auto poll_interval = std::chrono::milliseconds(20);
// A thread gets pages at a few GB/s at most: less than one more, before it is noticed.
constexpr auto rare_interval = std::chrono::milliseconds(200);

// Finding descendants takes a millisecond or more, once there is one.
constexpr auto descendants_interval = std::chrono::milliseconds(200);

uint64_t read_resident_bytes(int statm) {
  char text[128];
  const ssize_t count = pread(statm, text, sizeof(text) - 1, 0);
  if (count <= 0) return 0;
  text[count] = '\0';
  char* rest = nullptr;
  std::strtoull(text, &rest, 10);  // the first number is the virtual size
  return std::strtoull(rest, nullptr, 10) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

void look_at_descendants(uint64_t own_bytes, uint64_t limit) {
  const auto use = measure_descendants(/*divides_shared=*/false);
  if (use.processes > limit_processes) end_too_many_processes(use.processes, limit_processes);
  if (limit == 0 || use.processes == 0 || own_bytes + use.bytes <= limit) return;
  // A copy of this process seems to hold what it shares with it.
  const uint64_t all = own_part_of_memory() + measure_descendants(/*divides_shared=*/true).bytes;
  if (all > limit) end_out_of_memory(all, limit, use.processes);
}

void watch() {
  using Clock = std::chrono::steady_clock;
  const int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (statm < 0) return;
  auto last_look = Clock::now();
  for (;;) {
    std::this_thread::sleep_for(rare_looks > 0 ? rare_interval : poll_interval);
    const uint64_t limit = limit_bytes;
    const uint64_t resident = limit == 0 ? 0 : read_resident_bytes(statm);
    if (resident > limit) end_out_of_memory(resident, limit, 0);
    if (Clock::now() - last_look < descendants_interval) continue;
    look_at_descendants(resident, limit);
    last_look = Clock::now();
  }
}

}  // namespace

void set_limits(uint64_t bytes, int64_t processes) {
  limit_bytes = bytes;
  limit_processes = processes;
  static const bool started = [] {
    std::thread(watch).detach();
    return true;
  }();
  (void)started;
}

uint64_t memory_limit() {
  return limit_bytes;
}

uint64_t resident_bytes(int64_t process) {
  const auto path = "/proc/" + std::to_string(process) + "/statm";
  const int statm = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (statm < 0) return 0;
  const uint64_t bytes = read_resident_bytes(statm);
  close(statm);
  return bytes;
}

uint64_t resident_bytes() {
  static const int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  return statm < 0 ? 0 : read_resident_bytes(statm);
}

RareMemoryLooks::RareMemoryLooks() {
  ++rare_looks;
}
RareMemoryLooks::~RareMemoryLooks() {
  --rare_looks;
}

}  // namespace opsmith
