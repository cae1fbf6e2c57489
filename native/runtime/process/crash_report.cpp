#include "runtime/process/crash_report.h"

#include <cxxabi.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>

#include "runtime/failure.h"
#include "runtime/process/process_tree.h"
#include "runtime/report_writer.h"

namespace opsmith {
namespace {

constexpr int max_frames = 128;
constexpr size_t signal_stack_bytes = 256u << 10;
constexpr int dump_signal = SIGUSR2;  // SIGUSR1 is Node's: it starts the debugger
constexpr int fatal_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};

// Text that one thread sets and a signal handler reads: two buffers, the index flips when one is
// whole.
class PhaseText {
 public:
  void set(std::string_view text) {
    std::lock_guard lock(mutex_);
    const int next = 1 - current_.load();
    const size_t size = std::min(text.size(), sizeof(buffers_[0]) - 1);
    memcpy(buffers_[next], text.data(), size);
    buffers_[next][size] = '\0';
    current_ = next;
  }
  const char* get() const { return buffers_[current_.load()]; }

 private:
  std::mutex mutex_;
  std::atomic<int> current_{0};
  char buffers_[2][512] = {};
};

// Return addresses, innermost first.
struct Frames {
  int count = 0;
  uintptr_t addresses[max_frames];
  void add(uintptr_t address) {
    if (count < max_frames) addresses[count++] = address;
  }
};

// A file by what a descriptor of it says.
struct OpenFile {
  int descriptor = -1;
  dev_t device = 0;
  ino_t number = 0;

  // Whether the descriptor is open, and of this file: user code may close and reuse any.
  bool is_open() const {
    struct stat status = {};
    return descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_dev == device &&
           status.st_ino == number;
  }
};

constexpr int most_watched = 64;

// Plain and static: handlers may run at any time, static destruction included.
struct State {
  // A process that user code forks off has these handlers too, and is none of the engine's
  // business.
  pid_t process = 0;
  OpenFile report;
  char report_path[4096] = {};
  OpenFile watched[most_watched];  // what Node's event loop cannot be without
  int watched_count = 0;
  PhaseText call_phase;  // the running call's
  std::atomic<int64_t> graph_chain{0};
  std::atomic<bool> in_call{false};
  std::atomic<bool> has_call_thread{false};
  pthread_t call_thread{};
  uintptr_t stack_low = 0;
  uintptr_t stack_high = 0;
  pthread_t script_thread{};
  char fixed_module[1024] = {};
  std::atomic<pid_t> writer{0};        // the thread that writes a record
  std::atomic<bool> ending{false};     // a record that ends the process was begun
  std::atomic<bool> explained{false};  // by terminate: the SIGABRT to come adds nothing
  std::atomic<int> dumps{0};
  // For the memory watchdog: the dump handler leaves the frames here and writes nothing.
  std::atomic<bool> wants_frames{false};
  Frames call_frames;
  // The copy of the process that the call thread waits for, and where that one writes its records.
  std::atomic<pid_t> copy{0};
  std::atomic<int> copy_descriptor{-1};
};
State& state = *new State();

OpenFile describe_descriptor(int descriptor, mode_t* type = nullptr) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) return {};
  if (type != nullptr) *type = status.st_mode & S_IFMT;
  return {descriptor, status.st_dev, status.st_ino};
}

