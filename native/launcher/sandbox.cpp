#include "launcher/sandbox.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace opsmith::launcher {
namespace {

// Landlock as landlock(7) has it, written out: the headers of older distributions lack parts of it.
namespace landlock {

constexpr long create_ruleset_call = 444;
constexpr long add_rule_call = 445;
constexpr long restrict_self_call = 446;

constexpr uint32_t create_ruleset_version = 1;
constexpr uint32_t rule_path_beneath = 1;

constexpr uint64_t write_file = 1 << 1;
constexpr uint64_t remove_and_make = 0x1ff0;  // remove_dir to make_sym, bits 4 to 12
constexpr uint64_t refer = 1 << 13;           // from version 2 on
constexpr uint64_t truncate = 1 << 14;        // from version 3 on
constexpr uint64_t scope_signal = 1 << 1;     // from version 6 on

struct ruleset_attributes {
  uint64_t files;
  uint64_t network;
  uint64_t scoped;
};

struct path_rule {
  uint64_t allowed;
  int32_t descriptor;
} __attribute__((packed));

// 0 where there is no Landlock.
int version() {
  const long answer = syscall(create_ruleset_call, nullptr, 0, create_ruleset_version);
  return answer > 0 ? static_cast<int>(answer) : 0;
}

uint64_t writes(int version) {
  return write_file | remove_and_make | (version >= 2 ? refer : 0) | (version >= 3 ? truncate : 0);
}

}  // namespace landlock

constexpr int version_with_signals = 6;

// Devices that keep nothing of what is written to them, memory that processes share, and GPUs.
constexpr const char* writable_devices[] = {"/dev/null",    "/dev/zero", "/dev/full", "/dev/random",
                                            "/dev/urandom", "/dev/tty",  "/dev/ptmx", "/dev/pts",
                                            "/dev/shm",     "/dev/kfd",  "/dev/dri"};
constexpr const char* nvidia_devices = "nvidia";

void allow_writes(int ruleset, const std::string& path, uint64_t writes) {
  const int descriptor = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat status{};
  fstat(descriptor, &status);
  const uint64_t of_files = landlock::write_file | landlock::truncate;
  const landlock::path_rule rule{S_ISDIR(status.st_mode) ? writes : writes & of_files, descriptor};
  syscall(landlock::add_rule_call, ruleset, landlock::rule_path_beneath, &rule, 0);
  close(descriptor);
}

void allow_devices(int ruleset, uint64_t writes) {
  for (const char* device : writable_devices)
    allow_writes(ruleset, device, writes);
  DIR* devices = opendir("/dev");
  if (devices == nullptr) return;
  while (const dirent* entry = readdir(devices)) {
    const std::string name = entry->d_name;
    if (name.rfind(nvidia_devices, 0) == 0) allow_writes(ruleset, "/dev/" + name, writes);
  }
  closedir(devices);
}

// The names of its own threads and the like, in /proc/PID. CUDA's driver names a thread it starts,
// and cuInit() fails with CUDA_ERROR_OPERATING_SYSTEM where it cannot. A Landlock rule belongs to
// an inode, and procfs replaces an inode that nobody uses. The program inherits the descriptor,
// which keeps this one in use.
void allow_own_process(int ruleset, uint64_t writes) {
  const int kept = open("/proc/self", O_PATH);
  if (kept >= 0) allow_writes(ruleset, "/proc/self", writes);
}

bool bind_files_and_signals(int version, const std::vector<std::string>& folders) {
  const uint64_t writes = landlock::writes(version);
  const bool has_signals = version >= version_with_signals;
  const landlock::ruleset_attributes attributes{writes, 0,
                                                has_signals ? landlock::scope_signal : 0};
  const size_t size = has_signals ? sizeof attributes : sizeof attributes.files;
  const int ruleset =
      static_cast<int>(syscall(landlock::create_ruleset_call, &attributes, size, 0));
  if (ruleset < 0) return false;
  for (const auto& folder : folders)
    allow_writes(ruleset, folder, writes);
  allow_devices(ruleset, writes);
  allow_own_process(ruleset, writes);
  const bool is_bound = syscall(landlock::restrict_self_call, ruleset, 0) == 0;
  close(ruleset);
  return is_bound;
}

#if defined(__x86_64__)
constexpr uint32_t own_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t own_architecture = AUDIT_ARCH_AARCH64;
#endif

constexpr uint32_t refuse_with(int error) {
  return SECCOMP_RET_ERRNO | static_cast<uint32_t>(error);
}

// No sockets but those of the file system; no io_uring, which opens sockets that no filter sees.
bool bind_network() {
  constexpr uint32_t x32_calls = 0x40000000;  // the same calls under other numbers, on x86
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, own_architecture, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, refuse_with(EPERM)),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, x32_calls, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, refuse_with(EPERM)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, refuse_with(ENOSYS)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, refuse_with(EACCES)),
  };
  const sock_fprog filter{static_cast<unsigned short>(std::size(program)), program};
  // Without this flag some kernels switch a processor's speculation off for a process with a
  // filter: its timings would be others than the user's.
  constexpr unsigned flags = SECCOMP_FILTER_FLAG_SPEC_ALLOW;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter) == 0;
}

bool has_seccomp_filters() {
  const uint32_t action = SECCOMP_RET_ERRNO;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

}  // namespace

std::string Bounds::text() const {
  std::string names;
  for (const auto& [holds, name] :
       {std::pair{files, "files"}, std::pair{network, "network"}, std::pair{signals, "signals"}}) {
    if (!holds) continue;
    if (!names.empty()) names += ' ';
    names += name;
  }
  return names;
}

Bounds offered_bounds() {
  const int version = landlock::version();
  return {version > 0, has_seccomp_filters(), version >= version_with_signals};
}

Bounds enter_sandbox(const std::vector<std::string>& folders) {
  // Otherwise only root may enter one: a program that changes its user would run in it.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return {};
  const int version = landlock::version();
  const bool is_bound = version > 0 && bind_files_and_signals(version, folders);
  return {is_bound, bind_network(), is_bound && version >= version_with_signals};
}

}  // namespace opsmith::launcher
