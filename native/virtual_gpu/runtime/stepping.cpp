#include "stepping.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "memory.h"
#include "report_text.h"
#include "shared_memory.h"
#include "worker.h"

namespace opsmith::gpu {

bool stepping = false;

namespace {

/** For how long threads that look at memory in a loop run while others have stopped. */
constexpr std::uint64_t longest_wait = 1'000'000'000;
constexpr std::size_t most_races = 64;
/**
 * On the way to a line, so many steps of the threads that are behind. Then the others move a line,
 * too: one of them may hold the lock that those behind wait for.
 */
constexpr std::uint64_t most_steps = 20'000;
/** The largest piece of memory that is read at a time. */
constexpr std::size_t most_bytes = 64 * 1024;

/** A line of the user's sources, by the number that the other end gave its file; 0: not one. */
struct Line {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  bool operator==(const Line&) const = default;
};

/** A function that a thread is in, as it was seen last. */
struct Frame {
  std::uintptr_t frame = 0;
  std::uintptr_t stack = 0;
  const void* instruction = nullptr;
  Line line;
};

struct Lane {
  std::vector<Frame> frames;  // the outermost first
  bool stopped = false;
};

/** An access to shared memory, and what orders it against others. */
struct Access {
  std::uint16_t thread = 0;  // its number in the block plus 1; 0: there was none
  std::uint16_t warp_epoch = 0;
  std::uint32_t barriers = 0;
  Line line;
};

/** The last write of a byte, and the first and the last read since. */
struct Cell {
  Access write;
  Access first_read;
  Access last_read;
};

struct Race {
  Access before;
  Access after;
  bool before_writes;
  bool after_writes;
  std::size_t offset;  // of the byte that these two accesses are about
  std::vector<bool> bytes;
};

enum class Mode { line, step, barrier };

struct State {
  int socket = -1;
  std::string received;
  std::unordered_map<const void*, Line> lines;
  Mode mode = Mode::line;
  Line target;
  dim3 wanted{0, 0, 0};
  const Block* block = nullptr;
  std::array<Lane, warps_of_block * lanes_of_warp> lanes;
  std::uint32_t barriers = 0;  // passed when the block went on
  std::uint64_t went_on = 0;
  std::vector<Frame> active;  // where the threads are that a step moves
  std::uint64_t steps = 0;    // on the way to the target
  Cell* cells = nullptr;
  std::vector<Race> races;
};

// Never destroyed: a program may launch kernels until it has ended.
State& state() {
  static auto* made = new State();
  return *made;
}

/** The other end is gone: so is the reason to run. */
[[noreturn]] void end_process() {
  std::fflush(nullptr);
  std::_Exit(130);
}

void send(const std::string& message) {
  const std::string line = message + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t now =
        ::send(state().socket, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) end_process();
    sent += static_cast<std::size_t>(now);
  }
}

std::istringstream receive() {
  State& s = state();
  while (true) {
    const std::size_t end = s.received.find('\n');
    if (end != std::string::npos) {
      std::istringstream words(s.received.substr(0, end));
      s.received.erase(0, end + 1);
      return words;
    }
    char bytes[4096];
    const ssize_t now = recv(s.socket, bytes, sizeof(bytes), 0);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) end_process();
    s.received.append(bytes, static_cast<std::size_t>(now));
  }
}

std::string index_text(const uint3& index) {
  return "[" + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
         std::to_string(index.z) + "]";
}

std::string address_text(std::uintptr_t address) {
  char text[24];
  std::snprintf(text, sizeof(text), "\"0x%zx\"", static_cast<std::size_t>(address));
  return text;
}

/** The line of an instruction. The other end is asked once for each. */
Line line_of(const void* instruction) {
  State& s = state();
  const auto known = s.lines.find(instruction);
  if (known != s.lines.end()) return known->second;
  send("{\"type\":\"place\",\"place\":" + place_text({instruction, {}}) + "}");
  std::istringstream words = receive();
  std::string word;
  Line line;
  words >> word >> line.file >> line.line;
  s.lines.emplace(instruction, line);
  return line;
}

