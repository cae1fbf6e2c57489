#include "runtime/process/forked_call.h"

#include <ATen/Parallel.h>
#include <ATen/ThreadLocalState.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "runtime/clock.h"
#include "runtime/process/call_thread.h"
#include "runtime/process/crash_report.h"
#include "runtime/process/memory_limit.h"
#include "runtime/process/process_tree.h"
#include "runtime/process/shared_value.h"
#include "runtime/process/tensor_memory.h"

namespace opsmith {
namespace {

constexpr int fatal_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
thread_local int without_copies = 0;

constexpr size_t most_printed = 4096;
constexpr size_t most_report = 256u << 10;
// Seconds that the writing of a stack may take.
constexpr double report_patience = 3;

// A message on the pipe: 'A' and the answer, or 'S', the signal and the address. A 'N' before it,
// of a copy that makes several calls, says that the next one begins: it has its time from then on.
int answer_pipe = -1;

struct SignalMessage {
  char kind = 'S';
  int signal = 0;
  uintptr_t address = 0;
};

void write_all(const void* data, size_t size) {
  const auto* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t count = write(answer_pipe, next, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    next += count;
    size -= static_cast<size_t>(count);
  }
}

void report_signal(int number, siginfo_t* info, void* context) {
  SignalMessage message;
  message.signal = number;
  message.address = reinterpret_cast<uintptr_t>(info->si_addr);
  write_all(&message, sizeof message);
  write_signal_record(number, info, context);
  _exit(1);
}

struct ThreadedWork {
  const std::function<std::string()>& work;
  int threads;
  at::ThreadLocalState state;
  std::string answer;
};

// The pool of at::parallel_for belongs to the thread that first used it: the copied thread's has
// lost its threads, a new thread makes its own.
std::string work_in_new_thread(const std::function<std::string()>& work, int threads) {
  ThreadedWork given{work, threads, at::ThreadLocalState(), ""};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, call_stack_bytes);
  pthread_t thread;
  const int error = pthread_create(
      &thread, &attributes,
      [](void* data) -> void* {
        auto& own = *static_cast<ThreadedWork*>(data);
        adopt_call_thread();
        const at::ThreadLocalStateGuard guard(own.state);
        at::set_num_threads(own.threads);
        own.answer = own.work();
        return nullptr;
      },
      &given);
  pthread_attr_destroy(&attributes);
  if (error != 0) {
    at::set_num_threads(1);
    return work();
  }
  block_dumps();  // the thread that works answers them
  pthread_join(thread, nullptr);
  return std::move(given.answer);
}

// An answer that never comes: the parent waits no longer than this either.
void end_after(double seconds) {
  alarm(static_cast<unsigned>(std::ceil(seconds + 2 * report_patience)));
}

[[noreturn]] void be_the_copy(const std::function<std::string()>& work, pid_t parent,
                              double seconds, int threads) {
  for (const int number : fatal_signals) {
    struct sigaction action{};
    action.sa_sigaction = report_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(number, &action, nullptr);
  }
  // Not longer than the op host itself, which may be ended while it waits.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  end_after(seconds);
  keep_freed_memory();
  std::string answer;
  if (threads > 1) {
    answer = "A" + work_in_new_thread(work, threads);
  } else {
    at::set_num_threads(1);
    answer = "A" + work();
  }
  write_all(answer.data(), answer.size());
  _exit(0);
}

// A fork copies the page tables, and its end frees them: that took half the time of an operator
// check, which forks hundreds of times. libtorch leaves 50 MB in the heap; in pages of 2 MiB their
// tables are 500 times smaller. Before Linux 6.1 nothing changes.
void use_large_pages_for_heap() {
  FILE* maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return;
  char line[512];
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    uintptr_t begin = 0, end = 0;
    if (std::strstr(line, "[heap]") == nullptr) continue;
    if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) != 2) continue;
    constexpr int collapse = 25;  // MADV_COLLAPSE, which older headers of libc lack
    madvise(reinterpret_cast<void*>(begin), end - begin, collapse);
  }
  std::fclose(maps);
}

// Both ends of a pipe; -1 once closed.
struct Pipe {
  int ends[2] = {-1, -1};

  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0) ends[0] = ends[1] = -1;
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool is_open() const { return ends[0] >= 0; }
  void close_end(int end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
};

// A file without a name that both processes see.
struct ReportFile {
  int descriptor = memfd_create("opsmith-copy", MFD_CLOEXEC);

