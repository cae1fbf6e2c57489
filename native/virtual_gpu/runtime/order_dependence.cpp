#include "order_dependence.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checks.h"
#include "errors.h"
#include "findings.h"
#include "memory.h"
#include "random_order.h"

namespace opsmith::gpu::orders {

bool repeating = false;

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t cell = 4;
/** Launches of one kernel that are compared: iterations do the same again and again. */
constexpr int most_comparisons = 4;

/** Memory that the launch wrote to. */
struct Saved {
  std::byte* begin;
  std::size_t bytes;
  std::vector<std::byte> before;
  std::vector<std::byte> after;
  std::vector<std::uint8_t> sizes;  // of the last write to each cell, in bytes
};

struct Differing {
  const std::byte* address;
  std::size_t bytes;
  std::string first;
  std::string again;
  double largest = 0;  // of floating-point values; 0 of whole numbers
};

struct State {
  std::vector<Saved> saved;
  // By page of the arena: the number of the launch and the place in `saved`.
  std::uint64_t* pages = nullptr;
  std::uint32_t launch = 0;
  bool has_atomics = false;
  bool can_repeat = true;
  std::map<std::pair<const void*, const void*>, int> comparisons;  // by kernel
  std::vector<Finding> differing;
};

State& state() {
  static auto* kept = new State();
  return *kept;
}

Saved& save(std::byte* begin, std::size_t bytes) {
  State& s = state();
  Saved made{begin, bytes, {begin, begin + bytes}, {}, {}};
  made.sizes.resize(bytes / cell + 1);
  return s.saved.emplace_back(std::move(made));
}

void note_size(Saved& range, const std::byte* address, std::size_t bytes) {
  const auto first = static_cast<std::size_t>(address - range.begin) / cell;
  const std::size_t last = std::min(first + (bytes - 1) / cell, range.sizes.size() - 1);
  for (std::size_t at = first; at <= last; ++at)
    range.sizes[at] = static_cast<std::uint8_t>(std::min<std::size_t>(bytes, 16));
}

Saved& page_of(std::size_t number, std::byte* arena) {
  State& s = state();
  const std::uint64_t known = s.pages[number];
  if (known >> 32 == s.launch) return s.saved[static_cast<std::uint32_t>(known)];
  s.pages[number] = std::uint64_t{s.launch} << 32 | s.saved.size();
  return save(arena + number * page, page);
}

template <typename T>
T value_at(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

/** Bits of whole numbers make floats that no kernel computes. */
template <typename T>
bool is_float(T value) {
  return value == 0 || (std::isfinite(value) && std::fabs(value) > T(1e-30));
}

template <typename T>
bool are_floats(const std::byte* one, const std::byte* other) {
  const T left = value_at<T>(one);
  const T right = value_at<T>(other);
  return is_float(left) && is_float(right) && (left != 0 || right != 0);
}

/** Sums of floats differ by rounding in another order. */
bool is_rounding(double left, double right, double precision) {
  return std::fabs(left - right) <= precision * std::max(std::fabs(left), std::fabs(right));
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

Differing floats(const std::byte* address, std::size_t bytes, double left, double right) {
  return {address, bytes, number_text(left), number_text(right), std::fabs(left - right)};
}

/** What differs in the element that holds the cell; nullopt if that is rounding. */
std::optional<Differing> difference(const Saved& range, std::size_t at) {
  const std::size_t size = range.sizes[at / cell];
  const std::byte* first = range.after.data();
  const std::byte* again = range.begin;
  const std::size_t whole = at / 8 * 8;
  if (size == 8 && whole + 8 <= range.bytes && are_floats<double>(first + whole, again + whole)) {
    const auto left = value_at<double>(first + whole);
    const auto right = value_at<double>(again + whole);
    if (is_rounding(left, right, 1e-9)) return std::nullopt;
    return floats(range.begin + whole, 8, left, right);
  }
  if (size >= 4 && are_floats<float>(first + at, again + at)) {
    const auto left = value_at<float>(first + at);
    const auto right = value_at<float>(again + at);
    if (is_rounding(left, right, 1e-3)) return std::nullopt;
    return floats(range.begin + at, 4, left, right);
  }
  // Halves round so much that few differences would tell.
  if (size == 2) return std::nullopt;
  if (size == 8 && whole + 8 <= range.bytes)
    return Differing{range.begin + whole, 8, std::to_string(value_at<std::int64_t>(first + whole)),
                     std::to_string(value_at<std::int64_t>(again + whole))};
  return Differing{range.begin + at, 4, std::to_string(value_at<std::int32_t>(first + at)),
                   std::to_string(value_at<std::int32_t>(again + at))};
}

/** The first element that differs, with the largest difference of all. */
std::optional<Differing> first_difference() {
  std::optional<Differing> found;
  double largest = 0;
  for (Saved& range : state().saved) {
    // A page that only the repeated launch wrote to.
    if (range.after.empty()) range.after = range.before;
    if (std::memcmp(range.after.data(), range.begin, range.bytes) == 0) continue;
    for (std::size_t at = 0; at + cell <= range.bytes; at += cell) {
      if (std::memcmp(range.after.data() + at, range.begin + at, cell) == 0) continue;
      const auto differing = difference(range, at);
      if (!differing) continue;
      largest = std::max(largest, differing->largest);
      if (!found || differing->address < found->address) found = differing;
    }
  }
  if (found && found->largest > 0) found->largest = largest;
  return found;
}

/** stdout and stderr go nowhere while it lives: a kernel that prints has printed. */
class Muted {
 public:
  Muted() {
    std::fflush(stdout);
    std::fflush(stderr);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (const int stream : {1, 2}) {
      kept_[stream - 1] = fcntl(stream, F_DUPFD_CLOEXEC, 3);
      dup2(nowhere, stream);
    }
    close(nowhere);
  }
  ~Muted() {
    std::fflush(stdout);
    std::fflush(stderr);
    for (const int stream : {1, 2}) {
      dup2(kept_[stream - 1], stream);
      close(kept_[stream - 1]);
    }
  }
  Muted(const Muted&) = delete;
  Muted& operator=(const Muted&) = delete;

 private:
  int kept_[2];
};

void put_back(std::vector<std::byte> Saved::* content) {
  for (Saved& range : state().saved)
    std::memcpy(range.begin, (range.*content).data(), range.bytes);
}

/** One run in the order of the seed; 0 is that of the numbers. */
std::optional<Differing> run_again(const Launch& launch, std::uint64_t seed,
                                   void (*run)(Launch& again)) {
  Launch again;
  again.size = launch.size;
  again.kernel = launch.kernel;
  again.number = launch.number;
  again.blocks = launch.blocks;
  again.threads = launch.threads;
  again.seed = seed;
  order_blocks(again);
  put_back(&Saved::before);
  run(again);
  // In another order it may not end, or fault: what it left says nothing.
  auto differing = again.failed.load() ? std::nullopt : first_difference();
  for (Saved& range : state().saved)
    if (range.after.empty()) range.after = range.before;
  put_back(&Saved::after);
  return differing;
}

void keep(const Launch& launch, const Differing& differing) {
  Finding made = checked::last_write(launch, differing.address, differing.bytes);
  const std::string where = made.message;
  made.check = "order-dependence";
  made.message = "The result depends on the order in which blocks and warps run: " + where +
                 " is " + differing.first + " in one order, and " + differing.again +
                 " in another.";
  if (differing.largest > 0)
    made.message += " The largest difference is " + number_text(differing.largest) +
                    ", which is too large for rounding in float atomics.";
  made.remedy =
      "Make the result independent of this order: use an atomic minimum or sum, or compute the "
      "position of each result from the index.";
  state().differing.push_back(std::move(made));
}

/** A program that ends with an error says that its results are wrong. */
void at_exit(int status, void*) {
  if ((status & 0xff) != 0) results_are_wrong();
}

}  // namespace

void launch_started() {
  State& s = state();
  if (++s.launch == 1) on_exit(at_exit, nullptr);
  s.saved.clear();
  s.has_atomics = false;
  s.can_repeat = true;
}

void save_before_write(const void* address, std::size_t bytes) {
  State& s = state();
  const ArenaRange arena = arena_range();
  if (s.pages == nullptr) {
    const auto count = static_cast<std::size_t>(arena.end - arena.begin) / page + 1;
    void* memory = mmap(nullptr, count * sizeof(std::uint64_t), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    s.pages = memory == MAP_FAILED ? nullptr : static_cast<std::uint64_t*>(memory);
    if (s.pages == nullptr) s.can_repeat = false;
  }
  const auto* byte = static_cast<const std::byte*>(address);
  auto* begin = const_cast<std::byte*>(arena.begin);
  for (std::size_t done = 0; s.can_repeat && done < bytes;) {
    const auto offset = static_cast<std::size_t>(byte + done - begin);
    const std::size_t count = std::min(bytes - done, page - offset % page);
    Saved& range = page_of(offset / page, begin);
    note_size(range, byte + done, done == 0 && count == bytes ? bytes : count);
    done += count;
  }
}

void save_variable(const void* variable, std::size_t variable_bytes, const void* address,
                   std::size_t bytes) {
  State& s = state();
  if (!s.can_repeat) return;
  auto* begin = static_cast<std::byte*>(const_cast<void*>(variable));
  auto known = std::find_if(s.saved.begin(), s.saved.end(),
                            [begin](const Saved& one) { return one.begin == begin; });
  Saved& range = known != s.saved.end() ? *known : save(begin, variable_bytes);
  note_size(range, static_cast<const std::byte*>(address), bytes);
}

void used_atomic() {
  state().has_atomics = true;
}

void cannot_repeat() {
  state().can_repeat = false;
}

void compare(const Launch& launch, void (*run)(Launch& again)) {
  State& s = state();
  if (!s.has_atomics || !s.can_repeat || launch.failed.load() || launch.blocks * launch.threads < 2)
    return;
  // Kernels that are launched by a pointer share the code that runs them.
  const Kernel& kernel = *launch.kernel;
  const std::pair key{reinterpret_cast<const void*>(kernel.run_threads), kernel.entry};
  if (++s.comparisons[key] > most_comparisons) return;
  for (Saved& range : s.saved)
    range.after.assign(range.begin, range.begin + range.bytes);
  const cudaError_t error = peek_error();
  std::optional<Differing> differing;
  {
    const Muted muted;
    repeating = true;
    differing = run_again(launch, 0, run);
    if (!differing) differing = run_again(launch, mixed(launch.seed), run);
    repeating = false;
  }
  clear_errors();
  set_error(error);
  if (differing) keep(launch, *differing);
}

bool has_differing() {
  return !state().differing.empty();
}

void results_are_wrong() {
  for (Finding& one : state().differing)
    add_finding(std::move(one));
  state().differing.clear();
}

void forget() {
  state().differing.clear();
  state().comparisons.clear();
}

}  // namespace opsmith::gpu::orders