/** True if the bytes are ones of a stopped thread's stack, of shared memory or of an allocation. */
bool may_read(const std::deque<Fiber>& fibers, std::uintptr_t address, std::size_t bytes) {
  const auto* first = reinterpret_cast<const std::byte*>(address);
  const auto within = [&](const std::byte* begin, std::size_t size) {
    return first >= begin && first < begin + size &&
           bytes <= static_cast<std::size_t>(begin + size - first);
  };
  if (bytes > most_bytes) return false;
  const Block* block = state().block;
  if (block != nullptr && within(block->shared, shared_bytes)) return true;
  Allocation found;
  if (find_allocation(first, &found)) return !found.freed && within(found.begin, found.bytes);
  // The first page of a stack may be a guard.
  constexpr std::size_t guard = 64 * 1024;
  return std::any_of(fibers.begin(), fibers.end(), [&](const Fiber& fiber) {
    return within(fiber.stack + guard, stack_bytes - guard);
  });
}

std::string memory_text(const std::deque<Fiber>& fibers, std::istringstream& words) {
  std::string text = "{\"type\":\"memory\",\"bytes\":[";
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
  for (bool first = true; words >> std::hex >> address >> std::dec >> bytes; first = false) {
    if (!first) text += ",";
    if (!may_read(fibers, address, bytes)) {
      text += "null";
      continue;
    }
    text += "\"";
    const auto* from = reinterpret_cast<const unsigned char*>(address);
    for (std::size_t index = 0; index < bytes; ++index) {
      constexpr char digits[] = "0123456789abcdef";
      text += digits[from[index] >> 4];
      text += digits[from[index] & 15];
    }
    text += "\"";
  }
  return text + "]}";
}

std::string allocations_text(std::istringstream& words) {
  std::string text = "{\"type\":\"allocations\",\"allocations\":[";
  std::uintptr_t address = 0;
  for (bool first = true; words >> std::hex >> address; first = false) {
    if (!first) text += ",";
    Allocation found;
    if (!find_allocation(reinterpret_cast<const void*>(address), &found)) {
      text += "null";
      continue;
    }
    text += "{\"begin\":" + address_text(reinterpret_cast<std::uintptr_t>(found.begin)) +
            ",\"bytes\":" + std::to_string(found.bytes) +
            ",\"freed\":" + (found.freed ? "true" : "false") +
            ",\"made\":" + site_text(found.made) + "}";
  }
  return text + "]}";
}

const char* wait_text(Wait wait) {
  switch (wait) {
    case Wait::block_barrier:
      return "barrier";
    case Wait::named_barrier:
      return "named-barrier";
    case Wait::warp:
      return "warp";
    case Wait::converged_lanes:
      return "converging";
    case Wait::grid_barrier:
      return "grid";
    case Wait::nothing:
      break;
  }
  return "";
}

std::string frames_text(const Lane& lane) {
  std::string text = "[";
  for (const Frame& frame : lane.frames) {
    if (text.size() > 1) text += ",";
    text += "{\"place\":" + place_text({frame.instruction, {}}) +
            ",\"frame\":" + address_text(frame.frame) + ",\"stack\":" + address_text(frame.stack) +
            "}";
  }
  return text + "]";
}

std::string access_text(const Access& access, bool writes) {
  return "{\"thread\":" + std::to_string(access.thread - 1) +
         ",\"file\":" + std::to_string(access.line.file) +
         ",\"line\":" + std::to_string(access.line.line) +
         ",\"writes\":" + (writes ? "true" : "false") + "}";
}

/** The bytes of shared memory that a race is about, as pairs of first byte and length. */
std::string ranges_text(const std::vector<bool>& bytes) {
  std::string text = "[";
  for (std::size_t begin = 0; begin < bytes.size();) {
    if (!bytes[begin]) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < bytes.size() && bytes[end])
      ++end;
    if (text.size() > 1) text += ",";
    text += "[" + std::to_string(begin) + "," + std::to_string(end - begin) + "]";
    begin = end;
  }
  return text + "]";
}

