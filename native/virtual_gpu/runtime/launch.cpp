// Launches: workers, time slices and faults.
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#include "checks.h"
#include "counts.h"
#include "cuda_runtime_api.h"
#include "device_model.h"
#include "errors.h"
#include "order_dependence.h"
#include "random_order.h"
#include "shared_memory.h"
#include "stepping.h"
#include "worker.h"

namespace opsmith::gpu {

namespace {

/** A thread that runs for so long lets others go on: they may be what it waits for. */
constexpr auto time_slice = std::chrono::milliseconds(5);
constexpr int preempt_signal = SIGURG;
/** Fewer threads than this are not worth waking another worker. */
constexpr std::uint64_t threads_worth_waking = 8192;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return otherwise;
  return std::strtoull(text, nullptr, 10);
}

std::uint64_t seed() {
  static const std::uint64_t chosen = number_from("OPSMITH_GPU_SEED", 1);
  return chosen;
}

/** The code of a program: only there may a thread be preempted, never within the runtime or the C
 * library. */
struct CodeRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};
std::atomic<std::uintptr_t> code_begin{0};
std::atomic<std::uintptr_t> code_end{0};

void find_code_of(const void* function) {
  static std::map<const void*, CodeRange> known;
  static std::mutex guard;
  const std::lock_guard lock(guard);
  Dl_info info;
  if (dladdr(function, &info) == 0) return;
  CodeRange& range = known[info.dli_fbase];
  if (range.begin == 0) {
    std::FILE* maps = std::fopen("/proc/self/maps", "r");
    if (maps == nullptr) return;
    char line[4608];
    while (std::fgets(line, sizeof(line), maps) != nullptr) {
      unsigned long begin = 0;
      unsigned long end = 0;
      char access[5] = {};
      if (std::sscanf(line, "%lx-%lx %4s", &begin, &end, access) != 3 || access[2] != 'x') continue;
      const auto address = reinterpret_cast<std::uintptr_t>(function);
      if (address >= begin && address < end) range = {begin, end};
    }
    std::fclose(maps);
  }
  code_begin = range.begin;
  code_end = range.end;
}

bool in_program(std::uintptr_t address) {
  return address >= code_begin && address < code_end;
}

std::uintptr_t& instruction(ucontext_t& state) {
#if defined(__x86_64__)
  return reinterpret_cast<std::uintptr_t&>(state.uc_mcontext.gregs[REG_RIP]);
#else
  return reinterpret_cast<std::uintptr_t&>(state.uc_mcontext.pc);
#endif
}

void on_time_slice(int, siginfo_t*, void* state) {
  const int kept = errno;
  if (worker != nullptr && current != nullptr &&
      in_program(instruction(*static_cast<ucontext_t*>(state))))
    worker->preempt();
  errno = kept;
}

struct sigaction before_segv;
struct sigaction before_bus;
struct sigaction before_fpe;
struct sigaction before_ill;

struct sigaction* kept_action(int signal) {
  switch (signal) {
    case SIGSEGV:
      return &before_segv;
    case SIGBUS:
      return &before_bus;
    case SIGFPE:
      return &before_fpe;
    default:
      return &before_ill;
  }
}

/** A fault of a kernel ends the launch. Any other goes to who handled it before. */
void on_fault(int signal, siginfo_t* info, void* state) {
  if (worker != nullptr && current != nullptr) {
    const void* address = info->si_addr;
    char text[160];
    switch (signal) {
      case SIGFPE:
        std::snprintf(text, sizeof(text),
                      "a kernel divided an integer by zero, or the division overflowed");
        break;
      case SIGILL:
        std::snprintf(text, sizeof(text), "an illegal instruction in a kernel");
        break;
      default:
        std::snprintf(text, sizeof(text), "a kernel accessed memory that does not exist: %p",
                      address);
    }
    set_sticky_error(signal == SIGILL ? cudaErrorIllegalInstruction : cudaErrorIllegalAddress);
    if (checking)
      checked::fault(
          address, reinterpret_cast<void*>(instruction(*static_cast<ucontext_t*>(state))), signal);
    report_failure(text);
    worker->abandon(text);
  }
  sigaction(signal, kept_action(signal), nullptr);
}

