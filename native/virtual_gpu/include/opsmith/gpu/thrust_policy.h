// Where Thrust's algorithms run: all are loops of the host, in the order of indices. With a device
// policy they may touch device memory, after the work of the stream.
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <iterator>
#include <optional>
#include <system_error>
#include <type_traits>

#include <opsmith/gpu/device.h>

namespace thrust {

using std::error_code;
using std::error_condition;
using std::system_error;

namespace system {

using std::system_error;

class cuda_error_category : public std::error_category {
 public:
  const char* name() const noexcept override { return "cuda"; }
  std::string message(int error) const override {
    return cudaGetErrorString(static_cast<cudaError_t>(error));
  }
};

inline const std::error_category& cuda_category() {
  static const cuda_error_category category;
  return category;
}

namespace detail {

class bad_alloc : public std::bad_alloc {
 public:
  explicit bad_alloc(const std::string& text) : text_("std::bad_alloc: " + text) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

}  // namespace detail
}  // namespace system

using system::cuda_category;

namespace detail {

inline void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) {
    throw std::system_error(static_cast<int>(error), system::cuda_category(), what);
  }
}

// The base of all policies.
struct policy_base {};

// While it lives, host code may touch device memory. Threads of a kernel may do that anyway.
class device_scope {
 public:
  explicit device_scope(cudaStream_t stream) {
    if (opsmith::gpu::in_kernel()) return;
    check(cudaStreamSynchronize(stream), "thrust: an earlier operation of the stream failed");
    access_.emplace();
  }

 private:
  std::optional<opsmith::gpu::DeviceAccess> access_;
};

struct no_scope {
  no_scope() {}
};

struct device_policy : policy_base {
  cudaStream_t stream = 0;

  device_scope scope() const { return device_scope(stream); }
  device_policy on(cudaStream_t on_stream) const {
    device_policy policy;
    policy.stream = on_stream;
    return policy;
  }
  // Algorithms need no temporary memory of the device.
  template <typename Allocator>
  device_policy operator()(Allocator&&) const {
    return *this;
  }
};

struct host_policy : policy_base {
  no_scope scope() const { return {}; }
  template <typename Allocator>
  host_policy operator()(Allocator&&) const {
    return *this;
  }
};

template <typename T>
concept policy = std::is_base_of_v<policy_base, std::remove_cvref_t<T>>;

// The memory that an iterator refers to. Fancy iterators specialise this.
enum class memory { any, host, device };

template <typename T>
struct memory_of {
  static constexpr memory value = memory::any;
};
template <typename T>
  requires requires { typename std::iterator_traits<T>::iterator_category; }
struct memory_of<T> {
  static constexpr memory value = memory::host;
};

template <typename... T>
inline constexpr memory common_memory =
    ((memory_of<T>::value == memory::device) || ...) ? memory::device
    : ((memory_of<T>::value == memory::host) || ...) ? memory::host
                                                     : memory::any;

// Without memory of the host among the arguments, the device runs the algorithm.
template <typename... T>
using policy_for =
    std::conditional_t<common_memory<T...> == memory::host, host_policy, device_policy>;

// An iterator that reads memory without wrappers: algorithms use it inside.
template <typename Iterator>
auto raw(Iterator it) {
  if constexpr (requires { it.opsmith_raw(); }) {
    return it.opsmith_raw();
  } else {
    return it;
  }
}

template <typename Iterator>
using value_of = typename std::iterator_traits<Iterator>::value_type;

template <typename Iterator>
std::size_t count_of(Iterator first, Iterator last) {
  const auto count = last - first;
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

}  // namespace detail

using device_system_tag = detail::device_policy;
using host_system_tag = detail::host_policy;
inline constexpr detail::device_policy device;
inline constexpr detail::host_policy host;
inline constexpr detail::host_policy seq;

namespace system {
namespace cuda {
using tag = thrust::detail::device_policy;
inline constexpr thrust::detail::device_policy par;
inline constexpr thrust::detail::device_policy par_nosync;
}  // namespace cuda
namespace cpp {
using tag = thrust::detail::host_policy;
inline constexpr thrust::detail::host_policy par;
}  // namespace cpp
}  // namespace system

namespace cuda {
using system::cuda::par;
using system::cuda::par_nosync;
using tag = detail::device_policy;
}  // namespace cuda
namespace cpp {
using system::cpp::par;
}  // namespace cpp

// An algorithm without a policy finds it from its arguments.
#define OPSMITH_THRUST_WITHOUT_POLICY(NAME)                                            \
  template <typename First, typename... Rest>                                          \
    requires(!thrust::detail::policy<First>)                                           \
  auto NAME(First first, Rest... rest) {                                               \
    return thrust::NAME(thrust::detail::policy_for<First, Rest...>{}, first, rest...); \
  }

}  // namespace thrust