/**
 * True if `lane` is at the place that a step moves: the deepest call, and there the first line. On
 * a GPU, too, who is behind goes on until lanes that a branch parted are together again.
 */
bool is_active(const Lane& lane) {
  const std::vector<Frame>& active = state().active;
  return lane.stopped && lane.frames.size() == active.size() &&
         lane.frames.back().line == active.back().line;
}

void find_active() {
  State& s = state();
  s.active.clear();
  for (std::uint32_t thread = 0; thread < s.block->threads; ++thread) {
    const Lane& lane = s.lanes[thread];
    if (!lane.stopped) continue;
    const bool is_deeper = lane.frames.size() > s.active.size();
    const bool is_before = lane.frames.size() == s.active.size() &&
                           lane.frames.back().line.line < s.active.back().line.line;
    if (is_deeper || is_before) s.active = lane.frames;
  }
}

const char* reason_text(stepped::Reason reason) {
  switch (reason) {
    case stepped::Reason::stuck:
      return "stuck";
    case stepped::Reason::fault:
      return "fault";
    case stepped::Reason::line:
      break;
  }
  return "line";
}

std::string stop_text(const Launch& launch, const std::deque<Fiber>& fibers, stepped::Reason reason,
                      const char* why = "") {
  const State& s = state();
  const Block& block = *s.block;
  std::vector<const Fiber*> busy(block.threads, nullptr);
  for (const Fiber& fiber : fibers)
    if (fiber.busy && fiber.block == &block) busy[fiber.linear] = &fiber;
  const dim3& grid = launch.size.grid;
  const dim3& size = launch.size.block;
  std::string text = std::string("{\"type\":\"stopped\",\"reason\":\"") + reason_text(reason) +
                     "\",\"why\":" + quoted(why) + ",\"kernel\":" + quoted(launch.kernel->name) +
                     ",\"launched\":" + site_text(launch.kernel->site) +
                     ",\"launch\":" + std::to_string(launch.number) +
                     ",\"grid\":" + index_text({grid.x, grid.y, grid.z}) +
                     ",\"threads\":" + index_text({size.x, size.y, size.z}) +
                     ",\"block\":" + index_text(block.index) +
                     ",\"barriersPassed\":" + std::to_string(block.barriers_passed) +
                     ",\"shared\":" + address_text(reinterpret_cast<std::uintptr_t>(block.shared)) +
                     ",\"dynamicShared\":" + std::to_string(launch.size.dynamic_shared) +
                     ",\"lanes\":[";
  for (std::uint32_t thread = 0; thread < block.threads; ++thread) {
    if (thread > 0) text += ",";
    const Lane& lane = s.lanes[thread];
    const Fiber* fiber = busy[thread];
    const char* what = "finished";
    if (fiber != nullptr)
      what = is_active(lane)                ? "active"
             : lane.stopped                 ? "stopped"
             : fiber->wait == Wait::nothing ? "running"
                                            : "waiting";
    text += std::string("{\"state\":\"") + what + "\"";
    if (fiber != nullptr) {
      text += ",\"frames\":" + frames_text(lane);
      if (fiber->wait != Wait::nothing)
        text += std::string(",\"wait\":\"") + wait_text(fiber->wait) +
                "\",\"site\":" + site_text(fiber->site);
    }
    text += "}";
  }
  text += "],\"races\":[";
  for (std::size_t index = 0; index < s.races.size(); ++index) {
    const Race& race = s.races[index];
    if (index > 0) text += ",";
    text += "{\"before\":" + access_text(race.before, race.before_writes) +
            ",\"after\":" + access_text(race.after, race.after_writes) +
            ",\"offset\":" + std::to_string(race.offset) + ",\"bytes\":" + ranges_text(race.bytes) +
            "}";
  }
  return text + "]}";
}