void use_alternate_stack() {
  constexpr std::size_t bytes = 64 * 1024;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  stack_t stack{};
  stack.ss_sp = memory;
  stack.ss_size = bytes;
  sigaltstack(&stack, nullptr);
}

void handle_signals() {
  struct sigaction action{};
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
  action.sa_sigaction = on_time_slice;
  sigaction(preempt_signal, &action, nullptr);
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  action.sa_sigaction = on_fault;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    sigaction(signal, &action, kept_action(signal));
}

/** One OS thread with its worker, kept from launch to launch. */
struct Hand {
  std::unique_ptr<Worker> worker;
  pthread_t thread{};
  std::uint64_t seen_switches = 0;
};

class Workers {
 public:
  static Workers& instance() {
    static auto* workers = new Workers();  // never destroyed: threads of it live until the end
    return *workers;
  }

  void run(Launch& launch) {
    const std::lock_guard one_at_a_time(running_);
    Hand& own = *hands_[0];
    own.thread = pthread_self();
    static thread_local bool prepared = false;
    if (!prepared) {
      use_alternate_stack();
      prepared = true;
    }
    const bool alone = hands_.size() == 1 || launch.size.cooperative || launch.blocks == 1 ||
                       launch.blocks * launch.threads < threads_worth_waking || checking ||
                       counting || stepping;
    {
      const std::lock_guard lock(guard_);
      launch_ = &launch;
      alone_ = alone;
      if (!alone) {
        ++round_;
        busy_ = static_cast<std::uint32_t>(hands_.size()) - 1;
      }
    }
    if (!alone) wake_.notify_all();
    own.worker->run(launch);
    std::unique_lock lock(guard_);
    if (!alone) done_.wait(lock, [this] { return busy_ == 0; });
    launch_ = nullptr;
  }

 private:
  Workers() {
    const auto cores = std::max(1U, std::thread::hardware_concurrency());
    // Blocks that may wait for each other run on one OS thread, so that a seed gives one run.
    const std::uint64_t otherwise = independent_blocks() ? cores : 1;
    const std::uint64_t count =
        std::clamp<std::uint64_t>(number_from("OPSMITH_GPU_WORKERS", otherwise), 1, 64);
    for (std::uint32_t number = 0; number < count; ++number) {
      hands_.push_back(std::make_unique<Hand>());
      hands_.back()->worker = std::make_unique<Worker>();
    }
    handle_signals();
    for (std::uint32_t number = 1; number < count; ++number)
      std::thread([this, number] { serve(*hands_[number]); }).detach();
    std::thread([this] { watch(); }).detach();
  }

  void serve(Hand& hand) {
    use_alternate_stack();
    hand.thread = pthread_self();
    std::uint64_t seen = 0;
    while (true) {
      Launch* launch = nullptr;
      {
        std::unique_lock lock(guard_);
        wake_.wait(lock, [&] { return round_ != seen; });
        seen = round_;
        launch = launch_;
      }
      hand.worker->run(*launch);
      {
        const std::lock_guard lock(guard_);
        --busy_;
      }
      done_.notify_one();
    }
  }

  /** Tells workers whose thread ran for a whole time slice. */
  void watch() {
    while (true) {
      std::this_thread::sleep_for(time_slice);
      const std::lock_guard lock(guard_);
      if (launch_ == nullptr) continue;
      for (std::size_t number = 0; number < (alone_ ? 1 : hands_.size()); ++number) {
        Hand& hand = *hands_[number];
        const std::uint64_t switches = hand.worker->switches();
        if (switches == hand.seen_switches && hand.thread != pthread_t{})
          pthread_kill(hand.thread, preempt_signal);
        hand.seen_switches = switches;
      }
    }
  }

  std::vector<std::unique_ptr<Hand>> hands_;
  std::mutex running_;
  std::mutex guard_;
  std::condition_variable wake_;
  std::condition_variable done_;
  Launch* launch_ = nullptr;
  bool alone_ = true;
  std::uint64_t round_ = 0;
  std::uint32_t busy_ = 0;
};

