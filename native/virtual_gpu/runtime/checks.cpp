#include "checks.h"
namespace opsmith::gpu {
bool checking = false;
DeviceVariable::DeviceVariable(const volatile void*, std::size_t, const char*, const char*) {}
DeviceAccess::DeviceAccess() = default;
DeviceAccess::~DeviceAccess() = default;
namespace checked {
void block_started(const Launch&, const Block&) {}
void block_ended(const Launch&, const Block&) {}
void barrier(const Fiber&, const Block&, Site) {}
void grid_barrier(const Launch&) {}
void warp_operation(const Fiber&, std::uint32_t, Site) {}
void shared_placed(std::size_t, std::size_t, Site) {}
void launch_started(const Launch&) {}
void launch_ended(const Launch&) {}
void bad_launch(const Kernel&, cudaError_t, const char*) {}
void fence(int) {}
void fault(const void*, const void*) {}
bool host_fault(const void*, const void*) { return false; }
void allocated(const Allocation&) {}
void freed(const Allocation&) {}
void bad_free(void*, Release, Site) {}
void copied(void*, const void*, std::size_t, cudaStream_t, bool, Site) {}
void filled(void*, std::size_t, cudaStream_t, Site) {}
void call_failed(cudaError_t, const char*, Site) {}
void error_seen() {}
void stream_event(StreamEvent, cudaStream_t, cudaEvent_t) {}
}
}
