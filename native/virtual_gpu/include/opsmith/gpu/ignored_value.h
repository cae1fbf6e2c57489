// What an iterator that discards refers to.
#pragma once

namespace opsmith::gpu {

struct ignored_value {
  template <typename T>
  const ignored_value& operator=(const T&) const {
    return *this;
  }
};

}  // namespace opsmith::gpu
