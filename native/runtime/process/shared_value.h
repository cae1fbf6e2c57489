// A value that copies of the process (forked_call.h) write and this one reads.
#pragma once

#include <sys/mman.h>

#include <new>
#include <type_traits>

namespace opsmith {

template <class Value>
class SharedValue {
 public:
  // Throws std::bad_alloc where the system gives no memory.
  explicit SharedValue(const Value& value) {
    static_assert(std::is_trivially_destructible_v<Value>);
    void* memory =
        mmap(nullptr, sizeof(Value), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    value_ = new (memory) Value(value);
  }
  ~SharedValue() { munmap(value_, sizeof(Value)); }
  SharedValue(const SharedValue&) = delete;
  SharedValue& operator=(const SharedValue&) = delete;

  Value& operator*() const { return *value_; }
  Value* operator->() const { return value_; }

 private:
  Value* value_;
};

}  // namespace opsmith
