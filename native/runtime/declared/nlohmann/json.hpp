// Declares what libtorch's functorch headers name of a library that libtorch does not come with.
// Defined nowhere: what they use it for (an interpreter written as text) is not called here, and
// would not link.
#pragma once

#include <string>

namespace nlohmann {

struct json {
  json() = default;
  template <typename Value>
  explicit json(const Value& value);
  std::string dump() const;
  static json parse(const std::string& text);
  template <typename Value>
  Value get() const;
  template <typename Value>
  void get_to(Value& value) const;
};

}  // namespace nlohmann
