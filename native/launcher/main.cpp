// opsmith_launcher: starts a program that gets no descriptor of its parent's but the first few, in
// a sandbox where one is asked for.
//
//   opsmith_launcher [--sandbox] [--write FOLDER]... PROGRAM [ARGUMENT]...
//       becomes the program, with descriptors 0 to 3. With --sandbox the program gets what holds of
//       the sandbox in the variable OPSMITH_SANDBOX: "files network signals".
//   opsmith_launcher --examine
//       prints what a sandbox would hold on this machine.
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

namespace opsmith::launcher {
namespace {

constexpr unsigned first_closed = 4;    // 3 is the op host's connection to its parent
constexpr long close_range_call = 436;  // without a name in the headers of older distributions

// Chromium leaves descriptors open in what it starts, and ends when bytes of others come by them.
void close_others() {
  if (syscall(close_range_call, first_closed, ~0u, 0) == 0) return;
  // Linux before 5.9.
  const long most = sysconf(_SC_OPEN_MAX);
  for (int descriptor = first_closed; descriptor < most; ++descriptor)
    close(descriptor);
}

int launch(int count, char** arguments) {
  bool is_sandboxed = false;
  std::vector<std::string> folders;
  int next = 1;
  for (; next < count; ++next) {
    const std::string word = arguments[next];
    if (word == "--sandbox") {
      is_sandboxed = true;
    } else if (word == "--write" && next + 1 < count) {
      folders.emplace_back(arguments[++next]);
    } else {
      break;
    }
  }
  if (next >= count || arguments[next][0] == '-') {
    std::fputs("opsmith_launcher [--sandbox] [--write FOLDER]... PROGRAM [ARGUMENT]...\n", stderr);
    return 2;
  }
  close_others();
  unsetenv("OPSMITH_SANDBOX");
  if (is_sandboxed) setenv("OPSMITH_SANDBOX", enter_sandbox(folders).text().c_str(), 1);
  execvp(arguments[next], arguments + next);
  std::fprintf(stderr, "%s: %s\n", arguments[next], std::strerror(errno));
  return 127;
}

}  // namespace
}  // namespace opsmith::launcher

int main(int count, char** arguments) {
  using namespace opsmith::launcher;
  if (count == 2 && std::strcmp(arguments[1], "--examine") == 0) {
    std::puts(offered_bounds().text().c_str());
    return 0;
  }
  return launch(count, arguments);
}
