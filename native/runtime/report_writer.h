// Text into a file descriptor with nothing but write(2): usable in a signal handler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace opsmith {

class ReportWriter {
 public:
  explicit ReportWriter(int descriptor) : descriptor_(descriptor) {}
  ~ReportWriter() { flush(); }
  ReportWriter(const ReportWriter&) = delete;
  ReportWriter& operator=(const ReportWriter&) = delete;

  ReportWriter& text(std::string_view text);
  // As `text`, with newlines written as \n and backslashes doubled, so that it stays one line.
  ReportWriter& escaped(std::string_view text);
  ReportWriter& number(int64_t value);
  ReportWriter& hex(uintptr_t value);
  ReportWriter& line() { return text("\n"); }
  void flush();

 private:
  int descriptor_;
  size_t used_ = 0;
  char buffer_[2048];
};

// One `module 0xBASE PATH` line for every mapped file, from /proc/self/maps as it is now. A module
// that is not relocated (an executable linked to a fixed address) gets base 0, as `fixed_module`
// names.
void write_modules(ReportWriter& writer, std::string_view fixed_module);

}  // namespace opsmith
