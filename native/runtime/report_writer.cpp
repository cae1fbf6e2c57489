#include "runtime/report_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace opsmith {

ReportWriter& ReportWriter::text(std::string_view text) {
  for (char c : text) {
    if (used_ == sizeof(buffer_)) flush();
    buffer_[used_++] = c;
  }
  return *this;
}

ReportWriter& ReportWriter::escaped(std::string_view value) {
  for (char c : value) {
    if (c == '\n') {
      text("\\n");
    } else if (c == '\\') {
      text("\\\\");
    } else if (c != '\r') {
      text({&c, 1});
    }
  }
  return *this;
}

ReportWriter& ReportWriter::number(int64_t value) {
  char digits[24];
  size_t at = sizeof(digits);
  uint64_t rest = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  do {
    digits[--at] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  if (value < 0) digits[--at] = '-';
  return text({digits + at, sizeof(digits) - at});
}

ReportWriter& ReportWriter::hex(uintptr_t value) {
  char digits[20];
  size_t at = sizeof(digits);
  do {
    digits[--at] = "0123456789abcdef"[value & 15];
    value >>= 4;
  } while (value != 0);
  text("0x");
  return text({digits + at, sizeof(digits) - at});
}

void ReportWriter::flush() {
  size_t written = 0;
  while (written < used_) {
    const ssize_t count = write(descriptor_, buffer_ + written, used_ - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    written += static_cast<size_t>(count);
  }
  used_ = 0;
}

namespace {

// A line of /proc/self/maps: "START-END PERM OFFSET DEV INODE   PATH". The first mapping of a file
// has offset 0, and its start is where the file was loaded.
void write_module(ReportWriter& writer, std::string_view line, std::string_view fixed_module) {
  const size_t path_at = line.find('/');
  const size_t dash = line.find('-');
  if (path_at == std::string_view::npos || dash == std::string_view::npos) return;
  size_t field = line.find(' ');
  field = line.find(' ', field + 1);
  if (line.substr(field + 1, 9) != "00000000 ") return;
  const std::string_view path = line.substr(path_at);
  if (path.substr(0, 5) == "/dev/" || path.substr(0, 7) == "/memfd:") return;
  uintptr_t base = 0;
  for (char c : line.substr(0, dash)) {
    base = base * 16 + static_cast<uintptr_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  writer.text("module ").hex(path == fixed_module ? 0 : base).text(" ").text(path).line();
}

}  // namespace

void write_modules(ReportWriter& writer, std::string_view fixed_module) {
  const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) return;
  char buffer[4096];
  size_t held = 0;
  for (;;) {
    const ssize_t count = read(maps, buffer + held, sizeof(buffer) - held);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    held += static_cast<size_t>(count);
    size_t start = 0;
    for (;;) {
      const void* end = memchr(buffer + start, '\n', held - start);
      if (end == nullptr) break;
      const size_t stop = static_cast<size_t>(static_cast<const char*>(end) - buffer);
      write_module(writer, {buffer + start, stop - start}, fixed_module);
      start = stop + 1;
    }
    if (start == 0 && held == sizeof(buffer)) held = 0;  // a line longer than any path: skip it
    memmove(buffer, buffer + start, held - start);
    held -= start;
  }
  close(maps);
}

}  // namespace opsmith
