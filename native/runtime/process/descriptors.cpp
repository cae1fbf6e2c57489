#include "runtime/process/descriptors.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace opsmith {

namespace {

// What a descriptor of a process is: "socket:[4220047]", the path of a file; "" where it is closed.
std::string target_of(const std::string& process, int descriptor) {
  const std::string link = "/proc/" + process + "/fd/" + std::to_string(descriptor);
  char target[512];
  const ssize_t size = readlink(link.c_str(), target, sizeof target);
  return std::string(target, size > 0 ? static_cast<size_t>(size) : 0);
}

// An event has no number of its own to compare: one that came by exec is not closed by exec.
bool is_inherited(int descriptor, const std::string& parent) {
  const std::string target = target_of("self", descriptor);
  if (target.starts_with("anon_inode:")) return (fcntl(descriptor, F_GETFD) & FD_CLOEXEC) == 0;
  return target == target_of(parent, descriptor);
}

}  // namespace

void close_inherited_descriptors(int channel) {
  DIR* folder = opendir("/proc/self/fd");
  if (folder == nullptr) return;
  const std::string parent = std::to_string(getppid());
  std::vector<int> inherited;
  while (const dirent* entry = readdir(folder)) {
    const int descriptor = std::atoi(entry->d_name);
    if (descriptor <= STDERR_FILENO || descriptor == channel) continue;
    const bool is_read_only = (fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDONLY;
    if (!is_read_only && is_inherited(descriptor, parent)) inherited.push_back(descriptor);
  }
  closedir(folder);
  for (const int descriptor : inherited)
    close(descriptor);
  fcntl(channel, F_SETFD, FD_CLOEXEC);
}

}  // namespace opsmith