int open_report() {
  return open(state.report_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

// The report, opened again where user code has closed it. In a signal handler too.
int report_descriptor() {
  if (state.report_path[0] == '\0') return -1;
  if (!state.report.is_open()) state.report = describe_descriptor(open_report());
  return state.report.descriptor;
}

// Sockets, pipes and what has no name (epoll, events): they are open for as long as the process
// lives.
void watch_descriptors() {
  for (int descriptor = 3; descriptor < 1024 && state.watched_count < most_watched; ++descriptor) {
    mode_t type = S_IFREG;
    const auto file = describe_descriptor(descriptor, &type);
    if (file.descriptor < 0 || (type != S_IFSOCK && type != S_IFIFO && type != 0)) continue;
    state.watched[state.watched_count++] = file;
  }
}

int count_closed() {
  int closed = 0;
  for (int i = 0; i < state.watched_count; ++i)
    closed += state.watched[i].is_open() ? 0 : 1;
  return closed;
}

bool is_op_host() {
  return getpid() == state.process;
}

bool is_call_thread() {
  return state.has_call_thread && pthread_equal(pthread_self(), state.call_thread) != 0;
}

const char* thread_name() {
  if (is_call_thread()) return "call";
  return pthread_equal(pthread_self(), state.script_thread) != 0 ? "script" : "other";
}

// One record at a time. False when another thread is ending the process: there is nothing to add.
bool take_writer(bool ends_process) {
  const pid_t self = gettid();
  for (;;) {
    if (ends_process && state.ending.exchange(true) && state.writer != self) return false;
    pid_t nobody = 0;
    if (state.writer.compare_exchange_strong(nobody, self)) return true;
    if (nobody == self) return true;  // a fault while this thread wrote a dump
    if (!ends_process) return false;
    state.ending = false;
    const timespec pause = {0, 1000000};
    nanosleep(&pause, nullptr);
  }
}

void begin_record(ReportWriter& out, std::string_view reason) {
  // User code may have written to the report too.
  out.text("\nreason ").text(reason).line();
  const char* phase = state.call_phase.get();
  if (state.in_call && *phase != '\0') {
    out.text("phase ").escaped(phase);
    out.line();
    if (state.graph_chain > 0) out.text("chain ").number(state.graph_chain).line();
  }
  out.text("thread ").text(thread_name()).line();
  if (is_call_thread()) {
    out.text("stack ").hex(state.stack_low).text(" ").hex(state.stack_high).line();
  }
  if (const int closed = count_closed(); closed > 0) out.text("closed ").number(closed).line();
}

struct Registers {
  uintptr_t pc = 0, stack_pointer = 0, frame_pointer = 0;
};

Registers registers_of(const void* context) {
  Registers registers;
  if (context == nullptr) return registers;
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  registers.pc = static_cast<uintptr_t>(machine.gregs[REG_RIP]);
  registers.stack_pointer = static_cast<uintptr_t>(machine.gregs[REG_RSP]);
  registers.frame_pointer = static_cast<uintptr_t>(machine.gregs[REG_RBP]);
#elif defined(__aarch64__)
  registers.pc = machine.pc;
  registers.stack_pointer = machine.sp;
  registers.frame_pointer = machine.regs[29];
#endif
  return registers;
}

// For a jump to a bad address, which no unwinder passes: the return address on top of the stack,
// then the chain of frame pointers, read so that a wild one cannot fault.
void collect_by_hand(Frames& frames, const Registers& at) {
  const auto read = [](uintptr_t from, uintptr_t* words, size_t count) {
    iovec local = {words, count * sizeof(uintptr_t)};
    iovec remote = {reinterpret_cast<void*>(from), count * sizeof(uintptr_t)};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) ==
           static_cast<ssize_t>(count * sizeof(uintptr_t));
  };
  uintptr_t words[2];
  if (read(at.stack_pointer, words, 1)) frames.add(words[0]);
  uintptr_t frame_pointer = at.frame_pointer;
  for (int i = 0; i < 32 && frame_pointer % 8 == 0 && read(frame_pointer, words, 2); ++i) {
    if (words[1] < 4096) break;
    frames.add(words[1]);
    if (words[0] <= frame_pointer) break;
    frame_pointer = words[0];
  }
}

// Frames of this thread. In a signal handler `context` is the handler's third argument, and the
// handler's own frames are left out; elsewhere it is null and `skip` frames are left out.
void collect(Frames& frames, const void* context, int skip) {
  void* addresses[max_frames];
  const int count = backtrace(addresses, max_frames);
  int first = skip;
  if (context != nullptr) {
    const Registers at = registers_of(context);
    frames.add(at.pc);
    first = count;
    for (int i = 0; i < count; ++i) {
      if (reinterpret_cast<uintptr_t>(addresses[i]) == at.pc) first = i + 1;
    }
    if (first >= count) collect_by_hand(frames, at);
  }
  for (int i = first; i < count; ++i)
    frames.add(reinterpret_cast<uintptr_t>(addresses[i]));
}

void write_frames(ReportWriter& out, const Frames& frames) {
  for (int i = 0; i < frames.count; ++i)
    out.text("frame ").hex(frames.addresses[i]).line();
}

void write_stack(ReportWriter& out, const void* context, int skip) {
  // The rest of the record must survive a fault in the unwinder.
  out.flush();
  Frames frames;
  collect(frames, context, skip);
  write_frames(out, frames);
}

void end_record(ReportWriter& out) {
  out.flush();
  write_modules(out, state.fixed_module);
  out.text("end\n");
  out.flush();
}

// A fault just below the stack pointer, in memory that is not there, is a stack that ran out: all
// of a stack near its pointer is mapped otherwise. The call thread's bounds are known exactly.
bool is_stack_overflow(int signal, uintptr_t address, uintptr_t stack_pointer) {
  if (signal != SIGSEGV && signal != SIGBUS) return false;
  constexpr uintptr_t slack = 256u << 10;
  if (is_call_thread()) {
    return address < state.stack_low + 4096 && address + slack >= state.stack_low;
  }
  return address != 0 && address <= stack_pointer + 4096 && address + slack >= stack_pointer;
}

void end_by_default_action(int signal_number) {
  signal(signal_number, SIG_DFL);
  raise(signal_number);  // blocked here; delivered when the handler returns
}

void write_record_of(int signal_number, siginfo_t* info, void* context) {
  if (!take_writer(true)) {
    for (;;)
      pause();  // another thread is ending the process
  }
  ReportWriter out(report_descriptor());
  begin_record(out, "signal");
  out.text("signal ").number(signal_number).line();
  out.text("code ").number(info->si_code).line();
  if (info->si_code <= 0) {
    if (info->si_pid != getpid()) out.text("sender ").number(info->si_pid).line();
  } else if (signal_number != SIGTRAP) {
    const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    out.text("address ").hex(address).line();
    if (is_stack_overflow(signal_number, address, registers_of(context).stack_pointer)) {
      out.text("overflow 1\n");
    }
  }
  write_stack(out, context, 0);
  end_record(out);
}

void on_fatal_signal(int signal_number, siginfo_t* info, void* context) {
  const bool is_explained = signal_number == SIGABRT && state.explained;
  if (is_op_host() && !is_explained) write_record_of(signal_number, info, context);
  end_by_default_action(signal_number);
}

// The records that a copy has written, into the report of this process.
void pass_on_records(int from) {
  char buffer[4096];
  off_t offset = 0;
  for (;;) {
    const ssize_t count = pread(from, buffer, sizeof buffer, offset);
    if (count <= 0) return;
    ReportWriter(report_descriptor()).text({buffer, static_cast<size_t>(count)});
    offset += count;
  }
}

void on_dump_signal(int, siginfo_t*, void* context) {
  const int saved_errno = errno;
  if (state.wants_frames) {
    collect(state.call_frames, context, 0);
    state.dumps.fetch_add(1);
  } else if (const pid_t copy = state.copy; copy > 0) {
    ask_copy_for_dump(copy, state.copy_descriptor);
    pass_on_records(state.copy_descriptor);
    state.dumps.fetch_add(1);
  } else if (take_writer(false)) {
    {
      ReportWriter out(report_descriptor());
      begin_record(out, "dump");
      write_stack(out, context, 0);
      end_record(out);
    }
    state.writer = 0;
    state.dumps.fetch_add(1);
  }
  errno = saved_errno;
}

// "TYPE: what()" of the exception that nobody caught; "" when terminate was called without one.
std::string uncaught_message() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "";
  std::string name = demangle(type->name());
  try {
    throw;
  } catch (const std::exception& error) {
    // libtorch's what() holds the words first and its C++ backtrace after this line.
    std::string text = error.what();
    const size_t backtrace = text.find("\nException raised from ");
    if (backtrace != std::string::npos) text.resize(backtrace);
    return name + ": " + text;
  } catch (...) {
    return name;
  }
}

