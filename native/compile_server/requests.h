#pragma once

// One piece of work as the engine asks for it: a compile, a JSON object on a line of stdin:
//   {"id":3,"folder":"PROJECT","source":"op.cpp","output":"CACHE/a.o","log":"CACHE/a.txt",
//    "depfile":"CACHE/a.d","defines":["TORCH_EXTENSION_NAME=my_op"],"includes":["include","."],
//    "warnings":["all"],"isGpu":false}
// With a linker that joins what they make, two processes may compile a source:
//   {"id":5,…,"join":["/usr/bin/ld.gold","-r"]}
// `source` and `includes` may be relative to `folder`; everything else is absolute.
// A request can also run a program. The linker starts sooner from here than from a large process:
//   {"id":4,"folder":"PROJECT","log":"CACHE/a.txt","command":["/usr/bin/ld.lld","-shared"]}

#include <optional>
#include <string>
#include <vector>

namespace opsmith::compile_server {

struct request {
  long long id = 0;
  std::string folder;
  std::string source;
  std::string output;
  std::string log;
  std::string depfile;
  std::vector<std::string> defines;
  std::vector<std::string> includes;
  std::vector<std::string> warnings;  ///< without the dash and the W
  bool is_gpu = false;                ///< device code of the virtual GPU
  std::vector<std::string> join;      ///< a linker and its flags; empty for one process
  std::vector<std::string> command;   ///< empty for a compile
};

/// @returns nothing for a line that is no request.
std::optional<request> parse_request(const std::string& line);

/// Says on stdout that the work has begun in process `pid`.
void say_started(long long id, int pid);

/// A line for stdout: how the process of work `id` ended, by what waitpid() told of it.
std::string ended_text(long long id, int status);

/// Says on stdout how the process of work `id` ended, by what waitpid() told of it.
void say_ended(long long id, int status);

/// Says on stdout that requests are taken; `seconds` is what the headers took.
void say_ready(double seconds);

}  // namespace opsmith::compile_server