  ReportFile() = default;
  ~ReportFile() {
    if (descriptor >= 0) close(descriptor);
  }
  ReportFile(const ReportFile&) = delete;
  ReportFile& operator=(const ReportFile&) = delete;

  std::string text() const {
    std::string text(most_report, '\0');
    const ssize_t count = pread(descriptor, text.data(), text.size(), 0);
    text.resize(count > 0 ? static_cast<size_t>(count) : 0);
    return text;
  }
};

// The copy seen from the process that waits for it.
class Copy {
 public:
  Copy(pid_t process, Pipe& answers, Pipe& output, const ReportFile& report)
      : process_(process), answers_(answers), output_(output), report_(report) {}

  // next_seconds: of the call that begins with each 'N'.
  ForkedOutcome wait(double seconds, const std::function<double()>& next_seconds) {
    const AnsweredByCopy dumps(process_, report_.descriptor);
    const OwnMemoryLimit limited(process_);
    read_answer(seconds, next_seconds);
    int status = 0;
    if (timed_out_) {
      ask_copy_for_dump(process_, report_.descriptor);
      kill(process_, SIGKILL);
    }
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    read_output();
    auto outcome = outcome_of(status);
    outcome.process = process_;
    if (outcome.end != ForkedOutcome::End::answered) {
      outcome.report = report_.text();
      outcome.printed = std::move(printed_);
    }
    return outcome;
  }

 private:
  bool has_signal_message() const {
    return text_.size() >= sizeof(SignalMessage) && text_[0] == 'S';
  }

  void read_answer(double seconds, const std::function<double()>& next_seconds) {
    const auto after = [](double time) {
      return Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(time));
    };
    auto end = after(seconds);
    const uint64_t limit = memory_limit();
    bool is_ending = false;
    for (;;) {
      if (Clock::now() >= end) {
        if (is_ending) kill(process_, SIGKILL);
        timed_out_ = !is_ending;
        return;
      }
      constexpr int look_every = 20;  // milliseconds
      pollfd waiting[] = {{answers_.ends[0], POLLIN, 0}, {output_.ends[0], POLLIN, 0}};
      const int ready = poll(waiting, 2, look_every);
      if (ready < 0 && errno == EINTR) continue;
      if (limit > 0 && resident_bytes(process_) > limit) kill(process_, SIGKILL);
      if (waiting[1].revents != 0) read_output();
      if (waiting[0].revents == 0) continue;
      char buffer[4096];
      const ssize_t count = read(answers_.ends[0], buffer, sizeof buffer);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return;
      text_.append(buffer, static_cast<size_t>(count));
      while (next_seconds && !text_.empty() && text_[0] == 'N') {
        text_.erase(0, 1);
        end = after(next_seconds());
      }
      if (is_ending || !has_signal_message()) continue;
      is_ending = true;
      end = after(report_patience);
    }
  }

  // What there is by now; a process that the copy started may keep the pipe open for ever.
  void read_output() {
    char buffer[4096];
    for (;;) {
      const ssize_t count = read(output_.ends[0], buffer, sizeof buffer);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        if (count == 0) output_.close_end(0);
        return;
      }
      printed_.append(buffer, static_cast<size_t>(count));
      if (printed_.size() > most_printed) printed_.erase(0, printed_.size() - most_printed);
    }
  }

  ForkedOutcome outcome_of(int status) const {
    ForkedOutcome outcome;
    if (timed_out_) {
      outcome.end = ForkedOutcome::End::timed_out;
    } else if (!text_.empty() && text_[0] == 'A') {
      outcome.end = ForkedOutcome::End::answered;
      outcome.answer = text_.substr(1);
    } else if (has_signal_message()) {
      SignalMessage message;
      std::memcpy(&message, text_.data(), sizeof message);
      outcome.end = ForkedOutcome::End::signalled;
      outcome.signal = message.signal;
      outcome.address = message.address;
    } else if (WIFSIGNALED(status)) {
      outcome.end = ForkedOutcome::End::signalled;
      outcome.signal = WTERMSIG(status);
    } else {
      outcome.end = ForkedOutcome::End::exited;
      outcome.status = WEXITSTATUS(status);
    }
    return outcome;
  }

  pid_t process_;
  Pipe& answers_;
  Pipe& output_;
  const ReportFile& report_;
  std::string text_, printed_;
  bool timed_out_ = false;
};

