// JSON written straight into a string: graphs of a hundred thousand nodes leave the op host as
// text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opsmith {

// The fewest digits that read back as the same number: "0.1", "1e-07"; "nan", "inf" and "-inf".
std::string shortest_text(double value);

// The writer adds commas between elements; the caller must balance the braces.
class JsonText {
 public:
  JsonText& open(char brace);   // '{' or '['
  JsonText& close(char brace);  // '}' or ']'
  JsonText& key(std::string_view name);
  JsonText& text(std::string_view value);
  JsonText& boolean(bool value);
  JsonText& null();
  // What a double cannot hold exactly is written as a string.
  JsonText& integer(int64_t value);
  // NaN and the infinities as the strings "nan", "inf" and "-inf".
  JsonText& real(double value);

  std::string take() { return std::move(out_); }

 private:
  void comma();
  std::string out_;
  bool first_ = true;
};

}  // namespace opsmith