/** Takes commands until the block may go on. */
void obey(const std::deque<Fiber>& fibers) {
  State& s = state();
  while (true) {
    std::istringstream words = receive();
    std::string word;
    words >> word;
    if (word == "read") {
      send(memory_text(fibers, words));
    } else if (word == "find") {
      send(allocations_text(words));
    } else if (word == "block") {
      words >> s.wanted.x >> s.wanted.y >> s.wanted.z;
    } else if (word == "line") {
      words >> s.target.file >> s.target.line;
    } else if (word == "go") {
      std::string mode;
      words >> mode;
      s.mode = mode == "step" ? Mode::step : mode == "barrier" ? Mode::barrier : Mode::line;
      s.went_on = nanoseconds_now();
      if (s.block != nullptr) s.barriers = s.block->barriers_passed;
      return;
    }
  }
}

bool is_wanted_stop() {
  const State& s = state();
  switch (s.mode) {
    case Mode::step:
      return true;
    case Mode::barrier:
      return s.block->barriers_passed > s.barriers;
    case Mode::line:
      // As in steps: who is behind goes first, so that no thread is far beyond the target.
      return true;
  }
  return false;
}

/** The threads that a step moves have not come to the target yet. */
bool is_on_the_way() {
  const State& s = state();
  return s.mode == Mode::line && !(s.active.back().line == s.target);
}

/** Neither a barrier nor an operation of their warp is between the two. */
bool is_unordered(const Access& before, const Access& after) {
  if (before.thread == 0 || before.thread == after.thread) return false;
  if (before.barriers != after.barriers) return false;
  const bool is_one_warp =
      (before.thread - 1U) / lanes_of_warp == (after.thread - 1U) / lanes_of_warp;
  return !is_one_warp || before.warp_epoch == after.warp_epoch;
}

struct AccessKinds {
  bool before_writes;
  bool after_writes;
};

/** Races between the same two lines are one, about several bytes. */
void keep_race(const Access& before, const Access& after, AccessKinds kinds, std::size_t offset) {
  State& s = state();
  const auto known = std::find_if(s.races.begin(), s.races.end(), [&](const Race& race) {
    return race.before.line == before.line && race.after.line == after.line &&
           race.before_writes == kinds.before_writes && race.after_writes == kinds.after_writes;
  });
  if (known == s.races.end() && s.races.size() >= most_races) return;
  Race& race = known == s.races.end()
                   ? s.races.emplace_back(
                         Race{before, after, kinds.before_writes, kinds.after_writes, offset, {}})
                   : *known;
  if (race.bytes.size() <= offset) race.bytes.resize(offset + 1);
  race.bytes[offset] = true;
}

void follow_shared(const Fiber& fiber, std::size_t begin, std::size_t bytes, bool writes,
                   const Line& line) {
  State& s = state();
  const Access now{static_cast<std::uint16_t>(fiber.linear + 1),
                   static_cast<std::uint16_t>(s.block->warp_epoch[fiber.linear / lanes_of_warp]),
                   s.block->barriers_passed, line};
  const std::size_t end = std::min(begin + bytes, shared_bytes);
  for (std::size_t offset = begin; offset < end; ++offset) {
    Cell& cell = s.cells[offset];
    if (is_unordered(cell.write, now)) keep_race(cell.write, now, {true, writes}, offset);
    if (!writes) {
      if (cell.first_read.thread == 0 || cell.first_read.barriers != now.barriers)
        cell.first_read = now;
      cell.last_read = now;
      continue;
    }
    for (const Access& read : {cell.first_read, cell.last_read})
      if (is_unordered(read, now)) keep_race(read, now, {false, true}, offset);
    cell.write = now;
    cell.first_read = cell.last_read = {};
  }
}

/** Of an instrumented place: the thread stops here if the line is new to it and wanted. */
struct Place {
  const void* instruction;
  std::uintptr_t frame;
  std::uintptr_t stack;
};

