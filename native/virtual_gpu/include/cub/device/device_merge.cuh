#pragma once
#include <opsmith/gpu/cub_device.h>

CUB_NAMESPACE_BEGIN

namespace detail {

struct natural_order {
  template <typename A, typename B>
  bool operator()(const A& a, const B& b) const {
    return a < b;
  }
};

}  // namespace detail

// Of equal keys those of the first input are first.
struct DeviceMerge {
  template <typename A, typename B, typename Out, typename Less = detail::natural_order>
  static cudaError_t MergeKeys(void* storage, std::size_t& bytes, A a, std::int64_t a_count, B b,
                               std::int64_t b_count, Out out, Less less = {},
                               cudaStream_t stream = 0) {
    return detail::run_on_device(storage, bytes, stream, [&] {
      std::int64_t i = 0;
      std::int64_t j = 0;
      for (std::int64_t to = 0; to < a_count + b_count; ++to) {
        if (i == a_count || (j < b_count && less(b[j], a[i]))) {
          out[to] = b[j++];
        } else {
          out[to] = a[i++];
        }
      }
    });
  }
  template <typename A, typename AValues, typename B, typename BValues, typename Out,
            typename OutValues, typename Less = detail::natural_order>
  static cudaError_t MergePairs(void* storage, std::size_t& bytes, A a, AValues a_values,
                                std::int64_t a_count, B b, BValues b_values, std::int64_t b_count,
                                Out out, OutValues out_values, Less less = {},
                                cudaStream_t stream = 0) {
    return detail::run_on_device(storage, bytes, stream, [&] {
      std::int64_t i = 0;
      std::int64_t j = 0;
      for (std::int64_t to = 0; to < a_count + b_count; ++to) {
        if (i == a_count || (j < b_count && less(b[j], a[i]))) {
          out[to] = b[j];
          out_values[to] = b_values[j++];
        } else {
          out[to] = a[i];
          out_values[to] = a_values[i++];
        }
      }
    });
  }
};

CUB_NAMESPACE_END
