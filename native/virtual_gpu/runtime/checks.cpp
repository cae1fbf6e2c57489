// The checks of a checked build: each access of a kernel, each copy and each wait comes by here.
// A checked launch runs on one OS thread, so what is kept needs no locks.
#include "checks.h"
#include "counts.h"
#include "cuda_runtime_api.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <unordered_map>

#include "device_heap.h"
#include "errors.h"
#include "findings.h"
#include "opsmith/gpu/launch.h"
#include "order_dependence.h"
#include "shadow.h"
#include "shared_memory.h"
#include "stream_order.h"
#include "streams.h"
#include "worker.h"

namespace opsmith::gpu {

bool checking = false;

namespace {

constexpr std::size_t chunk_bytes = 256;

/** When threads of a block published what they wrote, and when they looked at what others
 * published. */
struct Publication {
  std::vector<std::uint32_t> releases;
  std::uint32_t last_acquire = 0;
};

struct Variable {
  const std::byte* begin;
  std::size_t bytes;
  std::string name;
  ShadowRange shadow;
  VariableKind kind;
};

struct SharedVariable {
  std::size_t begin;
  std::size_t bytes;
  Site site;
};

/** Memory of the host that an asynchronous copy reads or writes. */
struct PendingCopy {
  const std::byte* begin;
  std::size_t bytes;
  std::uint32_t operation;
  bool writes;
};

/** A write that races, unless it writes what is there: known when the thread goes on. */
struct PendingWrite {
  const std::byte* address = nullptr;
  std::uint8_t size = 0;
  std::byte before[16];
  Finding finding;
};

/** What `npm run perf -- virtual-gpu --only checks` leaves out, to see what each part costs. */
struct LeftOut {
  bool values = false;
  bool races = false;
  bool orders = false;
};

LeftOut left_out_by(const char* names) {
  const std::string all = names == nullptr ? "" : names;
  const auto has = [&all](const char* name) { return all.find(name) != std::string::npos; };
  return {has("values"), has("races"), has("orders")};
}

const LeftOut left_out = left_out_by(std::getenv("OPSMITH_GPU_LEAVE_OUT"));

struct CallFailure {
  cudaError_t error;
  std::string what;
  Site site;
};

struct State {
  StreamOrder order;
  std::uint64_t accesses = 0;
  std::uint64_t launches = 0;

  // The launch that runs.
  const Launch* launch = nullptr;
  std::uint32_t operation = 0;
  std::uint32_t phase = 0;
  std::uint32_t time = 1;
  int device = 0;
  std::unordered_map<std::uint64_t, Publication> publications;  // by block

  // Memory.
  const std::byte* arena_begin = nullptr;
  // By chunk of the arena: the index of its allocation, from 1. Pages that nobody uses are not
  // there.
  std::uint32_t* chunks = nullptr;
  std::size_t chunk_count = 0;
  std::vector<Allocation> allocations{Allocation{}};
  ShadowRange arena;
  std::map<const std::byte*, ShadowRange> shared;  // by where a block's shared memory begins
  std::vector<Variable> variables;
  std::vector<SharedVariable> shared_variables;

  std::vector<PendingCopy> pending_copies;
  PendingWrite pending_write;
  std::vector<CallFailure> failures;  // that nobody looked at
  std::map<const Block*, Site> barrier_site;
  std::map<const Block*, std::uint32_t> barrier_arrivals;
  const std::byte* program = nullptr;
  // The shared variable that was accessed last: most accesses are of one.
  const std::byte* last_shared = nullptr;
  const ShadowRange* last_shadow = nullptr;
  std::size_t last_begin = 0;
  std::size_t last_end = 0;