[[noreturn]] void on_terminate() {
  if (is_op_host() && take_writer(true)) {
    const std::string message = uncaught_message();
    ReportWriter out(report_descriptor());
    begin_record(out, "terminate");
    if (!message.empty()) out.text("message ").escaped(message).line();
    write_stack(out, nullptr, 2);
    end_record(out);
    state.explained = true;
    // What the operator printed without a newline.
    fflush(stdout);
  }
  abort();
}

// exit() called by user code: the parent must learn of it, and the destructors of libraries that
// are in use must not run. On the JavaScript thread it is the host itself that ends, which is no
// incident.
void on_process_exit(int status, void*) {
  if (!state.in_call || !is_op_host()) return;
  if (pthread_equal(pthread_self(), state.script_thread) == 0 && take_writer(true)) {
    ReportWriter out(report_descriptor());
    begin_record(out, "exit");
    out.text("status ").number(status).line();
    write_stack(out, nullptr, 2);
    end_record(out);
    fflush(nullptr);
  }
  _exit(status);
}

// Handlers need a stack of their own when the thread's has run out; it is per thread.
void give_signal_stack() {
  stack_t present = {};
  if (sigaltstack(nullptr, &present) == 0 && (present.ss_flags & SS_DISABLE) == 0 &&
      present.ss_size >= signal_stack_bytes) {
    return;
  }
  void* memory =
      mmap(nullptr, signal_stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = signal_stack_bytes;
  sigaltstack(&stack, nullptr);
}

// The executable, when it is linked to a fixed address as Node's is: its addresses are not
// relative.
void find_fixed_module() {
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void*) {
        if (info->dlpi_addr == 0 && info->dlpi_name[0] == '\0') {
          const ssize_t size =
              readlink("/proc/self/exe", state.fixed_module, sizeof(state.fixed_module) - 1);
          state.fixed_module[size > 0 ? size : 0] = '\0';
        }
        return 1;  // the executable comes first
      },
      nullptr);
}

