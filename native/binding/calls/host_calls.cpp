#include "binding/calls.h"
#include "runtime/devices.h"
#include "runtime/process/call_thread.h"
#include "runtime/process/crash_report.h"
#include "runtime/process/memory_limit.h"

namespace opsmith {

struct PingAnswer {
  uint64_t resident_bytes = 0;
  double busy_seconds = 0;
};

void fields(auto& visit, PingAnswer& answer) {
  visit("residentBytes", answer.resident_bytes);
  visit("busySeconds", answer.busy_seconds);
}

struct SeenDevices {
  int64_t count = 0;
};

void fields(auto& visit, SeenDevices& seen) {
  visit("count", seen.count);
}

static const Calls host_calls({
    {"host.ping", answer_at_once([] { return PingAnswer{resident_bytes(), busy_seconds()}; })},
    {"host.devices", handle([] { return SeenDevices{visible_devices()}; })},
    {"host.dumpStack", answer_at_once(dump_call_stack)},
});

}  // namespace opsmith
