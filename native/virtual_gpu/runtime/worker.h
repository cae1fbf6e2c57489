// An OS thread that runs blocks.
#pragma once

#include <csetjmp>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "block.h"
#include "opsmith/gpu/kernel_facts.h"

namespace opsmith::gpu {

class Worker {
 public:
  Worker() = default;
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /** Runs blocks of the launch until none is left, or the launch has failed. */
  void run(Launch& launch);

  // What the running fiber calls.
  bool finish_thread();
  void wait_for_block(Site site);
  std::uint32_t vote_in_block(bool predicate, std::uint32_t* arrived, Site site);
  void wait_for_named(std::uint32_t barrier, std::uint32_t threads, bool wait, Site site);
  void wait_for_grid(Site site);
  /** Brings a value to the lanes of `mask` and waits for them; the group keeps all values under
   * `parity`. */
  LaneGroup& meet(std::uint32_t mask, std::uint64_t value, bool vote, Site site,
                  std::uint32_t* parity);
  std::uint32_t converged(Site site);
  /** Lets others go on, and looks again when they have. */
  void look_again();
  void poll();
  /** Ends the launch, from within a fiber. */
  /** @param why a sentence for who steps the thread that runs; null where no code of it is at fault
   */
  [[noreturn]] void abandon(const char* why = nullptr);
  /** Called by the signal handler of a time slice. */
  void preempt();
  /** Keeps the running thread where it is until who steps the block lets it go on. */
  void stop();

  Launch* launch() const { return launch_; }
  std::uint64_t switches() const { return switches_; }

 private:
  friend void enter_fiber();

  Fiber* running() const { return static_cast<Fiber*>(current); }
  void settle(Fiber& fiber);
  void wait_in(FiberList& list, Wait wait, Site site);
  void switch_from(Fiber& fiber);
  void let_others_run(FiberList& list);
  Fiber* next_fiber();
  Fiber* idle_fiber();
  void take_thread(Fiber& fiber, Block& block);
  bool start_block();
  bool can_start_block() const;
  void end_block(Block& block);
  void after_exit(Block& block, std::uint32_t warp);
  void complete(Block& block, std::uint32_t warp, LaneGroup& group);
  void release_barrier(Block& block, BarrierState& barrier);
  bool release_converged();
  bool pause_stopped();
  LaneGroup& group_of(Block& block, std::uint32_t warp, std::uint32_t mask);
  void report_deadlock();
  void forget_fibers();
  static std::uint32_t warp_of(const Fiber& fiber) { return fiber.linear / lanes_of_warp; }

  Launch* launch_ = nullptr;
  void* home_ = nullptr;  // the stack pointer of the OS thread's own stack
  sigjmp_buf after_fault_;
  std::deque<Fiber> fibers_;
  std::vector<Fiber*> idle_;
  FiberList ready_;
  FiberList polled_;     // threads that look at memory in a loop
  FiberList preempted_;  // threads that computed for a whole time slice
  FiberList grid_waiters_;
  FiberList stopped_;  // threads that somebody steps
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Block*> unused_blocks_;
  std::vector<Block*> resident_;
  Block* starting_ = nullptr;  // the block that has threads which have not begun
  bool blocks_left_ = false;
  std::uint64_t grid_arrived_ = 0;
  std::uint64_t live_threads_ = 0;  // of resident blocks
  std::uint64_t converging_ = 0;    // fibers that wait until lanes have come together
  std::uint32_t polls_ = 0;
  std::uint64_t polling_since_ = 0;  // nanoseconds; zero while threads do other work
  std::uint64_t switches_ = 0;
};

/** True if blocks may run on several OS threads: no source of the program can make them wait for
 * each other. */
bool independent_blocks();
void set_dynamic_shared_limit(const void* function, std::size_t bytes);
/** Dynamic shared memory that a block of the kernel may have. */
std::size_t dynamic_shared_limit_of(const void* function);
/** Threads that a block of the kernel may have. */
int most_threads_of(const KernelFacts& facts);

/** The worker of this OS thread; null outside of a launch. */
extern constinit thread_local Worker* worker;

/** Of a clock that never goes back. */
std::uint64_t nanoseconds_now();

}  // namespace opsmith::gpu
