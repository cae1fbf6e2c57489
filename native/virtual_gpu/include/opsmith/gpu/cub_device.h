// What CUB's device-wide algorithms share.
#pragma once
#include <opsmith/gpu/host_loops.h>
#include <cub/iterator/arg_index_input_iterator.cuh>
#include <cub/thread/thread_operators.cuh>
#include <cub/util_device.cuh>

CUB_NAMESPACE_BEGIN

namespace detail {

namespace loops = ::opsmith::gpu::loops;

template <typename Iterator>
using value_of = typename std::iterator_traits<Iterator>::value_type;

// What an output iterator takes: some have no value type.
template <typename Iterator, typename Fallback>
using output_value =
    std::conditional_t<std::is_void_v<value_of<Iterator>>, Fallback, value_of<Iterator>>;

template <typename Operator, typename Input, typename Initial>
using accumulator = std::decay_t<std::invoke_result_t<Operator&, Initial, Input>>;

template <typename Iterator, typename Accumulator>
auto loader(Iterator& from) {
  return [&from](std::size_t i) -> Accumulator { return static_cast<Accumulator>(from[i]); };
}

template <typename Accumulator, typename Iterator, typename Operator>
Accumulator reduce(Iterator from, std::size_t count, Accumulator initial, Operator op) {
  return loops::reduce<Accumulator>(count, initial, loader<Iterator, Accumulator>(from), op);
}

}  // namespace detail

CUB_NAMESPACE_END