  int device_access = 0;
  bool ended = false;
};

State& state() {
  // Never destroyed: host code is checked until the end. Made before any kernel runs.
  static constinit State* kept = nullptr;
  if (__builtin_expect(kept == nullptr, 0)) kept = new State();
  return *kept;
}

const std::byte* program_begin(const void* instruction) {
  State& s = state();
  if (s.program == nullptr) {
    Dl_info info;
    if (dladdr(instruction, &info) != 0) s.program = static_cast<const std::byte*>(info.dli_fbase);
  }
  return s.program;
}

std::uint32_t offset_of(const void* instruction) {
  return static_cast<std::uint32_t>(static_cast<const std::byte*>(instruction) -
                                    program_begin(instruction));
}

CodePlace place_of(std::uint32_t offset) {
  return offset == 0 ? CodePlace{} : CodePlace{state().program + offset, {}};
}

ThreadPlace this_thread() {
  if (current == nullptr) return {};
  return {current->block_index, current->thread, true};
}

ThreadPlace thread_of(const AccessRecord& record) {
  const State& s = state();
  if (record.block == 0 || s.launch == nullptr || record.operation != s.operation) return {};
  const dim3& grid = s.launch->size.grid;
  const dim3& block = s.launch->size.block;
  const std::uint32_t number = record.block - 1;
  const std::uint32_t thread = record.thread;
  return {{number % grid.x, number / grid.x % grid.y, number / (grid.x * grid.y)},
          {thread % block.x, thread / block.x % block.y, thread / (block.x * block.y)},
          true};
}

Finding finding(const char* check, std::string message, std::string remedy) {
  Finding made;
  made.check = check;
  made.message = std::move(message);
  made.remedy = std::move(remedy);
  made.thread = this_thread();
  if (state().launch != nullptr) {
    made.kernel = state().launch->kernel->name;
    made.launched = state().launch->kernel->site;
  }
  return made;
}

std::string bytes_text(std::size_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

/** The allocation whose chunk holds the address; null if none does. */
const Allocation* allocation_at(const void* address) {
  const State& s = state();
  if (s.arena_begin == nullptr) return nullptr;
  const auto offset = static_cast<const std::byte*>(address) - s.arena_begin;
  if (offset < 0) return nullptr;
  const auto chunk = static_cast<std::size_t>(offset) / chunk_bytes;
  if (chunk >= s.chunk_count || s.chunks[chunk] == 0) return nullptr;
  return &s.allocations[s.chunks[chunk]];
}

/** The allocation that ends last before the address, or else begins first after it. */
const Allocation* allocation_before(const void* address) {
  const State& s = state();
  const auto offset = static_cast<const std::byte*>(address) - s.arena_begin;
  if (s.arena_begin == nullptr || offset < 0 || s.chunk_count == 0) return nullptr;
  const std::size_t begin =
      std::min(static_cast<std::size_t>(offset) / chunk_bytes, s.chunk_count - 1);
  std::size_t chunk = begin;
  while (chunk > 0 && s.chunks[chunk] == 0)
    --chunk;
  // None: the address is below the first one.
  if (s.chunks[chunk] == 0) chunk = begin;
  while (chunk + 1 < s.chunk_count && s.chunks[chunk] == 0)
    ++chunk;
  return s.chunks[chunk] == 0 ? nullptr : &s.allocations[s.chunks[chunk]];
}

/**
 * True if who made an access at `time` released it by a fence, and who looks now acquired that.
 * @param before the key of who made it: a block, a warp or a thread
 * @param now the key of who looks
 */
bool is_published(std::uint64_t before, std::uint32_t time, std::uint64_t now) {
  const State& s = state();
  const auto writer = s.publications.find(before);
  const auto own = s.publications.find(now);
  if (writer == s.publications.end() || own == s.publications.end()) return false;
  const auto& releases = writer->second.releases;
  const auto first = std::upper_bound(releases.begin(), releases.end(), time);
  return first != releases.end() && own->second.last_acquire >= *first;
}

/** Publications within a block are kept by warp: a key that no block number has. */
std::uint64_t warp_key(std::uint32_t block, std::uint32_t warp) {
  return (std::uint64_t{1} << 63) | (std::uint64_t{block} << 8) | warp;
}

std::uint8_t bits_of(std::size_t first, std::size_t count) {
  return static_cast<std::uint8_t>(((1U << count) - 1U) << first);
}

/** And those within a warp by thread. */
std::uint64_t thread_key(std::uint32_t block, std::uint32_t thread) {
  return (std::uint64_t{1} << 62) | (std::uint64_t{block} << 10) | thread;
}

enum class Conflict { none, same_warp, same_block, other_block, other_operation };

/** Whether nothing orders the earlier access before the one that `now` makes. */
Conflict conflict(const AccessRecord& before, const AccessRecord& now) {
  if (before.is_atomic && now.is_atomic) return Conflict::none;
  State& s = state();
  if (before.operation != now.operation)
    return s.order.is_before(before.operation, now.operation) ? Conflict::none
                                                              : Conflict::other_operation;
  if (before.block == 0 || now.block == 0) return Conflict::none;
  if (before.block != now.block) {
    if (before.phase != now.phase) return Conflict::none;
    return is_published(before.block, before.time, now.block) ? Conflict::none
                                                              : Conflict::other_block;
  }
  if (before.thread == now.thread || before.barrier_epoch != now.barrier_epoch)
    return Conflict::none;
  const std::uint32_t warp_before = before.thread / lanes_of_warp;
  const std::uint32_t warp_now = now.thread / lanes_of_warp;
  if (warp_before == warp_now) {
    if (before.warp_epoch != now.warp_epoch) return Conflict::none;
    return is_published(thread_key(before.block, before.thread), before.time,
                        thread_key(now.block, now.thread))
               ? Conflict::none
               : Conflict::same_warp;
  }
  return is_published(warp_key(before.block, warp_before), before.time,
                      warp_key(now.block, warp_now))
             ? Conflict::none
             : Conflict::same_block;
}

struct Range {
  const ShadowRange* shadow = nullptr;
  bool is_shared = false;
  bool begins_written = false;  // variables and memory of the host have a value from the start
  const Allocation* allocation = nullptr;
  const Variable* variable = nullptr;
};

std::string where_text(const Range& range, const void* address) {
  const auto* byte = static_cast<const std::byte*>(address);
  if (range.allocation != nullptr)
    return "byte " + std::to_string(byte - range.allocation->begin) + " of an allocation of " +
           bytes_text(range.allocation->bytes);
  if (range.variable != nullptr)
    return "byte " + std::to_string(byte - range.variable->begin) + " of " + range.variable->name;
  if (range.is_shared) return "shared memory";
  return "memory";
}

void report_conflict(Conflict kind, const Range& range, const void* address,
                     const AccessRecord& before, bool before_writes, const AccessRecord& now,
                     bool writes, const void* instruction, std::uint8_t size) {
  const char* check = range.is_shared ? "shared-race" : "global-race";
  std::string remedy = range.is_shared ? "Put __syncthreads() between the two accesses."
                                       : "Use only one thread for each element, or use atomics.";
  std::string message = "Two threads access " + where_text(range, address) +
                        ", one of the two writes, and no synchronization orders the accesses.";
  if (before_writes && writes)
    message = "Two threads write " + where_text(range, address) +
              ", and no synchronization orders the accesses.";
  if (kind == Conflict::same_warp) {
    check = "missing-syncwarp";
    message = "Two lanes of a warp access " + where_text(range, address) +
              " without __syncwarp() between the accesses: the lanes may run at different times.";
    remedy = "Put __syncwarp() between the two accesses, or exchange the value by a shuffle.";
  } else if (kind == Conflict::other_operation) {
    check = "wrong-stream";
    const StreamOperation& other = state().order.operation(before.operation);
    message = std::string("A kernel uses memory that an operation of another stream ") +
              (before_writes ? "writes" : "reads") + ", but does not wait for that operation.";
    remedy =
        "Record an event after that operation (cudaEventRecord), and let the stream of the kernel "
        "wait for the event (cudaStreamWaitEvent).";
    Finding made = finding(check, message, remedy);
    made.place = {nullptr, state().launch->kernel->site};
    made.other_place = {nullptr, other.site};
    made.other = "operation of the other stream";
    if (range.allocation != nullptr) made.allocated = range.allocation->made;
    add_finding(std::move(made));
    return;
  }
  if (before.is_update && now.is_update && kind != Conflict::other_operation) {
    check = "non-atomic-accumulation";
    message = "Several threads update " + where_text(range, address) +
              " without atomics, so some of the updates are lost.";
    remedy = "Use atomicAdd, or reduce the values first and let one thread write the result.";
  }
  Finding made = finding(check, message, remedy);
  made.place = {instruction, {}};
  made.other_place = place_of(before.instruction);
  made.other_thread = thread_of(before);
  made.other = before_writes ? "write" : "read";
  if (range.allocation != nullptr) made.allocated = range.allocation->made;
  // Threads may write the same value: nobody can tell who was last.
  if (before_writes && writes && !now.is_update && size <= 16 && state().pending_write.size == 0) {
    PendingWrite& pending = state().pending_write;
    pending.address = static_cast<const std::byte*>(address);
    pending.size = size;
    std::memcpy(pending.before, address, size);
    pending.finding = std::move(made);
    return;
  }
  add_finding(std::move(made));
}

void settle_pending_write() {
  PendingWrite& pending = state().pending_write;
  if (pending.size == 0) return;
  if (std::memcmp(pending.before, pending.address, pending.size) != 0)
    add_finding(std::move(pending.finding));
  pending.size = 0;
}

/** Keeps the finding, and ends the launch: a GPU would not go on, or with wrong memory. */
[[noreturn]] void fault_with(Finding made) {
  add_finding(std::move(made));
  set_sticky_error(cudaErrorIllegalAddress);
  worker->abandon();
}

[[noreturn]] void report_freed(const Allocation& allocation, bool writes, const void* instruction) {
  Finding made =
      finding("use-after-free",
              std::string("A kernel ") + (writes ? "writes" : "reads") + " memory that was freed.",
              "Call cudaFree after the last kernel that uses the memory.");
  made.place = {instruction, {}};
  made.other_place = {nullptr, allocation.released};
  made.other = "cudaFree";
  made.allocated = allocation.made;
  fault_with(std::move(made));
}

/** Finds what the address belongs to; false, with a finding, if a kernel must not access it. */
bool find_range(const void* address, std::size_t size, bool writes, const void* instruction,
                Range* range) {
  State& s = state();
  const auto* byte = static_cast<const std::byte*>(address);
  if (in_arena(address)) {
    const Allocation* allocation = allocation_at(address);
    const char* verb = writes ? "writes" : "reads";
    if (allocation == nullptr || byte + size > allocation->begin + allocation->bytes ||
        byte < allocation->begin) {
      const Allocation* near = allocation != nullptr ? allocation : allocation_before(address);
      if (near != nullptr && near->freed) report_freed(*near, writes, instruction);
      std::string message = std::string("A kernel ") + verb + " " + bytes_text(size) +
                            " outside of every allocation.";
      if (near != nullptr)
        message = std::string("A kernel ") + verb + " " + bytes_text(size) + " at byte " +
                  std::to_string(byte - near->begin) + " of an allocation of " +
                  bytes_text(near->bytes) + ".";
      Finding made = finding("out-of-bounds", message,
                             "Compare the index with the number of elements before the access.");
      made.place = {instruction, {}};
      if (near != nullptr) made.allocated = near->made;
      fault_with(std::move(made));
    }
    if (allocation->freed) report_freed(*allocation, writes, instruction);
    if (allocation->device != s.device && allocation->kind == MemoryKind::device &&
        !peers_can_access(s.device, allocation->device)) {
      Finding made =
          finding("missing-device-guard",
                  "A kernel on device " + std::to_string(s.device) + " uses memory of device " +
                      std::to_string(allocation->device) + ".",
                  "Before the launch, call cudaSetDevice with the device of the memory. In an "
                  "operator, use a CUDAGuard.");
      made.place = {instruction, {}};
      made.allocated = allocation->made;
      fault_with(std::move(made));
    }
    range->shadow = &s.arena;
    range->allocation = allocation;
    range->begins_written = allocation->kind != MemoryKind::device;
    return true;
  }
  const std::byte* shared = current->shared;
  if (in_shared(address, shared)) {
    const auto offset = static_cast<std::size_t>(byte - shared);
    range->is_shared = true;
    if (shared == s.last_shared && offset >= s.last_begin && offset + size <= s.last_end) {
      range->shadow = s.last_shadow;
      return true;
    }
    bool fits = false;
    s.last_begin = s.last_end = 0;
    if (offset < static_shared_begin) {
      fits = offset + size <= s.launch->size.dynamic_shared;
      s.last_end = s.launch->size.dynamic_shared;
    } else {
      for (const SharedVariable& variable : s.shared_variables) {
        if (offset < variable.begin || offset + size > variable.begin + variable.bytes) continue;
        fits = true;
        s.last_begin = variable.begin;
        s.last_end = variable.begin + variable.bytes;
      }
    }
    if (!fits) {
      Finding made = finding(
          "out-of-bounds",
          std::string("A kernel ") + (writes ? "writes " : "reads ") + bytes_text(size) +
              (offset < static_shared_begin
                   ? " of dynamic shared memory at byte " + std::to_string(offset) +
                         "; the launch gave the block " + bytes_text(s.launch->size.dynamic_shared)
                   : " outside of every __shared__ variable") +
              ".",
          offset < static_shared_begin
              ? "Pass the size of the shared array in bytes to the launch (third argument of "
                "<<<…>>>), and compare the index with the number of "
                "elements."
              : "Compare the index with the size of the shared array.");
      made.place = {instruction, {}};
      fault_with(std::move(made));
    }
    auto found = s.shared.find(shared);
    if (found == s.shared.end()) {
      ShadowRange made;
      if (!made.map(shared, shared_bytes)) return false;
      found = s.shared.emplace(shared, made).first;
    }
    range->shadow = &found->second;
    s.last_shared = shared;
    s.last_shadow = range->shadow;
    return true;
  }
  for (Variable& variable : s.variables) {
    if (byte < variable.begin || byte >= variable.begin + variable.bytes) continue;
    if (byte + size > variable.begin + variable.bytes) break;
    if (variable.shadow.begin() == nullptr) variable.shadow.map(variable.begin, variable.bytes);
    range->shadow = &variable.shadow;
    range->variable = &variable;
    range->begins_written = true;
    return true;
  }
  if (in_device_heap(address)) return false;
  Allocation registered;
  if (find_allocation(address, &registered)) return false;
  // Behind a variable of the device.
  for (const Variable& variable : s.variables) {
    const auto beyond = byte - variable.begin;
    if (beyond < 0 || static_cast<std::size_t>(beyond) > variable.bytes + 1024) continue;
    Finding made = finding("out-of-bounds",
                           std::string("A kernel ") + (writes ? "writes " : "reads ") +
                               bytes_text(size) + " at byte " + std::to_string(beyond) + " of " +
                               variable.name + ", which has " + bytes_text(variable.bytes) + ".",
                           "Check that the index is less than the size of the array.");
    made.place = {instruction, {}};
    fault_with(std::move(made));
  }
  // A constant of the program.
  Dl_info info;
  if (dladdr(address, &info) != 0) return false;
  Finding made =
      finding("host-pointer",
              std::string("A kernel ") + (writes ? "writes" : "reads") +
                  " host memory, but a GPU cannot access host memory through this pointer.",
              "Copy the data to the device with cudaMemcpy, or allocate the memory with "
              "cudaMallocManaged.");
  made.place = {instruction, {}};
  fault_with(std::move(made));
}

void note_written(const void* address, std::size_t size) {
  const State& s = state();
  const auto* byte = static_cast<const std::byte*>(address);
  const auto offset = static_cast<std::size_t>(byte - s.arena.begin());
  for (std::size_t done = 0; done < size;) {
    const std::size_t in_cell = (offset + done) % cell_bytes;
    const std::size_t count = std::min(cell_bytes - in_cell, size - done);
    s.arena.cell(byte + done).written |= bits_of(in_cell, count);
    done += count;
  }
}

void host_access(const void* address, std::size_t size, bool writes, const void* instruction) {
  State& s = state();
  if (s.device_access > 0) {
    ++s.accesses;
    if (writes && in_arena(address) && s.arena.begin() != nullptr) note_written(address, size);
    return;
  }
  if (in_arena(address)) {
    const Allocation* allocation = allocation_at(address);
    if (allocation != nullptr && allocation->kind == MemoryKind::device) {
      Finding made = finding(
          "device-pointer-on-host",
          std::string("Host code ") + (writes ? "writes" : "reads") + " memory of the device.",
          "Copy the data to the host with cudaMemcpy, or allocate the memory with "
          "cudaMallocManaged.");
      made.place = {instruction, {}};
      made.allocated = allocation->made;
      add_finding(std::move(made));
      if (writes) note_written(address, size);
      return;
    }
    if (allocation == nullptr || s.arena.begin() == nullptr) return;
    const ShadowCell& cell = s.arena.cell(address);
    if (cell.write.bytes != 0 && cell.write.operation != 0 &&
        !s.order.host_knows(cell.write.operation)) {
      Finding made = finding("wrong-stream",
                             "Host code uses memory that an operation of a stream writes, but does "
                             "not wait for that operation.",
                             "Call cudaStreamSynchronize or cudaDeviceSynchronize before the host "
                             "code uses the memory.");
      made.place = {instruction, {}};
      made.other_place = {nullptr, s.order.operation(cell.write.operation).site};
      made.other = "operation of the stream";
      made.allocated = allocation->made;
      add_finding(std::move(made));
    }
    return;
  }
  const auto* byte = static_cast<const std::byte*>(address);
  for (auto it = s.pending_copies.begin(); it != s.pending_copies.end();) {
    if (s.order.host_knows(it->operation)) {
      it = s.pending_copies.erase(it);
      continue;
    }
    if (byte + size > it->begin && byte < it->begin + it->bytes && (writes || it->writes)) {
      Finding made =
          finding("wrong-stream",
                  std::string("Host code ") + (writes ? "changes" : "reads") +
                      " memory that an asynchronous copy " + (it->writes ? "writes" : "reads") +
                      ", but does not wait for the copy.",
                  "Call cudaStreamSynchronize before the host code uses the memory.");
      made.place = {instruction, {}};
      made.other_place = {nullptr, s.order.operation(it->operation).site};
      made.other = "copy";
      add_finding(std::move(made));
      it = s.pending_copies.erase(it);
      continue;
    }
    ++it;
  }
}

// copy_read: of a whole object, padding included, which may have no value.
enum class AccessKind { read, copy_read, write, update, atomic_read, atomic_write, atomic_update };

bool is_read(AccessKind kind) {
  return kind != AccessKind::write && kind != AccessKind::atomic_write;
}
bool is_write(AccessKind kind) {
  return kind != AccessKind::read && kind != AccessKind::copy_read &&
         kind != AccessKind::atomic_read;
}

counted::Kind counted_as(AccessKind kind) {
  if (kind == AccessKind::atomic_update) return counted::Kind::atomic;
  return is_write(kind) ? counted::Kind::store : counted::Kind::load;
}

void save_for_comparison(const void* address, std::size_t size) {
  if (in_arena(address)) {
    orders::save_before_write(address, size);
    return;
  }
  const auto* byte = static_cast<const std::byte*>(address);
  for (const Variable& variable : state().variables)
    if (byte >= variable.begin && byte < variable.begin + variable.bytes)
      orders::save_variable(variable.begin, variable.bytes, address, size);
}

/** The bits of `count` bytes from `offset` on that lie in the word that holds the first of them. */
std::uint64_t word_bits(std::size_t offset, std::size_t count) {
  const std::uint64_t ones = count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  return ones << offset % 64;
}

/** A thread reads or writes its stack: does a marked variable have a value where it reads? */
void local_access(const Fiber& fiber, const std::byte* byte, std::size_t size, AccessKind kind,
                  const void* instruction) {
  LocalRange* local = fiber.locals;
  while (local != nullptr && (byte < local->begin || byte >= local->begin + local->bytes))
    local = local->outer;
  if (local == nullptr) return;
  const auto offset = static_cast<std::size_t>(byte - local->begin);
  const std::size_t end = std::min(offset + size, local->bytes);
  // A number without a value is handed to functions that do not use it; only an update uses it.
  const bool uses =
      local->is_array ? is_read(kind) && kind != AccessKind::copy_read : kind == AccessKind::update;
  bool is_set = true;
  for (std::size_t at = offset; at < end;) {
    const std::size_t count = std::min(end - at, 64 - at % 64);
    const std::uint64_t bits = word_bits(at, count);
    std::uint64_t& written = local->written[at / 64];
    is_set = is_set && (bits & ~written) == 0;
    if (uses || is_write(kind)) written |= bits;
    at += count;
  }
  if (!uses || is_set) return;
  Finding made = finding(
      "uninitialized-read",
      std::string("A kernel reads ") +
          (local->is_array
               ? "element " + std::to_string(offset / local->element_bytes) + " of the local array "
               : "the local variable ") +
          local->name + ", which has no value yet.",
      std::string("Give the variable a value where it is declared, for example ") + local->name +
          (local->is_array ? "[N] = {}." : " = 0."));
  made.place = {instruction, {}};
  made.other_place = {nullptr, local->site};
  made.other = "declaration";
  add_finding(std::move(made));
}

void access(const void* address, std::size_t size, AccessKind kind, const void* instruction) {
  if (counting) {
    counted::access(address, size, counted_as(kind), instruction);
    return;
  }
  if (current == nullptr) {
    if (state().ended) return;
    host_access(address, size, is_write(kind), instruction);
    return;
  }
  State& s = state();
  if (orders::repeating) {
    if (is_write(kind)) save_for_comparison(address, size);
    return;
  }
  const auto* fiber = static_cast<const Fiber*>(current);
  const auto* byte = static_cast<const std::byte*>(address);
  const auto within = [byte](const void* begin, std::size_t bytes) {
    return byte >= begin && byte < static_cast<const std::byte*>(begin) + bytes;
  };
  if (within(fiber->stack, stack_bytes)) {
    if (fiber->locals != nullptr && !left_out.values)
      local_access(*fiber, byte, size, kind, instruction);
    return;
  }
  // threadIdx and its kin, and what a launch passes.
  if (within(&current, sizeof(current)) || within(fiber, sizeof(Fiber)) ||
      within(fiber->block, sizeof(Block)) ||
      within(s.launch->kernel->closure, s.launch->kernel->closure_bytes))
    return;
  ++s.accesses;
  settle_pending_write();
  Range range;
  if (!find_range(address, size, is_write(kind), instruction, &range)) {
    // Memory that is not saved: a kernel's own allocations, the host's.
    if (is_write(kind)) orders::cannot_repeat();
    return;
  }
  if (is_write(kind) && !range.is_shared && !left_out.orders) save_for_comparison(address, size);
  if (range.shadow->begin() == nullptr) return;

  const Block& block = *fiber->block;
  AccessRecord now;
  now.operation = s.operation;
  now.phase = static_cast<std::uint16_t>(s.phase);
  now.block = static_cast<std::uint32_t>(block.number) + 1;
  now.thread = fiber->linear & 1023U;
  now.barrier_epoch = block.barriers_passed;
  now.warp_epoch = block.warp_epoch[fiber->linear / lanes_of_warp];
  now.time = s.time;
  now.instruction = offset_of(instruction);
  now.is_atomic = kind >= AccessKind::atomic_read;
  now.is_update = kind == AccessKind::update;
  const bool reads = is_read(kind);
  const bool writes = is_write(kind);

  const auto first_offset = static_cast<std::size_t>(byte - range.shadow->begin()) % cell_bytes;
  std::size_t done = 0;
  while (done < size) {
    const std::size_t in_cell = done == 0 ? first_offset : 0;
    const std::size_t count = std::min(cell_bytes - in_cell, size - done);
    const std::uint8_t bits = bits_of(in_cell, count);
    ShadowCell& cell = range.shadow->cell(byte + done);
    if (range.is_shared && cell.owner != now.block + (s.operation << 20)) {
      cell = ShadowCell{};
      cell.owner = now.block + (s.operation << 20);
    }
    if (reads && !left_out.values && !range.begins_written && (bits & ~cell.written) != 0 &&
        kind != AccessKind::atomic_read && kind != AccessKind::copy_read) {
      Finding made = finding(
          "uninitialized-read",
          "A kernel reads " + where_text(range, byte + done) + ", which was never written.",
          range.is_shared ? "Write each element first, and put __syncthreads() between the "
                            "write and the read."
                          : "Fill the memory first, with cudaMemset, cudaMemcpy or a kernel.");
      made.place = {instruction, {}};
      if (range.allocation != nullptr) made.allocated = range.allocation->made;
      add_finding(std::move(made));
      cell.written |= bits;  // once is enough
    }
    if (left_out.races) {
      if (writes) cell.written |= bits;
      done += count;
      continue;
    }
    if ((cell.write.bytes & bits) != 0) {
      const Conflict found = conflict(cell.write, now);
      if (found != Conflict::none)
        report_conflict(found, range, byte + done, cell.write, true, now, writes, instruction,
                        static_cast<std::uint8_t>(std::min<std::size_t>(count, 16)));
    }
    if (writes) {
      for (AccessRecord* read : {&cell.read, &cell.other_read}) {
        if ((read->bytes & bits) == 0) continue;
        const Conflict found = conflict(*read, now);
        if (found != Conflict::none)
          report_conflict(found, range, byte + done, *read, false, now, true, instruction, 0);
      }
      const bool same_thread =
          cell.write.operation == now.operation && cell.write.block == now.block &&
          cell.write.thread == now.thread && cell.write.barrier_epoch == now.barrier_epoch &&
          cell.write.warp_epoch == now.warp_epoch && cell.write.is_atomic == now.is_atomic;
      const std::uint8_t before = same_thread ? cell.write.bytes : 0;
      cell.write = now;
      cell.write.bytes = (before | bits) & 0xfU;
      cell.written |= bits;
      cell.read.bytes &= static_cast<std::uint8_t>(~bits) & 0xfU;
      cell.other_read.bytes &= static_cast<std::uint8_t>(~bits) & 0xfU;
    }
    if (reads && !writes) {
      const bool same_thread = cell.read.operation == now.operation &&
                               cell.read.block == now.block && cell.read.thread == now.thread &&
                               cell.read.barrier_epoch == now.barrier_epoch &&
                               cell.read.warp_epoch == now.warp_epoch;
      if (cell.read.bytes != 0 && !same_thread) cell.other_read = cell.read;
      const std::uint8_t before = same_thread ? cell.read.bytes : 0;
      cell.read = now;
      cell.read.bytes = (before | bits) & 0xfU;
    }
    done += count;
  }
}

/** A copy or fill touches bytes as an operation of a stream. */
void touch(const char* what, const void* address, std::size_t bytes, bool writes,
           std::uint32_t operation) {
  State& s = state();
  if (!in_arena(address) || s.arena.begin() == nullptr) return;
  AccessRecord now;
  now.operation = operation;
  const auto* byte = static_cast<const std::byte*>(address);
  const auto offset = static_cast<std::size_t>(byte - s.arena.begin());
  bool reported = false;
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t in_cell = (offset + done) % cell_bytes;
    const std::size_t count = std::min(cell_bytes - in_cell, bytes - done);
    const std::uint8_t bits = bits_of(in_cell, count);
    ShadowCell& cell = s.arena.cell(byte + done);
    const bool waits =
        (cell.write.bytes & bits) == 0 || s.order.is_before(cell.write.operation, operation);
    const bool waits_for_reads = !writes || (cell.read.bytes & bits) == 0 ||
                                 s.order.is_before(cell.read.operation, operation);
    if ((!waits || !waits_for_reads) && !reported) {
      reported = true;
      const AccessRecord& other = waits ? cell.read : cell.write;
      Finding made =
          finding("wrong-stream",
                  std::string("A ") + what + (writes ? " writes" : " reads") +
                      " memory that an operation of another stream " +
                      (waits ? "reads" : "writes") + ", but does not wait for that operation.",
                  std::string("Record an event after that operation (cudaEventRecord), and let "
                              "the stream of the ") +
                      what + " wait for the event (cudaStreamWaitEvent).");
      made.place = {nullptr, s.order.operation(operation).site};
      made.other_place = {nullptr, s.order.operation(other.operation).site};
      made.other = "operation of the other stream";
      add_finding(std::move(made));
    }
    if (writes) {
      cell.write = now;
      cell.write.bytes = 0xfU;
      cell.written |= bits;
      cell.read.bytes = 0;
      cell.other_read.bytes = 0;
    } else {
      cell.read = now;
      cell.read.bytes = bits & 0xfU;
    }
    done += count;
  }
}

/** False, with a finding, if the call leaves the allocation or uses freed memory. */
void check_call_range(const void* address, std::size_t bytes, bool writes, Site site) {
  if (!in_arena(address)) return;
  const auto* byte = static_cast<const std::byte*>(address);
  const Allocation* allocation = allocation_at(address);
  if (allocation != nullptr && allocation->freed) {
    Finding made = finding(
        "use-after-free",
        std::string("The call ") + (writes ? "writes" : "reads") + " memory that was freed.",
        "Call cudaFree after the last call that uses the memory.");
    made.place = {nullptr, site};
    made.other_place = {nullptr, allocation->released};
    made.other = "cudaFree";
    made.allocated = allocation->made;
    add_finding(std::move(made));
    return;
  }
  if (allocation != nullptr && byte + bytes <= allocation->begin + allocation->bytes) return;
  const Allocation* near = allocation != nullptr ? allocation : allocation_before(address);
  Finding made =
      finding("out-of-bounds",
              std::string("The call ") + (writes ? "writes " : "reads ") + bytes_text(bytes) +
                  (near == nullptr ? " outside of every allocation."
                                   : " from byte " + std::to_string(byte - near->begin) +
                                         " of an allocation of " + bytes_text(near->bytes) + "."),
              "Compare the number of bytes that the call gets with the size of the allocation.");
  made.place = {nullptr, site};
  if (near != nullptr) made.allocated = near->made;
  add_finding(std::move(made));
}

}  // namespace

DeviceVariable::DeviceVariable(const volatile void* address, std::size_t bytes, const char* name,
                               const char* kind) {
  const bool is_constant = std::strcmp(kind, "__constant__") == 0;
  state().variables.push_back({static_cast<const std::byte*>(const_cast<const void*>(address)),
                               bytes,
                               name,
                               {},
                               is_constant ? VariableKind::constant : VariableKind::device});
}

VariableAt variable_at(const void* address) {
  const auto* byte = static_cast<const std::byte*>(address);
  for (const Variable& variable : state().variables)
    if (byte >= variable.begin && byte < variable.begin + variable.bytes)
      return {variable.kind, variable.begin};
  return {};
}

DeviceAccess::DeviceAccess() {
  State& s = state();
  // What a library computes on the device, as a launch of its own.
  if (++s.device_access == 1) ++s.launches;
}
DeviceAccess::~DeviceAccess() {
  --state().device_access;
}

HostFunction::HostFunction() {
  ++state().device_access;
}
HostFunction::~HostFunction() {
  --state().device_access;
}

void begin_local(LocalRange& local) {
  if (current == nullptr) {
    local.begin = nullptr;
    return;
  }
  std::memset(local.written, 0, (local.bytes + 63) / 64 * sizeof(std::uint64_t));
  auto* fiber = static_cast<Fiber*>(current);
  local.outer = fiber->locals;
  fiber->locals = &local;
}

void end_local(const LocalRange& local) {
  if (local.begin != nullptr) static_cast<Fiber*>(current)->locals = local.outer;
}

void checked_atomic(const volatile void* address, std::size_t bytes, AtomicKind kind) {
  const auto how = kind == AtomicKind::load    ? AccessKind::atomic_read
                   : kind == AtomicKind::store ? AccessKind::atomic_write
                                               : AccessKind::atomic_update;
  access(const_cast<const void*>(address), bytes, how, __builtin_return_address(0));
  if (current == nullptr || counting) return;
  if (kind == AtomicKind::update && !left_out.orders) orders::used_atomic();
  static_cast<Fiber*>(current)->polls_at = __builtin_return_address(0);
  // Who looks atomically sees what was published before.
  State& s = state();
  ++s.time;
  const auto block = static_cast<std::uint32_t>(current->block->number) + 1;
  s.publications[block].last_acquire = s.time;
  s.publications[warp_key(block, current->linear / lanes_of_warp)].last_acquire = s.time;
}

namespace checked {

void block_started(const Launch&, const Block& block) {
  State& s = state();
  s.barrier_site.erase(&block);
  s.barrier_arrivals.erase(&block);
}

void block_ended(const Launch&, const Block&) {
  settle_pending_write();
}

void barrier(const Block& block, Site site) {
  settle_pending_write();
  State& s = state();
  // The first of a barrier notes where it is; all others must be there too.
  if (block.barrier.arrived == 0) {
    s.barrier_site[&block] = site;
  } else {
    const Site& first = s.barrier_site[&block];
    if (first.line != site.line || std::strcmp(first.file, site.file) != 0 ||
        first.column != site.column) {
      Finding made = finding("divergent-barrier", "Threads of a block wait at different barriers.",
                             "Put __syncthreads() at a place that all threads of the block reach.");
      made.place = {nullptr, site};
      made.other_place = {nullptr, first};
      made.other = "barrier of other threads";
      add_finding(std::move(made));
    }
  }
}

void barrier_passed(const Block& block) {
  if (block.live == block.threads) return;
  Finding made =
      finding("divergent-barrier",
              std::to_string(block.threads - block.live) + " of " + std::to_string(block.threads) +
                  " threads of the block returned before the barrier at which the others wait.",
              "Do not return before a barrier: a thread without work must skip the work, but not "
              "the barrier.");
  made.place = {nullptr, state().barrier_site[&block]};
  add_finding(std::move(made));
}

void grid_barrier(const Launch&) {
  ++state().phase;
}

void lanes_are_gone(std::uint32_t lanes, Site site) {
  const int count = __builtin_popcount(lanes);
  Finding made = finding("deadlock",
                         (count == 1 ? std::string("1 lane of the mask does")
                                     : std::to_string(count) + " lanes of the mask do") +
                             " not reach this warp operation, so a GPU may wait forever, or use "
                             "undefined values for the missing lanes.",
                         "The mask must contain only lanes that reach the operation: compute the "
                         "mask with __ballot_sync before the branch.");
  made.place = {nullptr, site};
  add_finding(std::move(made));
}

void warp_operation(const Fiber& fiber, std::uint32_t mask, Site site) {
  settle_pending_write();
  if ((mask >> fiber.lane & 1U) != 0) return;
  Finding made =
      finding("deadlock", "A lane calls a warp operation whose mask does not include the lane.",
              "Set the bit of each calling lane in the mask.");
  made.place = {nullptr, site};
  add_finding(std::move(made));
}

void shared_placed(std::size_t begin, std::size_t bytes, Site site) {
  state().shared_variables.push_back({begin, bytes, site});
}

void launch_started(const Launch& launch) {
  State& s = state();
  ++s.launches;
  s.last_shared = nullptr;
  s.launch = &launch;
  s.operation = s.order.begin(static_cast<cudaStream_t>(launch.size.stream), launch.kernel->site);
  s.phase = 0;
  s.time = 1;
  s.publications.clear();
  orders::launch_started();
  const auto* stream = static_cast<CUstream_st*>(launch.size.stream);
  s.device = stream_number(static_cast<cudaStream_t>(launch.size.stream)) == 0 ? current_device()
                                                                               : stream->device;
}

void launch_ended(const Launch&) {
  settle_pending_write();
  state().launch = nullptr;
}

void bad_launch(const Kernel& kernel, cudaError_t error, const char* what) {
  Finding made = finding("bad-launch", std::string("The kernel was not launched: ") + what + ".",
                         "Correct the sizes in <<<…>>>.");
  made.place = {nullptr, kernel.site};
  made.kernel = kernel.name;
  add_finding(std::move(made));
  state().failures.push_back({error, std::string("the launch of ") + kernel.name, kernel.site});
}

void fence(int) {
  if (current == nullptr) return;
  State& s = state();
  ++s.time;
  const auto block = static_cast<std::uint32_t>(current->block->number) + 1;
  for (const std::uint64_t key :
       {std::uint64_t{block}, warp_key(block, current->linear / lanes_of_warp),
        thread_key(block, current->linear)}) {
    Publication& publication = s.publications[key];
    publication.releases.push_back(s.time);
    publication.last_acquire = s.time;
  }
}

void fault(const void* address, const void* instruction, int signal) {
  // What ends a kernel without an access.
  if (signal == SIGFPE || signal == SIGILL) {
    const bool divides = signal == SIGFPE;
    Finding made =
        finding(divides ? "division-by-zero" : "illegal-instruction",
                divides ? "A kernel divides an integer by zero, or the division overflows."
                        : "A kernel executes an illegal instruction.",
                divides ? "Check the divisor before the division."
                        : "The compiler puts such an instruction at __builtin_trap() and at code "
                          "that must not be reached.");
    made.place = {instruction, {}};
    add_finding(std::move(made));
    return;
  }
  const auto* byte = static_cast<const std::byte*>(address);
  const auto* fiber = static_cast<const Fiber*>(current);
  if (byte < fiber->stack + 4096 && byte >= fiber->stack - 65536) {
    Finding made = finding("out-of-bounds", "A thread of a kernel needs more stack than 256 KB.",
                           "Use less recursion or smaller local arrays in the kernel.");
    made.place = {instruction, {}};
    add_finding(std::move(made));
    return;
  }
  Finding made =
      finding(byte < reinterpret_cast<const std::byte*>(4096) ? "host-pointer" : "out-of-bounds",
              byte < reinterpret_cast<const std::byte*>(4096)
                  ? "A kernel dereferences a null pointer."
                  : "A kernel uses an address that belongs to no allocation.",
              "Check the pointers that the launch passes, and the indexes in the kernel.");
  made.place = {instruction, {}};
  add_finding(std::move(made));
}

void allocated(const Allocation& made) {
  State& s = state();
  if (s.arena_begin == nullptr) {
    s.arena_begin = arena_range().begin;
    const auto bytes = static_cast<std::size_t>(arena_range().end - s.arena_begin);
    const std::size_t count = bytes / chunk_bytes + 1;
    void* memory = mmap(nullptr, count * sizeof(std::uint32_t), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    s.chunks = static_cast<std::uint32_t*>(memory);
    s.chunk_count = count;
    s.arena.map(s.arena_begin, bytes);
  }
  s.allocations.push_back(made);
  const auto index = static_cast<std::uint32_t>(s.allocations.size()) - 1;
  const auto first = static_cast<std::size_t>(made.begin - s.arena_begin) / chunk_bytes;
  const std::size_t count = (std::max<std::size_t>(made.bytes, 1) + chunk_bytes - 1) / chunk_bytes;
  for (std::size_t chunk = first; chunk < first + count; ++chunk)
    s.chunks[chunk] = index;
}

void freed(const Allocation& allocation) {
  State& s = state();
  const auto chunk = static_cast<std::size_t>(allocation.begin - s.arena_begin) / chunk_bytes;
  s.allocations[s.chunks[chunk]].freed = true;
  s.allocations[s.chunks[chunk]].released = allocation.released;
  s.order.host_waits_for_all();
}

void bad_free(void* address, Release why, Site site) {
  const char* message = "The call frees an address that no CUDA allocation function returned.";
  if (why == Release::freed_before) message = "This memory was already freed.";
  if (why == Release::inner_pointer)
    message = "The call frees an address inside of an allocation, not the start of the allocation.";
  Finding made = finding("invalid-free", message,
                         "Free each allocation once, with the address that the allocation "
                         "function returned.");
  made.place = {nullptr, site};
  if (const Allocation* allocation = allocation_at(address)) {
    made.allocated = allocation->made;
    if (why == Release::freed_before) {
      made.other_place = {nullptr, allocation->released};
      made.other = "first cudaFree";
    }
  }
  add_finding(std::move(made));
}

void copied(void* to, const void* from, std::size_t bytes, cudaStream_t stream, bool asynchronous,
            Site site) {
  State& s = state();
  check_call_range(to, bytes, true, site);
  check_call_range(from, bytes, false, site);
  const std::uint32_t operation = s.order.begin(stream, site);
  touch("copy", from, bytes, false, operation);
  touch("copy", to, bytes, true, operation);
  if (!asynchronous) {
    s.order.host_waits(operation);
    return;
  }
  if (!in_arena(to))
    s.pending_copies.push_back({static_cast<const std::byte*>(to), bytes, operation, true});
  if (!in_arena(from))
    s.pending_copies.push_back({static_cast<const std::byte*>(from), bytes, operation, false});
}

void filled(void* to, std::size_t bytes, cudaStream_t stream, Site site) {
  check_call_range(to, bytes, true, site);
  // Without a place, it is what libtorch wrote.
  const char* what = site.line == 0 ? "libtorch operator" : "memset";
  touch(what, to, bytes, true, state().order.begin(stream, site));
}

Finding last_write(const Launch& launch, const void* address, std::size_t bytes) {
  State& s = state();
  s.launch = &launch;
  Finding made = finding("", "", "");
  const auto* byte = static_cast<const std::byte*>(address);
  const ShadowRange* shadow = nullptr;
  const auto element = [&](const std::byte* begin) {
    return "element " + std::to_string(static_cast<std::size_t>(byte - begin) / bytes) + " of ";
  };
  if (const Allocation* allocation = allocation_at(address)) {
    made.message = element(allocation->begin) + "an allocation of " + bytes_text(allocation->bytes);
    made.allocated = allocation->made;
    shadow = &s.arena;
  }
  for (const Variable& variable : s.variables) {
    if (byte < variable.begin || byte >= variable.begin + variable.bytes) continue;
    made.message = element(variable.begin) + variable.name;
    shadow = &variable.shadow;
  }
  if (shadow != nullptr && shadow->begin() != nullptr) {
    const AccessRecord& write = shadow->cell(address).write;
    made.place = place_of(write.instruction);
    made.thread = thread_of(write);
  }
  s.launch = nullptr;
  return made;
}

void error_seen() {
  state().failures.clear();
}

void report_ignored_errors() {
  for (const CallFailure& failure : state().failures) {
    Finding made = finding("missing-error-check",
                           "The program does not check the error of " + failure.what + ": " +
                               cudaGetErrorString(failure.error) + ".",
                           "Compare the result of the call with cudaSuccess. After a launch, call "
                           "cudaGetLastError, and compare its result.");
    made.place = {nullptr, failure.site};
    add_finding(std::move(made));
  }
  state().failures.clear();
}

void stream_event(StreamEvent what, cudaStream_t stream, cudaEvent_t event) {
  StreamOrder& order = state().order;
  switch (what) {
    case StreamEvent::synchronize_device:
      order.host_waits_for_all();
      break;
    case StreamEvent::synchronize_stream:
      order.host_waits_for_stream(stream);
      break;
    case StreamEvent::record_event:
      order.record(event, stream);
      break;
    case StreamEvent::wait_for_event:
      order.wait(stream, event);
      break;
    case StreamEvent::synchronize_event:
      order.host_waits_for_event(event);
      break;
  }
}

void stuck(const std::string& message, Site launched, Site waiting, const void* polling) {
  Finding made =
      finding("deadlock", message,
              polling != nullptr
                  ? "Another thread must change the memory that the loop reads. Before the change, "
                    "that other thread must not wait for the threads in the loop."
                  : "All threads of the block must reach each __syncthreads(), all threads of the "
                    "grid must reach each grid barrier, and all lanes of a mask must reach the "
                    "warp operation.");
  made.place = {nullptr, waiting.line == 0 ? launched : waiting};
  if (polling != nullptr) made.place = {polling, {}};
  made.other_place = {nullptr, launched};
  made.other = "launch";
  add_finding(std::move(made));
}

}  // namespace checked

void Ignored::operator=(cudaError_t error) const {
  // Of an error of a kernel every call tells: the one that ignored it first is enough.
  if (error != cudaSuccess && checking && sticky_error() == cudaSuccess)
    state().failures.push_back({error, function, site});
}

namespace {

/** What is left when the program ends. */
void end_checks() {
  State& s = state();
  if (!checking || s.ended) return;
  s.ended = true;
  for_each_allocation([](const Allocation& allocation) {
    // After a fault nothing can be freed.
    if (allocation.freed || allocation.kind == MemoryKind::registered ||
        sticky_error() != cudaSuccess)
      return;
    Finding made = finding(
        "leak",
        bytes_text(allocation.bytes) + (allocation.bytes == 1 ? " is" : " are") + " never freed.",
        allocation.kind == MemoryKind::pinned
            ? "Call cudaFreeHost for this memory before the program ends."
            : "Call cudaFree for this memory before the program ends.");
    made.place = {nullptr, allocation.made};
    made.allocated = allocation.made;
    add_finding(std::move(made));
  });
  checked::report_ignored_errors();
  write_report(s.launches, s.accesses);
}

struct AtEnd {
  ~AtEnd() { end_checks(); }
} at_end;

}  // namespace

}  // namespace opsmith::gpu

// For a process that goes on: an op host, which asks after each call.
extern "C" {

/** Checks from now on: before anything is allocated. */
void opsmith_gpu_check() {
  opsmith::gpu::checking = true;
}

/** Whether anything was found since the last report. */
bool opsmith_gpu_has_findings() {
  opsmith::gpu::checked::report_ignored_errors();
  return opsmith::gpu::has_findings();
}

/** Whether the same call may give other results, since a launch did in another order. */
bool opsmith_gpu_results_may_differ() {
  return opsmith::gpu::orders::has_differing();
}

/** Calls that should give the same did not. */
void opsmith_gpu_results_differ() {
  opsmith::gpu::orders::results_are_wrong();
}

/**
 * What was found since the last call, as JSON; nullptr where no kernel ran and nothing was found.
 * To be freed by free().
 */
char* opsmith_gpu_take_report() {
  auto& s = opsmith::gpu::state();
  opsmith::gpu::checked::report_ignored_errors();
  if (s.launches == 0 && !opsmith::gpu::has_findings()) return nullptr;
  opsmith::gpu::orders::forget();
  const std::string report = opsmith::gpu::take_report(s.launches, s.accesses);
  s.launches = 0;
  s.accesses = 0;
  return strdup(report.c_str());
}

}  // extern "C"

// What clang's instrumentation for ThreadSanitizer calls (llvm/lib/Transforms/Instrumentation/
// ThreadSanitizer.cpp). Each is told an address before the access.

using opsmith::gpu::access;
using opsmith::gpu::AccessKind;

extern "C" {

void __tsan_init() {
  // One instrumentation, two uses. An op host has chosen before it loads a library.
  using opsmith::gpu::checking;
  using opsmith::gpu::counting;
  if (checking || counting) return;
  counting = std::getenv("OPSMITH_GPU_COUNTS") != nullptr;
  checking = !counting;
}

#define OPSMITH_ACCESSES(size)                                                    \
  void __tsan_read##size(void* address) {                                         \
    access(address, size, AccessKind::read, __builtin_return_address(0));         \
  }                                                                               \
  void __tsan_write##size(void* address) {                                        \
    access(address, size, AccessKind::write, __builtin_return_address(0));        \
  }                                                                               \
  void __tsan_read_write##size(void* address) {                                   \
    access(address, size, AccessKind::update, __builtin_return_address(0));       \
  }                                                                               \
  void __tsan_unaligned_read##size(void* address) {                               \
    access(address, size, AccessKind::read, __builtin_return_address(0));         \
  }                                                                               \
  void __tsan_unaligned_write##size(void* address) {                              \
    access(address, size, AccessKind::write, __builtin_return_address(0));        \
  }                                                                               \
  void __tsan_unaligned_read_write##size(void* address) {                         \
    access(address, size, AccessKind::update, __builtin_return_address(0));       \
  }                                                                               \
  void __tsan_volatile_read##size(void* address) {                                \
    access(address, size, AccessKind::atomic_read, __builtin_return_address(0));  \
    opsmith_gpu_volatile_read(__builtin_return_address(0));                       \
  }                                                                               \
  void __tsan_volatile_write##size(void* address) {                               \
    access(address, size, AccessKind::atomic_write, __builtin_return_address(0)); \
  }                                                                               \
  void __tsan_unaligned_volatile_read##size(void* address) {                      \
    access(address, size, AccessKind::atomic_read, __builtin_return_address(0));  \
    opsmith_gpu_volatile_read(__builtin_return_address(0));                       \
  }                                                                               \
  void __tsan_unaligned_volatile_write##size(void* address) {                     \
    access(address, size, AccessKind::atomic_write, __builtin_return_address(0)); \
  }