std::atomic<std::uint64_t> launches{0};
std::atomic<bool> blocks_are_independent{true};

std::mutex attributes_guard;
auto& dynamic_shared_limit = *new std::map<const void*, std::size_t>;

/** Dynamic shared memory that a block of the launch may have. A kernel whose address is not known
 * has the limit of any other. */
std::size_t shared_limit_of(const Kernel& kernel) {
  if (kernel.entry != nullptr) return dynamic_shared_limit_of(kernel.entry);
  const std::lock_guard lock(attributes_guard);
  return dynamic_shared_limit.empty() ? model::shared_per_block : model::shared_per_block_opt_in;
}

}  // namespace

bool independent_blocks() {
  return blocks_are_independent.load();
}

void set_dynamic_shared_limit(const void* function, std::size_t bytes) {
  const std::lock_guard lock(attributes_guard);
  dynamic_shared_limit[function] = bytes;
}

std::size_t dynamic_shared_limit_of(const void* function) {
  const std::size_t own = facts_of(function).static_shared;
  const std::size_t otherwise = model::shared_per_block - std::min(own, model::shared_per_block);
  const std::lock_guard lock(attributes_guard);
  const auto set = dynamic_shared_limit.find(function);
  return set == dynamic_shared_limit.end() ? otherwise : std::max(otherwise, set->second);
}

int most_threads_of(const KernelFacts& facts) {
  constexpr int of_device = static_cast<int>(model::threads_per_block);
  return facts.most_threads == 0 ? of_device : std::min(of_device, facts.most_threads);
}

cudaError_t can_launch(const LaunchSize& size, const Kernel& kernel) {
  if (in_kernel()) {
    refuse("a kernel launches a kernel: dynamic parallelism is not supported on the virtual GPU",
           kernel.site);
  }
  if (sticky_error() != cudaSuccess) return sticky_error();
  const auto bad = [&](cudaError_t error, const char* what) {
    set_error(error);
    if (checking) checked::bad_launch(kernel, error, what);
    return error;
  };
  const dim3& grid = size.grid;
  const dim3& block = size.block;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0)
    return bad(cudaErrorInvalidConfiguration, "the grid has no block");
  if (threads == 0) return bad(cudaErrorInvalidConfiguration, "a block has no thread");
  if (threads > model::threads_per_block || block.z > model::block_dim_z)
    return bad(cudaErrorInvalidConfiguration,
               "a block can have at most 1024 threads, and at most 64 along z");
  if (grid.x > model::grid_dim_x || grid.y > model::grid_dim_yz || grid.z > model::grid_dim_yz)
    return bad(cudaErrorInvalidConfiguration,
               "a grid can have at most 2147483647 blocks along x, and at most 65535 along y and "
               "along z");
  if (threads > static_cast<std::uint64_t>(most_threads_of(facts_of(kernel.entry))))
    return bad(cudaErrorInvalidValue,
               "a block has more threads than the kernel's __launch_bounds__ allow");
  if (size.dynamic_shared > shared_limit_of(kernel))
    return bad(cudaErrorInvalidValue,
               "the launch requests more dynamic shared memory than a block can have. The limit is "
               "the value of cudaFuncAttributeMaxDynamicSharedMemorySize, by default 48 KB minus "
               "the __shared__ variables of the kernel");
  const auto blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  if (size.cooperative) {
    int fit = 0;
    occupancy(&fit, kernel.entry, static_cast<int>(threads), size.dynamic_shared);
    if (blocks > static_cast<std::uint64_t>(fit) * model::multiprocessors)
      return bad(cudaErrorCooperativeLaunchTooLarge,
                 "a cooperative launch has more blocks than fit on the device at once");
  }
  return cudaSuccess;
}

