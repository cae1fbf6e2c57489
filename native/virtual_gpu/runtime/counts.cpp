// A request of a warp is put together from its lanes, which run one after another: lanes that come
// to an instruction in the same turns of the loops around it, since the lanes came together last,
// belong together. What a warp did is added up when its lanes come together again.
#include "counts.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "checks.h"
#include "loops.h"
#include "memory.h"
#include "opsmith/gpu/kernel_facts.h"
#include "random_order.h"
#include "report_text.h"
#include "requests.h"
#include "shared_memory.h"
#include "touched_sectors.h"
#include "worker.h"

namespace opsmith::gpu {

bool counting = false;

namespace {

using counted::Kind;

/** Requests that wait for other lanes: with more, a warp's accesses are no longer counted. */
constexpr std::size_t most_pending = std::size_t{1} << 19;
constexpr std::uintptr_t variable_alignment = 128;
constexpr std::uint32_t no_site = 0xffffffffU;
constexpr std::uint32_t no_request = 0xffffffffU;
/** Loops around an instruction, those of callers among them; more are not told apart. */
constexpr std::uint32_t most_loops = 24;

/** An instruction that accesses memory, in one kernel and one kind of memory. */
struct AccessSite {
  const void* instruction = nullptr;
  Kind kind = Kind::load;
  Space space = Space::none;
  std::uint32_t kernel = 0;
  RequestSums sums;
  /** With what other instructions access right behind this one's bytes. */
  RequestSums wide;
  bool has_wide = false;
  bool wide_is_vector = true;
  /** The instruction whose bytes this one continues; no_site if it is not always the same. */
  std::uint32_t head = no_site;
  bool always_follows = true;
};

struct BarrierCount {
  std::uint64_t warps = 0;
  std::uint64_t lanes = 0;
};
using SitePlace = std::tuple<std::string, std::uint32_t, std::uint32_t>;

/** Launches of a kernel that are alike. */
struct Configuration {
  dim3 block;
  std::size_t dynamic_shared = 0;
  std::uint64_t launches = 0;
  std::uint64_t blocks = 0;
};

struct CountedKernel {
  std::string name;
  const void* entry = nullptr;
  Site launched;
  KernelFacts facts;
  std::vector<Configuration> configurations;
  std::map<SitePlace, BarrierCount> barriers;
  std::vector<std::uint64_t> code_blocks;  // how often threads ran each, by its guard
  /** Different sectors of each launch, added up over launches. */
  std::uint64_t sectors_read = 0;
  std::uint64_t sectors_written = 0;
};

/** A request that grows lane by lane. */
struct GrowingRequest {
  Request request;
  std::uint64_t turns = 0;          // of the loops around the instruction
  std::uint32_t next = no_request;  // of the same turns: lanes came again
};

/** What a warp's lanes did at one site since they came together last. */
struct Segment {
  std::uint32_t site = 0;
  std::vector<GrowingRequest> requests;
  /** The first request of these turns. */
  std::unordered_map<std::uint64_t, std::uint32_t> first;
  /** Where a lane's next request probably is: behind its last one. */
  std::uint32_t likely[lanes_of_warp] = {};
};

/** An access of a lane that a later one may continue. */
struct Recent {
  std::uint32_t lane = no_site;
  std::uint32_t head = 0;  // site
  std::uint32_t request = 0;
  Kind kind = Kind::load;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/** A loop that a lane is in. */
struct Turn {
  std::uintptr_t frame = 0;  // of the function's call
  std::uint32_t loop = 0;
  std::uint32_t count = 0;
};

/** The loops that a lane is in, the outermost first. */
struct LanePath {
  Turn turns[most_loops];
  std::uint32_t depth = 0;
  std::uint64_t key = 0;  // differs where loops or turns do
};

struct WarpCounts {
  LanePath path[lanes_of_warp];
  std::vector<Segment*> by_site;
  std::vector<std::uint32_t> used;
  Recent recent[4];
  std::uint32_t oldest = 0;
};

struct BlockCounts {
  /** Null: nothing was counted of the warp. */
  std::unique_ptr<WarpCounts> warp[warps_of_block];
  /** Warps that wait at the block's barrier and at the named ones, a bit each. */
  std::uint32_t at_barrier[named_barriers + 1] = {};
};

struct CodePlaceOfSite {
  const void* instruction = nullptr;
  Kind kind = Kind::load;
  Space space = Space::none;
  std::uint32_t kernel = 0;

