#include "runtime/process/process_tree.h"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace opsmith {
namespace {

// 0: none.
std::atomic<pid_t> limited_elsewhere{0};

bool has_children() {
  siginfo_t info = {};
  // Peeks: who started a child may wait for it.
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

// Process numbers by parent; those that have ended and are not waited for are left out.
std::multimap<pid_t, pid_t> processes_by_parent() {
  std::multimap<pid_t, pid_t> children;
  DIR* folder = opendir("/proc");
  if (folder == nullptr) return children;
  while (const dirent* entry = readdir(folder)) {
    char* end = nullptr;
    const long pid = std::strtol(entry->d_name, &end, 10);
    if (pid <= 0 || *end != '\0') continue;
    const auto parent = parent_of(static_cast<pid_t>(pid));
    if (parent) children.emplace(*parent, static_cast<pid_t>(pid));
  }
  closedir(folder);
  return children;
}

std::vector<pid_t> descendants() {
  if (!has_children()) return {};
  const auto children = processes_by_parent();
  std::vector<pid_t> found = {getpid()};
  for (size_t next = 0; next < found.size(); ++next) {
    const auto [first, last] = children.equal_range(found[next]);
    for (auto child = first; child != last; ++child)
      found.push_back(child->second);
  }
  found.erase(found.begin());
  return found;
}

// What a process shares with nobody, and its part of what it shares.
uint64_t part_of_memory(const std::string& process) {
  std::ifstream file("/proc/" + process + "/smaps_rollup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("Pss:")) return std::strtoull(line.c_str() + 4, nullptr, 10) << 10;
  }
  return 0;
}

// All that a process holds but files that it maps.
uint64_t most_of_memory(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/statm");
  uint64_t size = 0, resident = 0, shared = 0;
  file >> size >> resident >> shared;
  return resident > shared ? (resident - shared) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

std::optional<pid_t> parent_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text, '\0');
  // After the name, which may hold anything: " S 123 ...", the state and the parent.
  const size_t name_end = text.rfind(')');
  char state = 'Z';
  int parent = 0;
  if (name_end == std::string::npos ||
      std::sscanf(text.c_str() + name_end + 1, " %c %d", &state, &parent) != 2 || state == 'Z') {
    return std::nullopt;
  }
  return parent;
}

void adopt_descendants() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

OwnMemoryLimit::OwnMemoryLimit(pid_t process) {
  limited_elsewhere = process;
}
OwnMemoryLimit::~OwnMemoryLimit() {
  limited_elsewhere = 0;
}

DescendantUse measure_descendants(bool divides_shared) {
  DescendantUse use;
  for (const pid_t process : descendants()) {
    use.processes += 1;
    if (process == limited_elsewhere) continue;
    use.bytes += divides_shared ? part_of_memory(std::to_string(process)) : most_of_memory(process);
  }
  return use;
}

uint64_t own_part_of_memory() {
  return part_of_memory("self");
}

void end_descendants() {
  // One that forks faster than this kills has the rest ended by the engine, which knows it by its
  // environment.
  for (int round = 0; round < 100; ++round) {
    const auto alive = descendants();
    if (alive.empty()) return;
    for (const pid_t process : alive)
      kill(process, SIGKILL);
  }
}

}  // namespace opsmith
