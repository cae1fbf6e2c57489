// Where the runtime tells the checks what happens. Without a checked build these cost one branch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "block.h"
#include "driver_types.h"
#include "findings.h"
#include "memory.h"

namespace opsmith::gpu {

/** True if the program was compiled for checks. */
extern bool checking;

namespace checked {
void block_started(const Launch& launch, const Block& block);
void block_ended(const Launch& launch, const Block& block);
void barrier(const Block& block, Site site);
void barrier_passed(const Block& block);
/** A warp operation ends without lanes that its mask names. */
void lanes_are_gone(std::uint32_t lanes, Site site);
void grid_barrier(const Launch& launch);
void warp_operation(const Fiber& fiber, std::uint32_t mask, Site site);
void shared_placed(std::size_t begin, std::size_t bytes, Site site);
void launch_started(const Launch& launch);
void launch_ended(const Launch& launch);
void bad_launch(const Kernel& kernel, cudaError_t error, const char* what);
void fence(int scope);
/** A kernel accessed memory that does not exist, or the signal is SIGFPE or SIGILL. */
void fault(const void* address, const void* instruction, int signal);
void allocated(const Allocation& allocation);
void freed(const Allocation& allocation);
void bad_free(void* address, Release why, Site site);
/** A copy or a fill by the host, in a stream. `from` or `to` may be host memory. */
void copied(void* to, const void* from, std::size_t bytes, cudaStream_t stream, bool asynchronous,
            Site site);
void filled(void* to, std::size_t bytes, cudaStream_t stream, Site site);
/** Who wrote an element last: a finding without its check, whose message says where it is. */
Finding last_write(const Launch& launch, const void* address, std::size_t bytes);
/** The program looked at an error. */
void error_seen();
/** Reports the errors that the program did not look at until now. */
void report_ignored_errors();
enum class StreamEvent : std::uint8_t {
  synchronize_device,
  synchronize_stream,
  record_event,
  wait_for_event,
  synchronize_event,
};
void stream_event(StreamEvent what, cudaStream_t stream, cudaEvent_t event);
/** No thread of a launch can go on. `waiting` is where one of them waits,
 * `polling` the instruction with which one looks at memory. */
void stuck(const std::string& message, Site launched, Site waiting, const void* polling);
}  // namespace checked

enum class VariableKind : std::uint8_t { none, device, constant };
struct VariableAt {
  VariableKind kind = VariableKind::none;
  const void* begin = nullptr;
};
/** The __device__, __managed__ or __constant__ variable that holds the address. */
VariableAt variable_at(const void* address);

/** A function of the host runs in the order of a stream: it may use what came before in it. */
class HostFunction {
 public:
  HostFunction();
  ~HostFunction();
  HostFunction(const HostFunction&) = delete;
  HostFunction& operator=(const HostFunction&) = delete;
};

inline void check_block_started(const Launch& launch, const Block& block) {
  if (checking) checked::block_started(launch, block);
}
inline void check_block_ended(const Launch& launch, const Block& block) {
  if (checking) checked::block_ended(launch, block);
}
inline void check_barrier(const Block& block, Site site) {
  if (checking) checked::barrier(block, site);
}
inline void check_barrier_passed(const Block& block) {
  if (checking) checked::barrier_passed(block);
}
inline void check_grid_barrier(const Launch& launch) {
  if (checking) checked::grid_barrier(launch);
}
inline void check_warp_operation(const Fiber& fiber, std::uint32_t mask, Site site) {
  if (checking) checked::warp_operation(fiber, mask, site);
}
inline void place_checked_shared(std::size_t begin, std::size_t bytes, Site site) {
  // Also before a checked build says so: the first launch may come later.
  checked::shared_placed(begin, bytes, site);
}

}  // namespace opsmith::gpu
