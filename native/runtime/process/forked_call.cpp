#include "runtime/process/forked_call.h"

#include <ATen/Parallel.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

namespace opsmith {
namespace {

constexpr int fatal_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// A message on the pipe: 'A' and the answer, or 'S', the signal and the address.
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

void report_signal(int number, siginfo_t* info, void*) {
  SignalMessage message;
  message.signal = number;
  message.address = reinterpret_cast<uintptr_t>(info->si_addr);
  write_all(&message, sizeof message);
  _exit(1);
}

[[noreturn]] void be_the_copy(const std::function<std::string()>& work, pid_t parent) {
  for (const int number : fatal_signals) {
    struct sigaction action{};
    action.sa_sigaction = report_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(number, &action, nullptr);
  }
  // Not longer than the op host itself, which may be ended while it waits.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  // Threads that the work starts would find the pool of the process that was copied, half gone.
  at::set_num_threads(1);
  // An answer that never comes: the parent waits no longer than this either.
  alarm(120);
  const auto answer = "A" + work();
  write_all(answer.data(), answer.size());
  _exit(0);
}

ForkedOutcome read_answer(const std::string& text, bool timed_out) {
  ForkedOutcome outcome;
  if (timed_out) {
    outcome.end = ForkedOutcome::End::timed_out;
  } else if (!text.empty() && text[0] == 'A') {
    outcome.end = ForkedOutcome::End::answered;
    outcome.answer = text.substr(1);
  } else {
    outcome.end = ForkedOutcome::End::signalled;
    outcome.signal = SIGKILL;
    if (text.size() >= sizeof(SignalMessage)) {
      SignalMessage message;
      std::memcpy(&message, text.data(), sizeof message);
      outcome.signal = message.signal;
      outcome.address = message.address;
    }
  }
  return outcome;
}

}  // namespace

std::string ForkedOutcome::describe() const {
  switch (end) {
    case End::answered:
      return "";
    case End::timed_out:
      return "no end: it was stopped after its time";
    case End::not_started:
      return "the process could not be copied";
    case End::signalled:
      break;
  }
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
      return "a memory fault";
    case SIGFPE:
      return "an arithmetic fault (division of integers by zero)";
    case SIGABRT:
      return "an abort (assert, or an exception that nobody caught)";
    default:
      return std::string("signal ") + std::to_string(signal);
  }
}

ForkedOutcome run_forked(const std::function<std::string()>& work, double seconds) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  // Threads of the pool do not exist in the copy.
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    answer_pipe = ends[1];
    be_the_copy(work, parent);
  }
  at::set_num_threads(threads);
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return {};
  }
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::string text;
  bool timed_out = false;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) {
      timed_out = true;
      break;
    }
    pollfd waiting{ends[0], POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) continue;
    char buffer[4096];
    const ssize_t count = read(ends[0], buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(buffer, static_cast<size_t>(count));
  }
  close(ends[0]);
  if (timed_out) kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  auto outcome = read_answer(text, timed_out);
  outcome.process = child;
  return outcome;
}

}  // namespace opsmith