  bool operator==(const CodePlaceOfSite&) const = default;
};
struct HashOfPlace {
  std::size_t operator()(const CodePlaceOfSite& place) const {
    return reinterpret_cast<std::uintptr_t>(place.instruction) * 31 +
           static_cast<std::size_t>(place.kind) * 7 + static_cast<std::size_t>(place.space) * 3 +
           place.kernel;
  }
};

struct State {
  const Launch* launch = nullptr;
  std::uint64_t launches = 0;
  std::uint32_t kernel = 0;
  std::vector<CountedKernel> kernels;
  std::vector<AccessSite> sites;
  std::unordered_map<CodePlaceOfSite, std::uint32_t, HashOfPlace> site_at;
  /** The site that each of these was found for last: most accesses are of few. */
  struct Found {
    CodePlaceOfSite place;
    std::uint32_t site = 0;
  };
  Found found[1024];
  std::unordered_map<const Block*, std::unique_ptr<BlockCounts>> blocks;
  std::vector<std::unique_ptr<BlockCounts>> unused_blocks;
  const Block* last_block = nullptr;
  BlockCounts* last_counts = nullptr;
  std::vector<std::unique_ptr<Segment>> segments;
  std::vector<Segment*> unused_segments;
  /** Of the launch that runs. */
  TouchedSectors read;
  TouchedSectors written;
  std::size_t pending = 0;
  std::uint64_t missed = 0;
  /** Where each guard of the program lies, by its number. */
  std::vector<const void*> guards{nullptr};
  Loops loops;
  /** The module whose tables clang hands over: its first guard, and the tables that are known. */
  std::uint32_t module_guard = 0;
  std::set<const void*> known_tables;
  bool ended = false;
};

State& state() {
  static constinit State* kept = nullptr;
  if (__builtin_expect(kept == nullptr, 0)) kept = new State();
  return *kept;
}

/** Memory of an access, and its address as a GPU may have it. */
struct Target {
  Space space = Space::none;
  std::uintptr_t address = 0;
};

Target target_of(const void* address, const Fiber& fiber, const Kernel& kernel) {
  const auto* byte = static_cast<const std::byte*>(address);
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  if (in_arena(address)) return {Space::global, number};
  if (in_shared(address, fiber.shared)) return {Space::shared, number};
  const auto within = [byte](const void* begin, std::size_t bytes) {
    return byte >= begin && byte < static_cast<const std::byte*>(begin) + bytes;
  };
  // What a thread has for itself, what a launch passes, and threadIdx and its kin.
  if (within(fiber.stack, stack_bytes) || within(kernel.closure, kernel.closure_bytes) ||
      within(&fiber, sizeof(Fiber)) || within(fiber.block, sizeof(Block)) ||
      within(&current, sizeof(ThreadContext*)))
    return {};
  const VariableAt variable = variable_at(address);
  // Constants come from a cache of their own.
  if (variable.kind == VariableKind::constant) return {};
  // The host's linker puts variables anywhere: each counts from the begin of a sector.
  if (variable.kind == VariableKind::device)
    return {Space::global,
            number - reinterpret_cast<std::uintptr_t>(variable.begin) % variable_alignment};
  Allocation registered;
  if (find_allocation(address, &registered)) return {Space::global, number};
  return {};
}

std::uint32_t site_of(const CodePlaceOfSite& place) {
  State& s = state();
  State::Found& found = s.found[HashOfPlace{}(place) % std::size(s.found)];
  if (found.place == place) return found.site;
  const auto [at, is_new] = s.site_at.emplace(place, static_cast<std::uint32_t>(s.sites.size()));
  if (is_new) {
    AccessSite& made = s.sites.emplace_back();
    made.instruction = place.instruction;
    made.kind = place.kind;
    made.space = place.space;
    made.kernel = place.kernel;
  }
  found = {place, at->second};
  return at->second;
}

BlockCounts& counts_of(const Block& block) {
  State& s = state();
  if (s.last_block == &block) return *s.last_counts;
  std::unique_ptr<BlockCounts>& counts = s.blocks[&block];
  if (!counts) {
    if (s.unused_blocks.empty()) {
      counts = std::make_unique<BlockCounts>();
    } else {
      counts = std::move(s.unused_blocks.back());
      s.unused_blocks.pop_back();
    }
  }
  s.last_block = &block;
  s.last_counts = counts.get();
  return *counts;
}

WarpCounts& warp_counts_of(const Fiber& fiber) {
  std::unique_ptr<WarpCounts>& warp = counts_of(*fiber.block).warp[fiber.linear / lanes_of_warp];
  if (!warp) warp = std::make_unique<WarpCounts>();
  return *warp;
}

Segment& segment_of(WarpCounts& warp, std::uint32_t site) {
  State& s = state();
  if (warp.by_site.size() <= site) warp.by_site.resize(s.sites.size() + 16);
  Segment*& segment = warp.by_site[site];
  if (segment == nullptr) {
    if (s.unused_segments.empty()) {
      segment = s.segments.emplace_back(std::make_unique<Segment>()).get();
    } else {
      segment = s.unused_segments.back();
      s.unused_segments.pop_back();
    }
    segment->site = site;
    warp.used.push_back(site);
  }
  return *segment;
}

/** The access of a lane right before these bytes, if both can be one vector. */
Recent* before(WarpCounts& warp, std::uint32_t lane, Kind kind, std::uint64_t address) {
  for (Recent& recent : warp.recent)
    if (recent.lane == lane && recent.kind == kind && recent.end == address &&
        recent.begin / widest_access == address / widest_access)
      return &recent;
  return nullptr;
}

void note_follower(std::uint32_t number, std::uint32_t head) {
  AccessSite& site = state().sites[number];
  if (site.head == no_site) site.head = head;
  if (site.head != head) site.always_follows = false;
}

/** The request that the lane's access belongs to; no_request if there are too many. */
std::uint32_t request_of(Segment& segment, std::uint32_t lane, std::uint64_t turns) {
  State& s = state();
  std::vector<GrowingRequest>& requests = segment.requests;
  const auto is_free = [&](std::uint32_t place) {
    return (requests[place].request.lanes >> lane & 1U) == 0;
  };
  const std::uint32_t likely = segment.likely[lane];
  if (likely < requests.size() && requests[likely].turns == turns && is_free(likely)) {
    ++segment.likely[lane];
    return likely;
  }
  const auto [first, is_new] =
      segment.first.emplace(turns, static_cast<std::uint32_t>(requests.size()));
  std::uint32_t last = no_request;
  if (!is_new)
    for (std::uint32_t place = first->second; place != no_request; place = requests[place].next) {
      if (is_free(place)) {
        segment.likely[lane] = place + 1;
        return place;
      }
      last = place;
    }
  if (s.pending >= most_pending) {
    if (is_new) segment.first.erase(first);
    return no_request;
  }
  ++s.pending;
  const auto made = static_cast<std::uint32_t>(requests.size());
  if (last != no_request) requests[last].next = made;
  requests.emplace_back().turns = turns;
  segment.likely[lane] = made + 1;
  return made;
}

void access_one(std::uint64_t address, std::uint32_t size, Kind kind, Space space,
                const void* instruction) {
  State& s = state();
  const Fiber& fiber = *static_cast<const Fiber*>(current);
  const std::uint32_t lane = fiber.lane;
  const std::uint32_t number = site_of({instruction, kind, space, s.kernel});
  WarpCounts& warp = warp_counts_of(fiber);
  Segment& segment = segment_of(warp, number);
  const std::uint32_t place = request_of(segment, lane, warp.path[lane].key);
  if (place == no_request) {
    ++s.missed;
    return;
  }
  Request& request = segment.requests[place].request;
  request.lanes |= 1U << lane;
  request.address[lane] = address;
  request.bytes[lane] = request.wide[lane] = static_cast<std::uint8_t>(size);
  if (kind == Kind::atomic) return;

  Recent* recent = size < widest_access ? before(warp, lane, kind, address) : nullptr;
  if (recent != nullptr && recent->head != number) {
    Request& head = warp.by_site[recent->head]->requests[recent->request].request;
    head.wide[lane] = static_cast<std::uint8_t>(head.wide[lane] + size);
    recent->end += size;
    s.sites[recent->head].has_wide = true;
    note_follower(number, recent->head);
    return;
  }
  s.sites[number].always_follows = false;
  warp.recent[warp.oldest] = {lane, number, place, kind, address, address + size};
  warp.oldest = (warp.oldest + 1) % std::size(warp.recent);
}

/** The lanes have come together: what they did at each instruction are whole requests. */
void add_up(WarpCounts& warp) {
  State& s = state();
  for (const std::uint32_t number : warp.used) {
    Segment& segment = *warp.by_site[number];
    AccessSite& site = s.sites[number];
    for (const GrowingRequest& growing : segment.requests) {
      const Request& request = growing.request;
      RequestSums one;
      add_request(one, request, site.space, site.kind == Kind::atomic, false);
      site.sums.add(one);
      const bool is_wide =
          site.has_wide && std::memcmp(request.bytes, request.wide, sizeof(request.wide)) != 0;
      if (is_wide && is_vector(request))
        add_request(site.wide, request, site.space, false, true);
      else
        site.wide.add(one);
      if (is_wide && !is_vector(request)) site.wide_is_vector = false;
    }
    s.pending -= segment.requests.size();
    segment.requests.clear();
    segment.first.clear();
    std::memset(segment.likely, 0, sizeof(segment.likely));
    s.unused_segments.push_back(&segment);
    warp.by_site[number] = nullptr;
  }
  warp.used.clear();
  for (Recent& recent : warp.recent)
    recent.lane = no_site;
}

/** The block has ended, or its launch has failed. */
void forget(std::unique_ptr<BlockCounts> counts) {
  State& s = state();
  for (const std::unique_ptr<WarpCounts>& warp : counts->warp) {
    if (!warp) continue;
    add_up(*warp);
    for (LanePath& path : warp->path)
      path.depth = 0, path.key = 0;
  }
  std::memset(counts->at_barrier, 0, sizeof(counts->at_barrier));
  s.unused_blocks.push_back(std::move(counts));
  s.last_block = nullptr;
}

LanePath& path_of(const Fiber& fiber) {
  return warp_counts_of(fiber).path[fiber.lane];
}

/** The lane comes to a piece of code, in a call of a function that has this frame. */
void follow(LanePath& path, std::uint32_t guard, std::uintptr_t frame) {
  const std::span<const std::uint32_t> around = state().loops.around(guard);
  if (around.empty() && path.depth == 0) return;
  // Stacks grow down: calls that have ended lie lower.
  std::uint32_t own = path.depth;
  while (own > 0 && path.turns[own - 1].frame < frame)
    --own;
  std::uint32_t begin = own;
  while (begin > 0 && path.turns[begin - 1].frame == frame)
    --begin;
  std::uint32_t same = 0;
  while (same < around.size() && begin + same < own &&
         path.turns[begin + same].loop == around[same])
    ++same;
  const std::uint32_t before = path.depth;
  path.depth = begin + same;
  bool changes = path.depth != before;
  if (same == around.size()) {
    if (same > 0 && around[same - 1] == guard) {
      ++path.turns[path.depth - 1].count;
      changes = true;
    }
  } else {
    for (; same < around.size() && path.depth < most_loops; ++same)
      path.turns[path.depth++] = {frame, around[same], 0};
    changes = true;
  }
  if (!changes) return;
  path.key = 0;
  for (std::uint32_t index = 0; index < path.depth; ++index)
    path.key =
        mixed(path.key ^ (std::uint64_t{path.turns[index].loop} << 32 | path.turns[index].count));
}

Configuration& configuration_of(CountedKernel& kernel, const LaunchSize& size) {
  for (Configuration& known : kernel.configurations)
    if (known.block.x == size.block.x && known.block.y == size.block.y &&
        known.block.z == size.block.z && known.dynamic_shared == size.dynamic_shared)
      return known;
  return kernel.configurations.emplace_back(Configuration{size.block, size.dynamic_shared, 0, 0});
}

/** `k<T>` in a template of the host is several kernels of one name. */
std::uint32_t kernel_of(const Kernel& kernel) {
  State& s = state();
  for (std::uint32_t number = 0; number < s.kernels.size(); ++number)
    if (s.kernels[number].name == kernel.name && s.kernels[number].entry == kernel.entry)
      return number;
  CountedKernel made;
  made.name = kernel.name;
  made.entry = kernel.entry;
  made.launched = kernel.site;
  made.facts = facts_of(kernel.entry);
  s.kernels.push_back(std::move(made));
  return static_cast<std::uint32_t>(s.kernels.size()) - 1;
}

std::string field(const char* name, std::uint64_t value) {
  return quoted(name) + ":" + std::to_string(value);
}

std::string sums_text(const RequestSums& sums) {
  return "{" + field("requests", sums.requests) + "," + field("lanes", sums.lanes) + "," +
         field("bytes", sums.bytes) + "," + field("sectors", sums.sectors) + "," +
         field("wavefronts", sums.wavefronts) + "," + field("least", sums.least) + "," +
         field("addresses", sums.addresses) + "," + field("serial", sums.serial) + "}";
}

std::string site_counts_text(std::uint32_t number) {
  const AccessSite& site = state().sites[number];
  static constexpr const char* kinds[] = {"load", "store", "atomic"};
  std::string text = "{" + field("id", number) +
                     ",\"place\":" + place_text({site.instruction, {}}) +
                     ",\"kind\":" + quoted(kinds[static_cast<std::size_t>(site.kind)]) +
                     ",\"space\":" + quoted(site.space == Space::shared ? "shared" : "global") +
                     ",\"sums\":" + sums_text(site.sums);
  if (site.has_wide && site.wide_is_vector) text += ",\"wide\":" + sums_text(site.wide);
  if (site.head != no_site && site.always_follows) text += "," + field("follows", site.head);
  return text + "}";
}

template <typename Items, typename Text>
std::string list_text(const Items& items, Text text_of) {
  std::string text = "[";
  for (const auto& item : items) {
    const std::string one = text_of(item);
    if (one.empty()) continue;
    if (text.size() > 1) text += ",";
    text += one;
  }
  return text + "]";
}

std::string kernel_text(std::uint32_t number) {
  const State& s = state();
  const CountedKernel& kernel = s.kernels[number];
  std::vector<std::uint32_t> own;
  for (std::uint32_t site = 0; site < s.sites.size(); ++site)
    if (s.sites[site].kernel == number && s.sites[site].sums.requests > 0) own.push_back(site);
  std::vector<std::uint32_t> ran;
  for (std::uint32_t guard = 0; guard < kernel.code_blocks.size(); ++guard)
    if (kernel.code_blocks[guard] > 0 && guard < s.guards.size()) ran.push_back(guard);
  const std::string configurations = list_text(kernel.configurations, [](const Configuration& one) {
    return "{\"block\":[" + std::to_string(one.block.x) + "," + std::to_string(one.block.y) + "," +
           std::to_string(one.block.z) + "]," + field("dynamicShared", one.dynamic_shared) + "," +
           field("launches", one.launches) + "," + field("blocks", one.blocks) + "}";
  });
  const std::string barriers = list_text(kernel.barriers, [](const auto& one) {
    const auto& [file, line, column] = one.first;
    return "{\"site\":" + site_text({file.c_str(), line, column}) + "," +
           field("warps", one.second.warps) + "," + field("lanes", one.second.lanes) + "}";
  });
  const std::string code_blocks = list_text(ran, [&](std::uint32_t guard) {
    return "{\"place\":" + place_text({s.guards[guard], {}}) + "," +
           field("threads", kernel.code_blocks[guard]) + "}";
  });
  return "{\"kernel\":" + quoted(kernel.name) + ",\"launched\":" + site_text(kernel.launched) +
         "," + field("staticShared", kernel.facts.static_shared) + "," +
         field("sectorsRead", kernel.sectors_read) + "," +
         field("sectorsWritten", kernel.sectors_written) + ",\"configurations\":" + configurations +
         ",\"sites\":" + list_text(own, site_counts_text) + ",\"barriers\":" + barriers +
         ",\"codeBlocks\":" + code_blocks + "}";
}

}  // namespace

namespace counted {

void access(const void* address, std::size_t size, Kind kind, const void* instruction) {
  if (current == nullptr || size == 0) return;
  const Fiber& fiber = *static_cast<const Fiber*>(current);
  const Target target = target_of(address, fiber, *state().launch->kernel);
  if (target.space == Space::none) return;
  if (target.space == Space::global) {
    // An atomic reads and writes.
    if (kind != Kind::store) state().read.add(target.address, size);
    if (kind != Kind::load) state().written.add(target.address, size);
  }
  std::uintptr_t at = target.address;
  // A copy of an object: of the widest parts that its size and its address allow.
  while (size > 0) {
    const std::uintptr_t aligned = (at | size) & (~(at | size) + 1);
    const std::size_t part = aligned < widest_access ? aligned : widest_access;
    access_one(at, static_cast<std::uint32_t>(part), kind, target.space, instruction);
    at += part;
    size -= part;
  }
}

void launch_started(const Launch& launch) {
  State& s = state();
  ++s.launches;
  s.launch = &launch;
  s.kernel = kernel_of(*launch.kernel);
  s.loops.turns_for_threads(reinterpret_cast<const void*>(launch.kernel->run_threads));
  CountedKernel& kernel = s.kernels[s.kernel];
  kernel.code_blocks.resize(s.guards.size());
  Configuration& configuration = configuration_of(kernel, launch.size);
  ++configuration.launches;
  configuration.blocks += launch.blocks;
}

void launch_ended(const Launch&) {
  State& s = state();
  // Of a launch that failed, blocks are left.
  for (auto& [block, counts] : s.blocks)
    forget(std::move(counts));
  s.blocks.clear();
  CountedKernel& kernel = s.kernels[s.kernel];
  kernel.sectors_read += s.read.take();
  kernel.sectors_written += s.written.take();
  s.launch = nullptr;
}

void block_ended(const Block& block) {
  State& s = state();
  const auto found = s.blocks.find(&block);
  if (found == s.blocks.end()) return;
  forget(std::move(found->second));
  s.blocks.erase(found);
}

void barrier_passed(const Block& block, std::uint32_t barrier) {
  BlockCounts& counts = counts_of(block);
  counts.at_barrier[barrier] = 0;
  // A named barrier may be of some warps only.
  if (barrier != 0) return;
  for (std::uint32_t warp = 0; warp < block.warps; ++warp)
    if (counts.warp[warp]) add_up(*counts.warp[warp]);
}

void barrier(const Fiber& fiber, std::uint32_t barrier, Site site) {
  State& s = state();
  BarrierCount& count = s.kernels[s.kernel].barriers[SitePlace{site.file, site.line, site.column}];
  const std::uint32_t warp = 1U << fiber.linear / lanes_of_warp;
  std::uint32_t& waiting = counts_of(*fiber.block).at_barrier[barrier];
  if ((waiting & warp) == 0) ++count.warps;
  waiting |= warp;
  ++count.lanes;
}

void warp_converged(const Block& block, std::uint32_t warp) {
  if (const auto& counts = counts_of(block).warp[warp]) add_up(*counts);
}

}  // namespace counted

namespace {

std::string counts_text() {
  const State& s = state();
  std::vector<std::uint32_t> numbers(s.kernels.size());
  for (std::uint32_t number = 0; number < numbers.size(); ++number)
    numbers[number] = number;
  return "{" + field("launches", s.launches) + "," + field("missed", s.missed) +
         ",\"kernels\":" + list_text(numbers, kernel_text) + "}\n";
}

/** The file has what was counted when the program ends. */
void end_counts() {
  State& s = state();
  const char* path = std::getenv("OPSMITH_GPU_COUNTS");
  if (!counting || s.ended || path == nullptr) return;
  s.ended = true;
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) return;
  std::fputs(counts_text().c_str(), file);
  std::fclose(file);
}

/** The next library may have other kernels and instructions at the same addresses. */
void forget_counts() {
  State& s = state();
  s.launches = 0;
  s.missed = 0;
  s.kernels.clear();
  s.sites.clear();
  s.site_at.clear();
  std::fill(std::begin(s.found), std::end(s.found), State::Found{});
}

struct AtEnd {
  ~AtEnd() { end_counts(); }
} at_end;

}  // namespace

}  // namespace opsmith::gpu