/** A loop that reads a volatile flag waits: others go on, and what they published is seen. */
void opsmith_gpu_volatile_read(const void* instruction) {
  using namespace opsmith::gpu;
  if (current == nullptr) return;
  static_cast<Fiber*>(current)->polls_at = instruction;
  polled();
  if (counting) return;
  State& s = state();
  ++s.time;
  const auto block = static_cast<std::uint32_t>(current->block->number) + 1;
  s.publications[block].last_acquire = s.time;
  s.publications[warp_key(block, current->linear / lanes_of_warp)].last_acquire = s.time;
  s.publications[thread_key(block, current->linear)].last_acquire = s.time;
}

OPSMITH_ACCESSES(1)
OPSMITH_ACCESSES(2)
OPSMITH_ACCESSES(4)
OPSMITH_ACCESSES(8)
OPSMITH_ACCESSES(16)
#undef OPSMITH_ACCESSES

void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) {
    access(from, bytes, AccessKind::copy_read, __builtin_return_address(0));
    access(to, bytes, AccessKind::write, __builtin_return_address(0));
  }
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) {
    access(from, bytes, AccessKind::copy_read, __builtin_return_address(0));
    access(to, bytes, AccessKind::write, __builtin_return_address(0));
  }
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
  if (bytes > 0) access(to, bytes, AccessKind::write, __builtin_return_address(0));
  return std::memset(to, value, bytes);
}
// Functions of the C library that write through pointers. A checked program calls these instead
// (flags.ts), since the library is not instrumented.
#define OPSMITH_WRITES(type, address) \
  access(address, sizeof(type), AccessKind::write, __builtin_return_address(0))
#define OPSMITH_MATHEMATICS(type, suffix)                        \
  void __wrap_sincos##suffix(type x, type* sine, type* cosine) { \
    OPSMITH_WRITES(type, sine);                                  \
    OPSMITH_WRITES(type, cosine);                                \
    ::sincos##suffix(x, sine, cosine);                           \
  }                                                              \
  type __wrap_modf##suffix(type x, type* whole) {                \
    OPSMITH_WRITES(type, whole);                                 \
    return std::modf(x, whole);                                  \
  }                                                              \
  type __wrap_frexp##suffix(type x, int* exponent) {             \
    OPSMITH_WRITES(int, exponent);                               \
    return std::frexp(x, exponent);                              \
  }                                                              \
  type __wrap_remquo##suffix(type x, type y, int* quotient) {    \
    OPSMITH_WRITES(int, quotient);                               \
    return std::remquo(x, y, quotient);                          \
  }
OPSMITH_MATHEMATICS(double, )
OPSMITH_MATHEMATICS(float, f)
#undef OPSMITH_MATHEMATICS
#undef OPSMITH_WRITES

void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

}  // extern "C"