void come_to(Fiber& fiber, const Place& place, const Line& line) {
  std::vector<Frame>& frames = state().lanes[fiber.linear].frames;
  // Stacks grow down: what is below this frame has returned.
  while (!frames.empty() && frames.back().frame < place.frame)
    frames.pop_back();
  const bool is_called = frames.empty() || frames.back().frame != place.frame;
  // A line that goes on after a call is not a new one.
  const bool is_new = is_called || frames.back().line != line;
  if (is_called) frames.emplace_back();
  frames.back() = {place.frame, place.stack, place.instruction, line};
  if (is_new && is_wanted_stop()) worker->stop();
}

struct Touched {
  const void* address = nullptr;
  std::size_t bytes = 0;
  bool writes = false;
};

/** The functions between a header's code and the line that called it are at most so many. */
constexpr int most_callers = 24;

/**
 * The line that called code of our headers, such as `threadIdx.x`: maybe nothing else of that line
 * is instrumented.
 */
void come_to_caller(Fiber& fiber, std::uintptr_t frame) {
  const auto begin = reinterpret_cast<std::uintptr_t>(fiber.stack);
  for (int callers = 0; callers < most_callers; ++callers) {
    // Both kinds of processors: the caller's frame pointer, then the return address.
    const auto* words = reinterpret_cast<const std::uintptr_t*>(frame);
    const auto* instruction = reinterpret_cast<const void*>(words[1]);
    const std::uintptr_t stack = frame + 2 * sizeof(std::uintptr_t);
    frame = words[0];
    if (frame < begin || frame >= begin + stack_bytes - 2 * sizeof(std::uintptr_t)) return;
    const Line line = line_of(instruction);
    if (line.file == 0) continue;
    come_to(fiber, {instruction, frame, stack}, line);
    return;
  }
}

void at(const Place& place, const Touched& touched = {}) {
  auto* fiber = static_cast<Fiber*>(current);
  State& s = state();
  if (fiber == nullptr || s.block == nullptr || fiber->block != s.block) return;
  // In the runtime, a thread is not preempted: what it keeps here stays whole.
  const Line line = line_of(place.instruction);
  if (line.file == 0) {
    come_to_caller(*fiber, place.frame);
    return;
  }
  come_to(*fiber, place, line);
  if (touched.bytes > 0 && in_shared(touched.address, fiber->shared))
    follow_shared(
        *fiber,
        static_cast<std::size_t>(static_cast<const std::byte*>(touched.address) - fiber->shared),
        touched.bytes, touched.writes, line);
}

}  // namespace

