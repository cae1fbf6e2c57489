// Fibers: stacks that one OS thread runs in turn.
#pragma once

#include <cstddef>
#include <cstdint>

#include "opsmith/gpu/device.h"
#include "opsmith/gpu/local_values.h"

namespace opsmith::gpu {

/** What a fiber waits for. */
enum class Wait : std::uint8_t {
  nothing,
  block_barrier,
  named_barrier,
  warp,
  converged_lanes,
  grid_barrier
};

/** A fiber, and the thread that it runs. `ThreadContext` comes first: `current` points at it. */
struct Fiber : ThreadContext {
  void* stack_pointer = nullptr;
  std::byte* stack = nullptr;
  Fiber* next = nullptr;         // in the list that it waits in
  std::uint32_t first_lane = 0;  // lanes from here to `lane` have returned, and are not counted yet
  std::uint32_t number = 0;      // within its worker
  Wait wait = Wait::nothing;
  Site site;                       // where it waits
  const void* polls_at = nullptr;  // in a checked run: where it looked at memory last
  std::uint32_t slices = 0;        // how often it left the core since it waited last
  std::uint32_t result = 0;        // what it is given when it goes on
  bool busy = false;               // it runs a thread
  LocalRange* locals = nullptr;    // in a checked run: its marked variables, the newest first
};

/** A list of fibers, first in, first out. */
struct FiberList {
  Fiber* first = nullptr;
  Fiber* last = nullptr;
  std::uint32_t count = 0;

  void push_back(Fiber* fiber) {
    fiber->next = nullptr;
    if (last != nullptr)
      last->next = fiber;
    else
      first = fiber;
    last = fiber;
    ++count;
  }
  void push_front(Fiber* fiber) {
    fiber->next = first;
    first = fiber;
    if (last == nullptr) last = fiber;
    ++count;
  }
  Fiber* pop_front() {
    Fiber* fiber = first;
    first = fiber->next;
    if (first == nullptr) last = nullptr;
    --count;
    return fiber;
  }
  /** Moves all of `other` behind what is here. */
  void append(FiberList& other) {
    if (other.first == nullptr) return;
    if (last != nullptr)
      last->next = other.first;
    else
      first = other.first;
    last = other.last;
    count += other.count;
    other = {};
  }
  /** Moves all of `other` before what is here. */
  void prepend(FiberList& other) {
    if (other.first == nullptr) return;
    other.last->next = first;
    if (last == nullptr) last = other.last;
    first = other.first;
    count += other.count;
    other = {};
  }
};

constexpr std::size_t stack_bytes = 256 * 1024;

/** Maps a stack; null if there is no memory left. */
std::byte* map_stack(std::uint32_t number);
void unmap_stack(std::byte* stack);

/** Makes `fiber` begin with `entry`, which never returns. */
void prepare_stack(Fiber& fiber, void (*entry)());

/** Goes on where `to` was left, and keeps in *from where this was left. */
extern "C" void opsmith_gpu_switch(void** from, void* to);

}  // namespace opsmith::gpu