void handle(int signal_number, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal_number, &action, nullptr);
}

}  // namespace

void install_crash_report(const std::string& path) {
  const bool is_first = state.report_path[0] == '\0';
  if (state.report.is_open()) close(state.report.descriptor);
  path.copy(state.report_path, sizeof(state.report_path) - 1);
  state.report_path[std::min(path.size(), sizeof(state.report_path) - 1)] = '\0';
  const int opened = open_report();
  if (opened < 0) {
    throw Failure(ErrorCode::io,
                  "The crash report " + path + " cannot be written: " + strerror(errno) + ".");
  }
  state.report = describe_descriptor(opened);
  if (!is_first) return;
  state.process = getpid();
  watch_descriptors();
  state.script_thread = pthread_self();
  find_fixed_module();
  // The first call loads libgcc and allocates; no handler may.
  void* primer[4];
  backtrace(primer, 4);
  give_signal_stack();
  for (int signal_number : fatal_signals)
    handle(signal_number, on_fatal_signal);
  handle(dump_signal, on_dump_signal);
  std::set_terminate(on_terminate);
  on_exit(on_process_exit, nullptr);
  // stdout is a pipe here: by line, so that a crash takes no more than the line being printed.
  setvbuf(stdout, nullptr, _IOLBF, 1 << 16);
}