cudaError_t occupancy(int* blocks, const void* function, int block_size,
                      std::size_t dynamic_shared) {
  if (block_size <= 0) return failed(cudaErrorInvalidValue);
  const KernelFacts facts = facts_of(function);
  *blocks = 0;
  // The function is not known where its template arguments follow from a launch.
  if (block_size > most_threads_of(facts) ||
      (function != nullptr && dynamic_shared > dynamic_shared_limit_of(function)))
    return cudaSuccess;
  const int warps = (block_size + 31) / 32;
  const int fit =
      std::min(model::blocks_per_multiprocessor, model::threads_per_multiprocessor / 32 / warps);
  constexpr std::size_t step = model::shared_granularity;
  const std::size_t each =
      (facts.static_shared + dynamic_shared + model::shared_reserved_per_block + step - 1) / step *
      step;
  *blocks = std::min(fit, static_cast<int>(model::shared_per_multiprocessor / each));
  return cudaSuccess;
}

cudaError_t best_block(int* grid, int* block, const void* function, int most_threads,
                       std::size_t (*shared_of)(const void* context, int threads),
                       const void* context) {
  const int own = most_threads_of(facts_of(function));
  const int most = most_threads > 0 ? std::min(own, most_threads) : own;
  *grid = *block = 0;
  int most_running = 0;
  // Whole warps, the largest block first; also one that ends within a warp, if that is the limit.
  for (int warps = (most + 31) / 32; warps > 0; --warps) {
    const int threads = std::min(most, warps * 32);
    int blocks = 0;
    const cudaError_t error = occupancy(&blocks, function, threads, shared_of(context, threads));
    if (error != cudaSuccess) return error;
    if (blocks * threads <= most_running) continue;
    most_running = blocks * threads;
    *block = threads;
    *grid = blocks * model::multiprocessors;
  }
  return cudaSuccess;
}

void run_launch(const LaunchSize& size, const Kernel& kernel) {
  Launch launch;
  launch.size = size;
  launch.kernel = &kernel;
  launch.number = ++launches;
  launch.blocks = std::uint64_t{size.grid.x} * size.grid.y * size.grid.z;
  launch.threads = size.block.x * size.block.y * size.block.z;
  launch.seed = mixed(seed() ^ launch.number << 32);
  order_blocks(launch);
  find_code_of(reinterpret_cast<const void*>(kernel.run_threads));
  stepped::connect(reinterpret_cast<const void*>(kernel.run_threads));
  // Checks, counts and steps keep the state of one launch: host threads take turns.
  static std::mutex observed;
  std::unique_lock lock(observed, std::defer_lock);
  if (checking || counting || stepping) lock.lock();
  if (stepping) stepped::launch_started(launch);
  if (checking) checked::launch_started(launch);
  if (counting) counted::launch_started(launch);
  Workers::instance().run(launch);
  if (checking) {
    checked::launch_ended(launch);
    orders::compare(launch, [](Launch& again) { Workers::instance().run(again); });
  }
  if (counting) counted::launch_ended(launch);
}

std::uint64_t nanoseconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000ULL +
         static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t global_nanoseconds() {
  if (checking && current != nullptr) orders::cannot_repeat();
  return nanoseconds_now();
}

void fence(int scope) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (checking) checked::fence(scope);
  polled();
}

void fail_assert(const char* expression, const char* file, unsigned line, const char* function) {
  if (current == nullptr) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
    std::abort();
  }
  const ThreadContext& thread = *current;
  std::fflush(stdout);
  // CUDA's own wording: scripts look for it.
  std::fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
               file, line, function, thread.block_index.x, thread.block_index.y,
               thread.block_index.z, thread.thread.x, thread.thread.y, thread.thread.z, expression);
  set_sticky_error(cudaErrorAssert);
  char why[160];
  std::snprintf(why, sizeof(why), "the assertion `%s` failed", expression);
  worker->abandon(why);
}

void trap(Site site) {
  set_sticky_error(cudaErrorLaunchFailure);
  report_failure("a kernel called __trap", site);
  worker->abandon("a kernel called __trap");
}

void refuse(const char* what, Site site) {
  std::fflush(stdout);
  report_failure(what, site);
  // Not an error that a program could overlook.
  std::_Exit(refused_exit_code);
}

extern "C" void opsmith_gpu_blocks_depend_on_each_other() {
  blocks_are_independent = false;
}

}  // namespace opsmith::gpu
