#include "runtime/json_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace opsmith {

std::string shortest_text(double value) {
  if (std::isnan(value)) return "nan";
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

void JsonText::comma() {
  if (!first_) out_ += ',';
  first_ = false;
}

JsonText& JsonText::open(char brace) {
  comma();
  out_ += brace;
  first_ = true;
  return *this;
}

JsonText& JsonText::close(char brace) {
  out_ += brace;
  first_ = false;
  return *this;
}

JsonText& JsonText::key(std::string_view name) {
  text(name);
  out_ += ':';
  first_ = true;
  return *this;
}

JsonText& JsonText::text(std::string_view value) {
  comma();
  static constexpr char digits[] = "0123456789abcdef";
  out_ += '"';
  for (const char c : value) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += c;
    } else if (c == '\n') {
      out_ += "\\n";
    } else if (code < 0x20) {
      out_ += "\\u00";
      out_ += digits[code >> 4U];
      out_ += digits[code & 15U];
    } else {
      out_ += c;
    }
  }
  out_ += '"';
  return *this;
}

JsonText& JsonText::boolean(bool value) {
  comma();
  out_ += value ? "true" : "false";
  return *this;
}

JsonText& JsonText::null() {
  comma();
  out_ += "null";
  return *this;
}

JsonText& JsonText::integer(int64_t value) {
  constexpr int64_t exact = int64_t{1} << 53U;
  const auto digits = std::to_string(value);
  if (value > exact || value < -exact) return text(digits);
  comma();
  out_ += digits;
  return *this;
}

JsonText& JsonText::real(double value) {
  if (!std::isfinite(value)) return text(shortest_text(value));
  comma();
  out_ += shortest_text(value);
  return *this;
}

}  // namespace opsmith
