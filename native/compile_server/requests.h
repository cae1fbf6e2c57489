#pragma once

// One compile as the engine asks for it, a JSON object on a line of stdin:
//   {"id":3,"folder":"PROJECT","source":"op.cpp","output":"CACHE/a.o","log":"CACHE/a.txt",
//    "depfile":"CACHE/a.d","defines":["TORCH_EXTENSION_NAME=my_op"],"includes":["include","."],
//    "warnings":["all"],"isGpu":false}
// `source` and `includes` may be relative to `folder`; everything else is absolute.

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
};

/// @returns nothing for a line that is no request.
std::optional<request> parse_request(const std::string& line);

/// Says on stdout that a compile has begun in process `pid`.
void say_started(long long id, int pid);

/// Says on stdout how process of compile `id` ended, by what waitpid() told of it.
void say_ended(long long id, int status);

/// Says on stdout that requests are taken; `seconds` is what the headers took.
void say_ready(double seconds);

}  // namespace opsmith::compile_server
