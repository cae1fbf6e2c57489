#include "runtime/timing/counters.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace opsmith {
namespace {

// What a read of the group gives (perf_event_open(2), PERF_FORMAT_GROUP with both times).
struct GroupValues {
  uint64_t events, enabled, running, values[2];
};

int open_counter(uint64_t config, int leader) {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = config;
  // Only the leader: the group is enabled with it.
  attributes.disabled = leader < 0 ? 1 : 0;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  // Kernels before 6.13 refuse `inherit` in a group that is read at once.
  attributes.inherit = 0;
  attributes.read_format =
      PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, /*pid=*/0, /*cpu=*/-1, leader,
                                  static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC)));
}

std::string reason_for(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return "this user is not allowed to count instructions: set "
             "/proc/sys/kernel/perf_event_paranoid to 2 or less, and in a container, allow "
             "perf_event_open";
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return "this machine has no readable hardware counters (usual for virtual machines)";
    case ENOSYS:
      return "this Linux kernel has no perf_event_open, or a container blocks it";
    default:
      return "perf_event_open fails with error " + std::to_string(error);
  }
}

}  // namespace

HardwareCounters::HardwareCounters() : leader_(open_counter(PERF_COUNT_HW_INSTRUCTIONS, -1)) {
  if (leader_ >= 0) cycles_ = open_counter(PERF_COUNT_HW_CPU_CYCLES, leader_);
  if (leader_ < 0 || cycles_ < 0) missing_ = reason_for(errno);
}

HardwareCounters::~HardwareCounters() {
  for (const int file : {cycles_, leader_}) {
    if (file >= 0) close(file);
  }
}

void HardwareCounters::start() {
  if (!missing_.empty()) return;
  ioctl(leader_, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
  ioctl(leader_, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

std::optional<HardwareCounters::Counts> HardwareCounters::read() const {
  GroupValues group{};
  if (!missing_.empty() || ::read(leader_, &group, sizeof group) != sizeof group) {
    return std::nullopt;
  }
  // Never on the processor: there is nothing to scale.
  if (group.events != 2 || group.running == 0) return std::nullopt;
  const double scale = static_cast<double>(group.enabled) / static_cast<double>(group.running);
  return Counts{static_cast<double>(group.values[0]) * scale,
                static_cast<double>(group.values[1]) * scale};
}

}  // namespace opsmith
