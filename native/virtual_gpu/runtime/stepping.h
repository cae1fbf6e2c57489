// Stepping: one block of a launch whose threads stop at lines, so that a person can look at them.
//
// A build for stepping calls the runtime at each load, store and branch target. Who asked for it is
// at the other end of a socket: it says which line an instruction belongs to, where to stop, and
// reads the variables of threads that have stopped.
#pragma once

#include <cstdint>
#include <deque>

#include "block.h"

namespace opsmith::gpu {

/** True while somebody steps this process. */
extern bool stepping;

namespace stepped {

/**
 * Connects when the process launches its first kernel, if the environment names a socket.
 * @param kernel its code
 */
void connect(const void* kernel);
void launch_started(const Launch& launch);
void block_started(const Launch& launch, const Block& block);
void block_ended(const Launch& launch, const Block& block);

/** The running thread ends the launch by a fault. If it is of the block, the block stops before. */
void fault(const Launch& launch, const std::deque<Fiber>& fibers, const char* why);

/** Why threads stopped; `stuck`: no thread of the launch can go on. */
enum class Reason { line, stuck, fault };
/** Says where each thread of the block is, and answers questions until the block may go on. */
void pause(const Launch& launch, const std::deque<Fiber>& fibers, Reason reason);
/** True if a thread that has stopped goes on after the pause. */
bool goes_on(const Fiber& fiber);
/** True if threads that look at memory in a loop have had their time, and others have stopped. */
bool waited_enough();

}  // namespace stepped

}  // namespace opsmith::gpu