bool dump_call_stack() {
  if (state.report_path[0] == '\0' || !state.in_call || !state.has_call_thread) return false;
  const int before = state.dumps;
  if (pthread_kill(state.call_thread, dump_signal) != 0) return false;
  for (int waited = 0; waited < 1000; ++waited) {
    if (state.dumps != before) return true;
    usleep(1000);
  }
  return false;
}

void adopt_call_thread() {
  give_signal_stack();
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* low = nullptr;
    size_t size = 0;
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    state.stack_low = reinterpret_cast<uintptr_t>(low);
    state.stack_high = state.stack_low + size;
  }
  state.call_thread = pthread_self();
  state.has_call_thread = true;
}

RunningCall::RunningCall(const std::string& phase) {
  state.call_phase.set(phase);
  state.graph_chain = 0;
  state.in_call = true;
}

void note_deep_graph(int64_t operators) {
  state.graph_chain = operators;
}

RunningCall::~RunningCall() {
  state.in_call = false;
  state.call_phase.set("");
}

void report_copy_to(int descriptor) {
  if (state.report_path[0] == '\0') return;
  // From here on this process is the one that reports.
  state.process = getpid();
  state.report = describe_descriptor(descriptor);
  snprintf(state.report_path, sizeof state.report_path, "/proc/self/fd/%d", descriptor);
  state.writer = 0;
  state.ending = false;
  state.explained = false;
  state.copy = 0;
}

void write_signal_record(int signal_number, siginfo_t* info, void* context) {
  const bool is_explained = signal_number == SIGABRT && state.explained;
  if (state.report_path[0] != '\0' && !is_explained) write_record_of(signal_number, info, context);
}

void block_dumps() {
  sigset_t dumps;
  sigemptyset(&dumps);
  sigaddset(&dumps, dump_signal);
  pthread_sigmask(SIG_BLOCK, &dumps, nullptr);
}

void ask_copy_for_dump(pid_t copy, int descriptor) {
  if (state.report_path[0] == '\0') return;
  const auto size = [&] {
    struct stat file = {};
    return fstat(descriptor, &file) == 0 ? file.st_size : 0;
  };
  const off_t before = size();
  kill(copy, dump_signal);
  for (int waited = 0; waited < 800; ++waited) {
    char last[4] = {};
    const off_t now = size();
    const bool is_whole = now > before + 4 && pread(descriptor, last, sizeof last, now - 4) == 4 &&
                          memcmp(last, "end\n", 4) == 0;
    if (is_whole) return;
    const timespec pause = {0, 1000000};
    nanosleep(&pause, nullptr);
  }
}

AnsweredByCopy::AnsweredByCopy(pid_t copy, int descriptor) {
  state.copy_descriptor = descriptor;
  state.copy = copy;
}

AnsweredByCopy::~AnsweredByCopy() {
  state.copy = 0;
}

namespace {

// `write_numbers` adds what is special about this reason.
template <typename WriteNumbers>
[[noreturn]] void end_over_limit(std::string_view reason, WriteNumbers write_numbers) {
  if (state.report_path[0] != '\0') {
    state.wants_frames = true;
    const bool has_frames = dump_call_stack();
    if (take_writer(true)) {
      ReportWriter out(report_descriptor());
      begin_record(out, reason);
      write_numbers(out);
      if (has_frames) write_frames(out, state.call_frames);
      end_record(out);
    }
  }
  end_descendants();
  _exit(137);
}

}  // namespace

void end_out_of_memory(uint64_t resident_bytes, uint64_t limit_bytes, int64_t processes) {
  end_over_limit("memory", [&](ReportWriter& out) {
    out.text("resident ").number(static_cast<int64_t>(resident_bytes)).line();
    if (processes > 0) out.text("processes ").number(processes).line();
    out.text("limit ").number(static_cast<int64_t>(limit_bytes)).line();
  });
}

void end_too_many_processes(int64_t processes, int64_t limit) {
  end_over_limit("processes", [&](ReportWriter& out) {
    out.text("processes ").number(processes).line();
    out.text("limit ").number(limit).line();
  });
}

}  // namespace opsmith