// "free(): invalid pointer", of an abort that says why.
std::string last_line(const std::string& printed) {
  const auto end = printed.find_last_not_of("\n ");
  if (end == std::string::npos) return "";
  const auto before = printed.rfind('\n', end);
  const auto begin = before == std::string::npos ? 0 : before + 1;
  return printed.substr(begin, std::min(end + 1 - begin, size_t{160}));
}

// Of a record: what an exception that nobody caught says.
std::string uncaught_words(const std::string& report) {
  const std::string key = "\nmessage ";
  const auto found = report.find(key);
  if (found == std::string::npos) return "";
  const auto begin = found + key.size();
  const auto words = report.substr(begin, report.find('\n', begin) - begin);
  return words.substr(0, std::min(words.find("\\n"), size_t{160}));
}

}  // namespace

std::string ForkedOutcome::describe() const {
  switch (end) {
    case End::answered:
      return "";
    case End::timed_out:
      return "a timeout";
    case End::not_started:
      return "the process could not be forked, probably because memory ran out";
    case End::exited:
      return "exit(" + std::to_string(status) + ")";
    case End::signalled:
      break;
  }
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
      return "a memory fault";
    case SIGFPE:
      return "an arithmetic fault (division of integers by zero)";
    case SIGKILL:
      return "SIGKILL, probably because memory ran out";
    case SIGABRT: {
      if (const auto words = uncaught_words(report); !words.empty())
        return "an uncaught exception (" + words + ")";
      const auto line = last_line(printed);
      return line.empty() ? "an abort" : "an abort (" + line + ")";
    }
    default:
      return std::string("signal ") + std::to_string(signal);
  }
}

NoCopies::NoCopies() {
  ++without_copies;
}

NoCopies::~NoCopies() {
  --without_copies;
}

namespace {

ForkedOutcome run_copy(const std::function<std::string()>& work, double seconds,
                       CopyThreads threads, const std::function<double()>& next_seconds) {
  if (without_copies > 0) {
    ForkedOutcome here;
    here.end = ForkedOutcome::End::answered;
    here.answer = work();
    return here;
  }
  Pipe answers, output;
  const ReportFile report;
  if (!answers.is_open() || !output.is_open()) return {};
  fcntl(output.ends[0], F_SETFL, O_NONBLOCK);
  const int count = threads == CopyThreads::one ? 1 : at::get_num_threads();
  static std::once_flag first;
  std::call_once(first, use_large_pages_for_heap);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    answers.close_end(0);
    output.close_end(0);
    dup2(output.ends[1], STDOUT_FILENO);
    dup2(output.ends[1], STDERR_FILENO);
    answer_pipe = answers.ends[1];
    report_copy_to(report.descriptor);
    be_the_copy(work, parent, seconds, count);
  }
  answers.close_end(1);
  output.close_end(1);
  if (child < 0) return {};
  return Copy(child, answers, output, report).wait(seconds, next_seconds);
}

}  // namespace

ForkedOutcome run_forked(const std::function<std::string()>& work, double seconds,
                         CopyThreads threads) {
  return run_copy(work, seconds, threads, nullptr);
}

std::optional<ForkedFind> find_forked(
    const std::vector<ForkedWork>& works,
    const std::function<bool(size_t, const ForkedOutcome&)>& is_wanted) {
  if (works.empty()) return std::nullopt;
  const SharedValue<size_t> at(0);
  // Whoever corrupts memory may corrupt this too.
  const auto reached = [&](size_t first) { return std::clamp(*at, first, works.size() - 1); };
  for (size_t first = 0; first < works.size(); first = *at + 1) {
    *at = first;
    auto outcome = run_copy(
        [&]() -> std::string {
          for (size_t i = first; i < works.size(); ++i) {
            *at = i;
            if (i > first && without_copies == 0) {
              end_after(works[i].seconds);
              write_all("N", 1);
            }
            auto answer = works[i].work();
            if (!answer.empty()) return answer;
          }
          return "";
        },
        works[first].seconds, CopyThreads::pool, [&] { return works[reached(first)].seconds; });
    *at = reached(first);
    const bool answered = outcome.end == ForkedOutcome::End::answered;
    if (answered && outcome.answer.empty()) return std::nullopt;
    if (answered || outcome.end == ForkedOutcome::End::not_started || is_wanted(*at, outcome))
      return ForkedFind{*at, std::move(outcome)};
  }
  return std::nullopt;
}

}  // namespace opsmith
