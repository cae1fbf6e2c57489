#include "worker.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "checks.h"
#include "counts.h"
#include "errors.h"
#include "random_order.h"
#include "shared_memory.h"
#include "stepping.h"

namespace opsmith::gpu {

constinit thread_local ThreadContext* current = nullptr;
constinit thread_local Worker* worker = nullptr;

namespace {

/** As many threads as a real GPU of this size keeps at a time. */
constexpr std::uint64_t most_fibers = 16384;
/** For how long all threads may look at memory in loops before the launch counts as stuck. */
constexpr std::uint64_t longest_polling = 5'000'000'000;
constexpr std::uint64_t longest_checked_polling = 1'500'000'000;
/** Polls of one thread before others run: a fence or a lock is mostly free at once. */
constexpr std::uint32_t polls_of_slice = 4;
/** How often a thread may leave the core while the lanes that came together elsewhere wait for it:
 * one that leaves it again and again waits for something itself. */
constexpr std::uint32_t slices_of_busy = 4;

/** Takes out of the list who has not left the core often. */
Fiber* take_busy(FiberList& list) {
  Fiber* before = nullptr;
  for (Fiber* fiber = list.first; fiber != nullptr; before = fiber, fiber = fiber->next) {
    if (fiber->slices >= slices_of_busy) continue;
    if (before == nullptr) return list.pop_front();
    before->next = fiber->next;
    if (list.last == fiber) list.last = before;
    --list.count;
    return fiber;
  }
  return nullptr;
}

std::uint32_t lanes_below(std::uint32_t lane) {
  return lane >= lanes_of_warp ? all_lanes : (1U << lane) - 1U;
}

}  // namespace

/** Where a fiber begins: it runs one thread after the other, for as long as the process lives. */
void enter_fiber() {
  while (true) {
    const Kernel& kernel = *worker->launch_->kernel;
    kernel.run_threads(kernel.closure);
    Fiber& fiber = *worker->running();
    fiber.busy = false;
    worker->idle_.push_back(&fiber);
    worker->switch_from(fiber);
  }
}

Worker::~Worker() {
  for (Fiber& fiber : fibers_)
    unmap_stack(fiber.stack);
  for (const auto& block : blocks_)
    unmap_shared(block->shared);
}

void Worker::run(Launch& launch) {
  launch_ = &launch;
  worker = this;
  blocks_left_ = true;
  polls_ = 0;
  polling_since_ = 0;
  if (sigsetjmp(after_fault_, 1) == 0) {
    while (Fiber* fiber = next_fiber()) {
      current = fiber;
      ++switches_;
      opsmith_gpu_switch(&home_, fiber->stack_pointer);
      current = nullptr;
      if (launch.failed.load(std::memory_order_relaxed)) break;
    }
    if (!launch.failed.load() && !resident_.empty()) {
      if (stepping) stepped::pause(launch, fibers_, stepped::Reason::stuck);
      report_deadlock();
    }
  }
  current = nullptr;
  if (launch.failed.load()) forget_fibers();
  worker = nullptr;
  launch_ = nullptr;
}

/** A launch that failed leaves its fibers where they are: nothing of theirs is unwound. */
void Worker::forget_fibers() {
  ready_ = polled_ = preempted_ = grid_waiters_ = stopped_ = {};
  idle_.clear();
  for (Fiber& fiber : fibers_) {
    prepare_stack(fiber, enter_fiber);
    fiber.busy = false;
    idle_.push_back(&fiber);
  }
  for (Block* block : resident_)
    unused_blocks_.push_back(block);
  resident_.clear();
  starting_ = nullptr;
  grid_arrived_ = 0;
  converging_ = 0;
  live_threads_ = 0;
}

void Worker::abandon(const char* why) {
  if (stepping && why != nullptr) stepped::fault(*launch_, fibers_, why);
  launch_->failed.store(true);
  siglongjmp(after_fault_, 1);
}

Fiber* Worker::idle_fiber() {
  if (!idle_.empty()) {
    Fiber* fiber = idle_.back();
    idle_.pop_back();
    return fiber;
  }
  const auto number = static_cast<std::uint32_t>(fibers_.size());
  std::byte* stack = map_stack(number);
  if (stack == nullptr) {
    set_error(cudaErrorMemoryAllocation);
    report_failure("out of memory: no stack for another thread of the virtual GPU");
    abandon();
  }
  Fiber& fiber = fibers_.emplace_back();
  fiber.number = number;
  fiber.stack = stack;
  prepare_stack(fiber, enter_fiber);
  return &fiber;
}

/** The fiber that runs next: who can go on, a thread that has not begun, or who looks at memory in
 * a loop. */
Fiber* Worker::next_fiber() {
  while (true) {
    if (launch_->failed.load(std::memory_order_relaxed)) return nullptr;
    if (ready_.first != nullptr) {
      polling_since_ = 0;
      Fiber* fiber = ready_.pop_front();
      // Stacks of a block are more than the first cache holds: the one after this is fetched now.
      if (ready_.first != nullptr) {
        __builtin_prefetch(ready_.first->stack_pointer);
        __builtin_prefetch(static_cast<std::byte*>(ready_.first->stack_pointer) + 64);
        __builtin_prefetch(ready_.first->next);
      }
      return fiber;
    }
    if (starting_ != nullptr) {
      polling_since_ = 0;
      Fiber* fiber = idle_fiber();
      take_thread(*fiber, *starting_);
      return fiber;
    }
    if (converging_ > 0) {
      // Lanes in the middle of their work come before those that wait for them.
      Fiber* behind = take_busy(preempted_);
      if (behind == nullptr) behind = take_busy(polled_);
      if (behind != nullptr) {
        polling_since_ = 0;
        return behind;
      }
    }
    if (stopped_.first != nullptr) {
      if (pause_stopped()) continue;
    } else if (release_converged()) {
      continue;
    }
    if (polled_.first != nullptr || preempted_.first != nullptr) {
      // Who looks may wait for a block that has not begun.
      if (++polls_ > 2 * (polled_.count + preempted_.count) && can_start_block() && start_block()) {
        polls_ = 0;
        continue;
      }
      // In turn: who computes for long, and who looks.
      if (preempted_.first != nullptr && (polled_.first == nullptr || polls_ % 2 == 0)) {
        polling_since_ = 0;
        return preempted_.pop_front();
      }
      const std::uint64_t now = nanoseconds_now();
      if (polling_since_ == 0) polling_since_ = now;
      if (now - polling_since_ > (checking ? longest_checked_polling : longest_polling))
        return nullptr;
      return polled_.pop_front();
    }
    if ((resident_.empty() || grid_waiters_.first != nullptr) && start_block()) continue;
    return nullptr;
  }
}

/** Threads have stopped, and no other can go on: who steps them says which do. */
bool Worker::pause_stopped() {
  const bool others_run = polled_.first != nullptr || preempted_.first != nullptr;
  if (others_run && !stepped::waited_enough()) return false;
  stepped::pause(*launch_, fibers_, stepped::Reason::line);
  polling_since_ = 0;
  FiberList stay;
  while (stopped_.first != nullptr) {
    Fiber* fiber = stopped_.pop_front();
    (stepped::goes_on(*fiber) ? ready_ : stay).push_back(fiber);
  }
  stopped_ = stay;
  return true;
}

bool Worker::can_start_block() const {
  return blocks_left_ && live_threads_ + launch_->threads <= most_fibers;
}

bool Worker::start_block() {
  if (!blocks_left_) return false;
  const std::uint64_t turn = launch_->next_block.fetch_add(1, std::memory_order_relaxed);
  if (turn >= launch_->blocks) {
    blocks_left_ = false;
    return false;
  }
  if (unused_blocks_.empty()) {
    Block& made = *blocks_.emplace_back(std::make_unique<Block>());
    made.shared = map_shared();
    if (made.shared == nullptr) {
      set_error(cudaErrorMemoryAllocation);
      report_failure("out of memory: no shared memory for another block of the virtual GPU");
      launch_->failed.store(true);
      return false;
    }
    unused_blocks_.push_back(&made);
  }
  Block& block = *unused_blocks_.back();
  unused_blocks_.pop_back();
  resident_.push_back(&block);

  const std::uint64_t number = block_of_turn(*launch_, turn);
  const dim3& grid = launch_->size.grid;
  block.number = number;
  block.index = {static_cast<unsigned>(number % grid.x),
                 static_cast<unsigned>(number / grid.x % grid.y),
                 static_cast<unsigned>(number / (std::uint64_t{grid.x} * grid.y))};
  block.threads = launch_->threads;
  block.live = block.threads;
  block.others = false;
  block.warps = (block.threads + lanes_of_warp - 1) / lanes_of_warp;
  block.warps_started = 0;
  block.next_lane = 0;
  block.barriers_passed = 0;
  block.barrier = {};
  block.named = {};
  block.converging_warps = 0;
  order_warps(block, launch_->seed);
  for (std::uint32_t warp = 0; warp < block.warps; ++warp) {
    const std::uint32_t left = block.threads - warp * lanes_of_warp;
    block.warp[warp] = {lanes_below(left), 0};
    block.warp_epoch[warp] = 0;
    LaneGroup& whole = block.whole[warp];
    whole.arrived = 0;
    whole.unread = 0;
    whole.votes = 0;
    whole.waiters = {};
    block.converging[warp] = {};
    block.parts[warp].clear();
  }
  live_threads_ += block.threads;
  starting_ = &block;
  check_block_started(*launch_, block);
  if (stepping) stepped::block_started(*launch_, block);
  return true;
}

void Worker::end_block(Block& block) {
  check_block_ended(*launch_, block);
  if (counting) counted::block_ended(block);
  if (stepping) stepped::block_ended(*launch_, block);
  live_threads_ -= block.threads;
  resident_.erase(std::find(resident_.begin(), resident_.end(), &block));
  unused_blocks_.push_back(&block);
}

/** Gives the fiber the next thread of the block that has not begun. */
void Worker::take_thread(Fiber& fiber, Block& block) {
  const std::uint32_t warp =
      (block.warp_begin + block.warps_started * block.warp_stride) % block.warps;
  const std::uint32_t lane = block.next_lane;
  const std::uint32_t linear = warp * lanes_of_warp + lane;
  const dim3& size = launch_->size.block;
  fiber.thread = {linear % size.x, linear / size.x % size.y, linear / (size.x * size.y)};
  fiber.block_index = block.index;
  fiber.block_dim = size;
  fiber.grid_dim = launch_->size.grid;
  fiber.shared = block.shared;
  fiber.lane = lane;
  fiber.linear = linear;
  fiber.warp = &block.warp[warp];
  fiber.block = &block;
  fiber.others = &block.others;
  fiber.first_lane = lane;
  fiber.wait = Wait::nothing;
  fiber.slices = 0;
  // A thread that ended by a fault left its own there.
  fiber.locals = nullptr;
  fiber.busy = true;
  fiber.advancing = false;
  // Until the fiber waits or ends, the lanes of this row after it are its own.
  block.next_lane = lane + 1;
  if (block.next_lane >= lanes_of_warp || (block.warp[warp].exists >> block.next_lane & 1U) == 0) {
    block.next_lane = 0;
    if (++block.warps_started == block.warps) starting_ = nullptr;
  }
}

/** Counts the lanes that the fiber has run since it was asked last, and that have returned. */
void Worker::settle(Fiber& fiber) {
  if (fiber.lane == fiber.first_lane) return;
  Block& block = *fiber.block;
  const std::uint32_t done = lanes_below(fiber.lane) & ~lanes_below(fiber.first_lane);
  fiber.warp->exited |= done;
  block.live -= fiber.lane - fiber.first_lane;
  // The fiber took lanes without asking: the block goes on after them.
  if (fiber.lane >= block.next_lane && starting_ == &block) {
    block.next_lane = fiber.lane + 1;
    if (block.next_lane >= lanes_of_warp || (fiber.warp->exists >> block.next_lane & 1U) == 0) {
      block.next_lane = 0;
      if (++block.warps_started == block.warps) starting_ = nullptr;
    }
  }
  fiber.first_lane = fiber.lane;
}

bool Worker::finish_thread() {
  Fiber& fiber = *running();
  settle(fiber);
  polling_since_ = 0;
  Block& block = *fiber.block;
  fiber.warp->exited |= 1U << fiber.lane;
  --block.live;
  if (counting && fiber.warp->exited == fiber.warp->exists)
    counted::warp_converged(block, warp_of(fiber));
  if (block.others) after_exit(block, warp_of(fiber));
  if (block.live == 0) end_block(block);
  if (launch_->failed.load(std::memory_order_relaxed) || ready_.first != nullptr) return false;
  if (starting_ == nullptr && !(resident_.empty() && start_block())) return false;
  take_thread(fiber, *starting_);
  return true;
}

/** An exit can be what others wait for. */
void Worker::after_exit(Block& block, std::uint32_t warp) {
  const auto look_at = [&](LaneGroup& group) {
    if (group.arrived == 0) return;
    const Warp& lanes = block.warp[warp];
    const std::uint32_t needed = group.mask & lanes.exists & ~lanes.exited;
    if ((needed & ~group.arrived) == 0) complete(block, warp, group);
  };
  look_at(block.whole[warp]);
  for (const auto& group : block.parts[warp])
    look_at(*group);
  if (block.barrier.arrived > 0 && block.barrier.arrived == block.live)
    release_barrier(block, block.barrier);
}

void Worker::switch_from(Fiber& fiber) {
  ++switches_;
  Fiber* next = next_fiber();
  if (next == &fiber) {
    current = next;
    return;
  }
  if (next == nullptr) {
    current = nullptr;
    opsmith_gpu_switch(&fiber.stack_pointer, home_);
  } else {
    current = next;
    opsmith_gpu_switch(&fiber.stack_pointer, next->stack_pointer);
  }
}

void Worker::wait_in(FiberList& list, Wait wait, Site site) {
  Fiber& fiber = *running();
  fiber.wait = wait;
  fiber.slices = 0;
  fiber.site = site;
  list.push_back(&fiber);
  fiber.block->others = true;
  switch_from(fiber);
  fiber.wait = Wait::nothing;
}

void Worker::release_barrier(Block& block, BarrierState& barrier) {
  const bool is_named = &barrier != &block.barrier;
  if (!is_named) check_barrier_passed(block);
  if (counting)
    counted::barrier_passed(
        block, is_named ? 1 + static_cast<std::uint32_t>(&barrier - block.named.data()) : 0);
  barrier.result_count = barrier.count;
  barrier.result_arrived = barrier.arrived;
  barrier.arrived = 0;
  barrier.count = 0;
  ++block.barriers_passed;
  ready_.append(barrier.waiters);
}

void Worker::wait_for_block(Site site) {
  Fiber& fiber = *running();
  settle(fiber);
  Block& block = *fiber.block;
  check_barrier(block, site);
  if (counting) counted::barrier(fiber, 0, site);
  if (++block.barrier.arrived == block.live)
    release_barrier(block, block.barrier);
  else
    wait_in(block.barrier.waiters, Wait::block_barrier, site);
}

std::uint32_t Worker::vote_in_block(bool predicate, std::uint32_t* arrived, Site site) {
  BarrierState& barrier = running()->block->barrier;
  if (predicate) ++barrier.count;
  wait_for_block(site);
  *arrived = barrier.result_arrived;
  return barrier.result_count;
}

void Worker::wait_for_named(std::uint32_t name, std::uint32_t threads, bool wait, Site site) {
  Fiber& fiber = *running();
  settle(fiber);
  Block& block = *fiber.block;
  BarrierState& barrier = block.named[name % named_barriers];
  barrier.needed = threads == 0 ? block.threads : threads;
  if (counting) counted::barrier(fiber, 1 + name % named_barriers, site);
  // A warp counts as a whole, also where only some of its lanes come one by one.
  if (++barrier.arrived >= barrier.needed) {
    release_barrier(block, barrier);
    return;
  }
  block.others = true;
  if (wait) wait_in(barrier.waiters, Wait::named_barrier, site);
}

void Worker::wait_for_grid(Site site) {
  Fiber& fiber = *running();
  settle(fiber);
  if (counting) counted::barrier(fiber, 0, site);
  if (++grid_arrived_ == launch_->blocks * launch_->threads) {
    grid_arrived_ = 0;
    check_grid_barrier(*launch_);
    for (Block* block : resident_) {
      ++block->barriers_passed;
      if (counting) counted::barrier_passed(*block, 0);
    }
    ready_.append(grid_waiters_);
    return;
  }
  wait_in(grid_waiters_, Wait::grid_barrier, site);
}

LaneGroup& Worker::group_of(Block& block, std::uint32_t warp, std::uint32_t mask) {
  if (mask == all_lanes) {
    block.whole[warp].mask = mask;
    return block.whole[warp];
  }
  auto& parts = block.parts[warp];
  LaneGroup* unused = nullptr;
  for (const auto& group : parts) {
    if (group->mask == mask) return *group;
    if (group->arrived == 0 && group->unread == 0) unused = group.get();
  }
  if (unused == nullptr) {
    parts.push_back(std::make_unique<LaneGroup>());
    unused = parts.back().get();
  }
  unused->mask = mask;
  return *unused;
}

/** All lanes have come: they go on before others, so that a warp stays together. */
void Worker::complete(Block& block, std::uint32_t warp, LaneGroup& group) {
  const std::uint32_t gone = group.mask & block.warp[warp].exited & ~group.arrived;
  if (checking && gone != 0 && group.waiters.first != nullptr)
    checked::lanes_are_gone(gone, group.waiters.first->site);
  const Warp& lanes = block.warp[warp];
  if (counting && (lanes.exists & ~lanes.exited & ~group.arrived) == 0)
    counted::warp_converged(block, warp);
  group.present[group.parity] = group.arrived;
  group.result_votes[group.parity] = group.votes;
  group.parity ^= 1U;
  group.arrived = 0;
  group.votes = 0;
  group.unread += group.waiters.count;
  ++block.warp_epoch[warp];
  ready_.prepend(group.waiters);
}

LaneGroup& Worker::meet(std::uint32_t mask, std::uint64_t value, bool vote, Site site,
                        std::uint32_t* parity) {
  Fiber& fiber = *running();
  settle(fiber);
  Block& block = *fiber.block;
  const std::uint32_t warp = warp_of(fiber);
  LaneGroup& group = group_of(block, warp, mask);
  const std::uint32_t bit = 1U << fiber.lane;
  check_warp_operation(fiber, group.mask, site);
  *parity = group.parity;
  group.values[group.parity][fiber.lane] = value;
  group.arrived |= bit;
  if (vote) group.votes |= bit;
  const Warp& lanes = block.warp[warp];
  const std::uint32_t needed = mask & lanes.exists & ~lanes.exited;
  if ((needed & ~group.arrived) == 0) {
    complete(block, warp, group);
  } else {
    wait_in(group.waiters, Wait::warp, site);
    --group.unread;
  }
  return group;
}

std::uint32_t Worker::converged(Site site) {
  Fiber& fiber = *running();
  settle(fiber);
  Block& block = *fiber.block;
  const std::uint32_t warp = warp_of(fiber);
  block.converging_warps |= 1U << warp;
  ++converging_;
  wait_in(block.converging[warp], Wait::converged_lanes, site);
  return fiber.result;
}

/** Code that comes earlier in the same file: what lanes that skipped a branch wait for. */
bool is_before(const Site& one, const Site& other) {
  if (one.line == other.line && one.column == other.column) return false;
  if (std::strcmp(one.file, other.file) != 0) return false;
  return one.line != other.line ? one.line < other.line : one.column < other.column;
}

/**
 * No lane can go on: those that asked at one place have come together as far as they can. Who is
 * furthest behind goes first, so that lanes that a branch parted meet after it.
 */
bool Worker::release_converged() {
  bool released = false;
  for (Block* block : resident_) {
    for (std::uint32_t warp = 0; block->converging_warps != 0 && warp < block->warps; ++warp) {
      if ((block->converging_warps >> warp & 1U) == 0) continue;
      FiberList& waiting = block->converging[warp];
      Site site = waiting.first->site;
      for (const Fiber* fiber = waiting.first; fiber != nullptr; fiber = fiber->next)
        if (is_before(fiber->site, site)) site = fiber->site;
      std::uint32_t lanes = 0;
      FiberList together;
      FiberList apart;
      while (waiting.first != nullptr) {
        Fiber* fiber = waiting.pop_front();
        const bool here = fiber->site.file == site.file && fiber->site.line == site.line &&
                          fiber->site.column == site.column;
        if (here) lanes |= 1U << fiber->lane;
        (here ? together : apart).push_back(fiber);
      }
      for (Fiber* fiber = together.first; fiber != nullptr; fiber = fiber->next)
        fiber->result = lanes;
      converging_ -= together.count;
      ready_.append(together);
      waiting = apart;
      if (waiting.first == nullptr) block->converging_warps &= ~(1U << warp);
      released = true;
    }
  }
  return released;
}

void Worker::let_others_run(FiberList& list) {
  Fiber& fiber = *running();
  settle(fiber);
  fiber.block->others = true;
  ++fiber.slices;
  list.push_back(&fiber);
  switch_from(fiber);
}

void Worker::look_again() {
  let_others_run(polled_);
}

void Worker::poll() {
  Fiber& fiber = *running();
  if (++fiber.result % polls_of_slice == 0) let_others_run(polled_);
}

void Worker::preempt() {
  if (current != nullptr && !current->advancing) let_others_run(preempted_);
}

void Worker::report_deadlock() {
  std::uint32_t by_wait[6] = {};
  std::uint32_t polling = polled_.count;
  const Fiber* example[6] = {};
  for (const Fiber& fiber : fibers_) {
    if (!fiber.busy || fiber.wait == Wait::nothing) continue;
    const auto kind = static_cast<std::size_t>(fiber.wait);
    ++by_wait[kind];
    if (example[kind] == nullptr) example[kind] = &fiber;
  }
  const void* polls_at = polled_.first == nullptr ? nullptr : polled_.first->polls_at;
  report_stuck(*launch_, by_wait, example, polling, polls_at);
  launch_->failed.store(true);
}

bool finish_thread() {
  return worker->finish_thread();
}

void barrier(Site site) {
  worker->wait_for_block(site);
}

int barrier_vote(Vote vote, bool predicate, Site site) {
  std::uint32_t arrived = 0;
  const std::uint32_t count = worker->vote_in_block(predicate, &arrived, site);
  switch (vote) {
    case Vote::count:
      return static_cast<int>(count);
    case Vote::all:
      return count == arrived ? 1 : 0;
    case Vote::any:
      return count > 0 ? 1 : 0;
  }
  return 0;
}

void named_barrier(std::uint32_t name, std::uint32_t threads, bool wait, Site site) {
  worker->wait_for_named(name, threads, wait, site);
}

void grid_barrier(Site site) {
  worker->wait_for_grid(site);
}

bool grid_can_wait() {
  return worker->launch()->size.cooperative;
}

std::uint64_t exchange(std::uint32_t mask, std::uint64_t value, std::uint32_t source, Site site) {
  std::uint32_t parity = 0;
  const LaneGroup& group = worker->meet(mask, value, false, site, &parity);
  const bool there = source < lanes_of_warp && (group.present[parity] >> source & 1U) != 0;
  return there ? group.values[parity][source] : value;
}

std::uint32_t ballot(std::uint32_t mask, bool predicate, Site site) {
  std::uint32_t parity = 0;
  return worker->meet(mask, 0, predicate, site, &parity).result_votes[parity];
}

std::uint32_t exchange_all(std::uint32_t mask, std::uint64_t value, std::uint64_t* values,
                           Site site) {
  std::uint32_t parity = 0;
  const LaneGroup& group = worker->meet(mask, value, false, site, &parity);
  std::memcpy(values, group.values[parity], sizeof(group.values[parity]));
  return group.present[parity];
}

std::uint32_t converged_lanes(Site site) {
  return worker->converged(site);
}

void yield() {
  if (worker != nullptr) worker->look_again();
}

void polled() {
  if (worker != nullptr) worker->poll();
}

}  // namespace opsmith::gpu
