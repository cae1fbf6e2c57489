// What is known when user code ends the process: a text file that the parent reads afterwards.
//
// The file holds one record after another, oldest first (a dump, then perhaps the signal that
// followed). A record is lines of `KEY VALUE`, the first of which is `reason` and the last `end`; a
// record without `end` was cut short by a second fault and is still worth reading. Keys, each at
// most once but the last two; readers skip keys they do not know:
//
//   reason signal|terminate|exit|memory|processes|dump
//   phase TEXT                 what the host was doing; absent when idle
//   chain N                    operators in one chain of the graph that the call works on, if many
//   thread call|script|other   which thread it happened on: the call thread, JavaScript's, another
//   signal N                   (signal) the number
//   code N                     (signal) si_code; 0 and below: sent by kill() and the like
//   sender PID                 (signal) who sent it, when it was another process
//   address 0xADDR             (signal) that faulted, for SIGSEGV, SIGBUS, SIGFPE and SIGILL
//   stack 0xLOW 0xHIGH         bounds of the call thread's stack, guard page left out
//   overflow 1                 (signal) the fault lies at the end of the thread's stack
//   message TEXT               (terminate) "TYPE: what()"; newlines are \n, backslashes doubled
//   closed N                   descriptors of Node's own that were closed, or are other files now
//   status N                   (exit) what exit() was called with
//   resident N                 (memory) bytes, of the process and its descendants
//   processes N                (memory, processes) descendants that ran
//   limit N                    (memory) bytes, (processes) descendants
//   frame 0xADDR               return addresses, innermost first; the first of a signal is where it
//                              stopped
//   module 0xBASE PATH         load address of every mapped file; ADDR - BASE is what addr2line
//                              wants
//   end
//
// A std::terminate leads to one record "terminate"; the SIGABRT that follows adds none. The process
// then ends by the signal's default action, so the parent sees the same signal.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <string>

namespace opsmith {

// Installs the handlers and opens `path` for appending (made if absent). Throws Failure (io) if it
// cannot be opened. Call it on the JavaScript thread, after libtorch is loaded; again moves the
// report.
void install_crash_report(const std::string& path);

// Writes a record "dump" with the stack of the running call; the process goes on. False when no
// call runs, or it did not answer within a second. Must not be called from the call thread.
bool dump_call_stack();

// The call thread's first act.
void adopt_call_thread();

// While it lives, the call thread runs a call, and reports name its phase: "call my_op::f".
class RunningCall {
 public:
  explicit RunningCall(const std::string& phase);
  ~RunningCall();
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;
};
// The running call works on a graph of which so many operators are in one chain: deep enough for
// libtorch's passes, which recurse along it, to need more stack than there is.
void note_deep_graph(int64_t operators);

// ---- copies of the process (forked_call.h). Nothing happens where no crash report was installed.

// In a copy, before anything else runs in it: its records go to `descriptor` from now on.
void report_copy_to(int descriptor);

// In a handler of a fatal signal: the record of it.
void write_signal_record(int signal_number, siginfo_t* info, void* context);

// No dump shows the calling thread from now on.
void block_dumps();

// Asks a copy for a record "dump" and waits for its end, up to a second. Safe in a signal handler.
void ask_copy_for_dump(pid_t copy, int descriptor);

// While one lives, a dump of the running call is one of the copy that it waits for, which writes
// its records to `descriptor`.
class AnsweredByCopy {
 public:
  AnsweredByCopy(pid_t copy, int descriptor);
  ~AnsweredByCopy();
  AnsweredByCopy(const AnsweredByCopy&) = delete;
  AnsweredByCopy& operator=(const AnsweredByCopy&) = delete;
};

// Writes a record "memory" with the stack of the running call, then kills the descendants and ends
// the process with status 137.
[[noreturn]] void end_out_of_memory(uint64_t resident_bytes, uint64_t limit_bytes,
                                    int64_t processes);

// The same with a record "processes".
[[noreturn]] void end_too_many_processes(int64_t processes, int64_t limit);

}  // namespace opsmith