// For a process that goes on: an op host, which asks after each call.
extern "C" {

/** Counts from now on: before a library with counted kernels is loaded. */
void opsmith_gpu_count() {
  opsmith::gpu::counting = true;
}

/** What was counted since the last call, as JSON; nullptr where no kernel ran. To be freed by
 * free(). */
char* opsmith_gpu_take_counts() {
  if (opsmith::gpu::state().launches == 0) return nullptr;
  const std::string text = opsmith::gpu::counts_text();
  opsmith::gpu::forget_counts();
  return strdup(text.c_str());
}

}  // extern "C"

// What clang calls at the begin of each straight piece of code
// (-fsanitize-coverage=trace-pc-guard).

extern "C" {

void __sanitizer_cov_trace_pc_guard_init(std::uint32_t* begin, std::uint32_t* end) {
  auto& s = opsmith::gpu::state();
  if (begin == end) return;
  if (*begin == 0) {
    // Another module, maybe where one was that is unloaded.
    s.known_tables.clear();
    for (std::uint32_t* guard = begin; guard < end; ++guard) {
      *guard = static_cast<std::uint32_t>(s.guards.size());
      s.guards.push_back(nullptr);
    }
  }
  s.module_guard = *begin;
}

void __sanitizer_cov_pcs_init(const opsmith::gpu::CodeEntry* begin,
                              const opsmith::gpu::CodeEntry* end) {
  auto& s = opsmith::gpu::state();
  // Each file of a module hands over the tables of the whole module.
  if (s.known_tables.insert(begin).second) s.loops.add_pieces({begin, end}, s.module_guard);
}

void __sanitizer_cov_cfs_init(const std::uintptr_t* begin, const std::uintptr_t* end) {
  auto& s = opsmith::gpu::state();
  if (s.known_tables.insert(begin).second) s.loops.add_control_flow({begin, end});
}

void __sanitizer_cov_trace_pc_guard(const std::uint32_t* guard) {
  if (opsmith::gpu::current == nullptr || !opsmith::gpu::counting) return;
  auto& s = opsmith::gpu::state();
  if (s.launch == nullptr || *guard >= s.guards.size()) return;
  s.guards[*guard] = __builtin_return_address(0);
  auto& code_blocks = s.kernels[s.kernel].code_blocks;
  if (*guard < code_blocks.size()) ++code_blocks[*guard];
  const auto& fiber = *static_cast<const opsmith::gpu::Fiber*>(opsmith::gpu::current);
  // The caller's frame pointer lies where this function's points to.
  const auto frame = *static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
  opsmith::gpu::follow(opsmith::gpu::path_of(fiber), *guard, frame);
}

}  // extern "C"
