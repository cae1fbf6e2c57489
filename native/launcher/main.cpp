// opsmith_launcher: starts a program that gets no descriptor of its parent's but the standard
// streams, in a sandbox where one is asked for.
//
//   opsmith_launcher [--channel] [--sandbox] [--write FOLDER]... PROGRAM [ARGUMENT]...
//       becomes the program. With --channel it has descriptor 3 too, an op host's connection to its
//       parent. With --sandbox it gets what holds of the sandbox in the variable OPSMITH_SANDBOX:
//       "files network signals".
//   opsmith_launcher --examine
//       prints what a sandbox would hold on this machine.
//   opsmith_launcher --gpus
//       prints what CUDA's driver says of itself and of the GPUs here (runtime/driver_report.h).
//
// Exit codes of its own: 2 for wrong arguments, 127 where the program cannot be started.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "launcher/sandbox.h"
#include "runtime/driver_report.h"

namespace opsmith::launcher {
namespace {

constexpr unsigned channel = 3;
constexpr long close_range_call = 436;  // without a name in the headers of older distributions

// Chromium leaves descriptors open in what it starts, and ends when bytes of others come by them.
void close_from(unsigned first) {
  if (syscall(close_range_call, first, ~0u, 0) == 0) return;
  // Linux before 5.9.
  const long most = sysconf(_SC_OPEN_MAX);
  for (long descriptor = first; descriptor < most; ++descriptor)
    close(static_cast<int>(descriptor));
}

int launch(int count, char** arguments) {
  bool has_channel = false, is_sandboxed = false;
  std::vector<std::string> folders;
  int next = 1;
  for (; next < count; ++next) {
    const std::string word = arguments[next];
    if (word == "--channel") {
      has_channel = true;
    } else if (word == "--sandbox") {
      is_sandboxed = true;
    } else if (word == "--write" && next + 1 < count) {
      folders.emplace_back(arguments[++next]);
    } else {
      break;
    }
  }
  if (next >= count || arguments[next][0] == '-') {
    std::fputs(
        "opsmith_launcher [--channel] [--sandbox] [--write FOLDER]... PROGRAM [ARGUMENT]...\n",
        stderr);
    return 2;
  }
  close_from(has_channel ? channel + 1 : channel);
  unsetenv("OPSMITH_SANDBOX");
  if (is_sandboxed) setenv("OPSMITH_SANDBOX", enter_sandbox(folders).text().c_str(), 1);
  execvp(arguments[next], arguments + next);
  std::fprintf(stderr, "%s: %s\n", arguments[next], std::strerror(errno));
  return 127;
}

}  // namespace
}  // namespace opsmith::launcher

int main(int count, char** arguments) {
  namespace launcher = opsmith::launcher;
  if (count == 2 && std::strcmp(arguments[1], "--examine") == 0) {
    std::puts(launcher::offered_bounds().text().c_str());
    return 0;
  }
  if (count == 2 && std::strcmp(arguments[1], "--gpus") == 0) {
    std::fputs(opsmith::text_of(opsmith::report_driver()).c_str(), stdout);
    return 0;
  }
  return launcher::launch(count, arguments);
}