namespace stepped {

void connect(const void* kernel) {
  // Not std::call_once: its variables of a thread are libstdc++'s, and this library is compiled for
  // those of the start. Python, which loads libstdc++ later, could not load us.
  [[maybe_unused]] static const bool tried = [kernel] {
    const char* path = std::getenv("OPSMITH_GPU_STEP");
    sockaddr_un address{};
    if (path == nullptr || *path == '\0' || std::strlen(path) >= sizeof(address.sun_path))
      return false;
    State& s = state();
    s.socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path);
    if (::connect(s.socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      std::fprintf(stderr, "opsmith: stepping cannot connect to Opsmith at %s: %s\n", path,
                   std::strerror(errno));
      end_process();
    }
    void* cells = mmap(nullptr, shared_bytes * sizeof(Cell), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (cells == MAP_FAILED) {
      std::fprintf(
          stderr,
          "opsmith: out of memory: stepping cannot allocate the shared memory of the block\n");
      end_process();
    }
    s.cells = static_cast<Cell*>(cells);
    send("{\"type\":\"started\",\"place\":" + place_text({kernel, {}}) + "}");
    obey({});
    stepping = true;
    return true;
  }();
}

void launch_started(const Launch&) {
  State& s = state();
  // What a step began in the launch before is over.
  s.mode = Mode::line;
  s.block = nullptr;
}

void block_started(const Launch&, const Block& block) {
  State& s = state();
  if (s.block != nullptr || block.index.x != s.wanted.x || block.index.y != s.wanted.y ||
      block.index.z != s.wanted.z)
    return;
  s.block = &block;
  s.races.clear();
  for (std::uint32_t thread = 0; thread < block.threads; ++thread)
    s.lanes[thread] = {};
  madvise(s.cells, shared_bytes * sizeof(Cell), MADV_DONTNEED);
}

void block_ended(const Launch& launch, const Block& block) {
  State& s = state();
  if (s.block != &block) return;
  s.block = nullptr;
  s.mode = Mode::line;
  send("{\"type\":\"finished\",\"kernel\":" + quoted(launch.kernel->name) + ",\"launch\":" +
       std::to_string(launch.number) + ",\"block\":" + index_text(block.index) + "}");
}

void pause(const Launch& launch, const std::deque<Fiber>& fibers, stepped::Reason reason) {
  State& s = state();
  if (s.block == nullptr) return;
  find_active();
  if (reason == Reason::line && is_on_the_way()) {
    ++s.steps;
    return;
  }
  s.steps = 0;
  send(stop_text(launch, fibers, reason));
  obey(fibers);
}

void fault(const Launch& launch, const std::deque<Fiber>& fibers, const char* why) {
  State& s = state();
  const auto* fiber = static_cast<const Fiber*>(current);
  if (fiber == nullptr || s.block == nullptr || fiber->block != s.block) return;
  Lane& lane = s.lanes[fiber->linear];
  if (lane.frames.empty()) return;
  lane.stopped = true;
  s.active = lane.frames;
  send(stop_text(launch, fibers, Reason::fault, why));
  obey(fibers);
}

bool goes_on(const Fiber& fiber) {
  State& s = state();
  Lane& lane = s.lanes[fiber.linear];
  if (s.mode == Mode::barrier || is_active(lane)) return true;
  return s.mode == Mode::line && s.steps > 0 && s.steps % most_steps == 0;
}

bool waited_enough() {
  return nanoseconds_now() - state().went_on > longest_wait;
}

}  // namespace stepped

void Worker::stop() {
  Fiber& fiber = *running();
  Lane& lane = state().lanes[fiber.linear];
  lane.stopped = true;
  let_others_run(stopped_);
  lane.stopped = false;
}

}  // namespace opsmith::gpu

// What clang calls with -fsanitize-coverage=trace-pc,trace-loads,trace-stores, before the access,
// and with -finstrument-functions-after-inlining.

/** The frame and the stack pointer of the function that called. */
#define OPSMITH_PLACE                                                                            \
  {__builtin_return_address(0), *static_cast<const std::uintptr_t*>(__builtin_frame_address(0)), \
   reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa())}

#define OPSMITH_ACCESSES(bytes)                                                           \
  void __sanitizer_cov_load##bytes(const void* address) {                                 \
    if (opsmith::gpu::stepping) opsmith::gpu::at(OPSMITH_PLACE, {address, bytes, false}); \
  }                                                                                       \
  void __sanitizer_cov_store##bytes(const void* address) {                                \
    if (opsmith::gpu::stepping) opsmith::gpu::at(OPSMITH_PLACE, {address, bytes, true});  \
  }

extern "C" {

void __sanitizer_cov_trace_pc() {
  if (opsmith::gpu::stepping) opsmith::gpu::at(OPSMITH_PLACE);
}

void __wrap___cyg_profile_func_enter(void*, void*) {}
void __wrap___cyg_profile_func_exit(void*, void*) {
  if (opsmith::gpu::stepping) opsmith::gpu::at(OPSMITH_PLACE);
}

OPSMITH_ACCESSES(1)
OPSMITH_ACCESSES(2)
OPSMITH_ACCESSES(4)
OPSMITH_ACCESSES(8)
OPSMITH_ACCESSES(16)

}  // extern "C"
