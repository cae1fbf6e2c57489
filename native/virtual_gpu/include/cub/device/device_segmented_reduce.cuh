#pragma once
#include <opsmith/gpu/cub_device.h>

CUB_NAMESPACE_BEGIN

// Segment i is [begin[i], end[i]).
struct DeviceSegmentedReduce {
  template <typename In, typename Out, typename Begin, typename End, typename Operator, typename T>
  static cudaError_t Reduce(void* storage, std::size_t& bytes, In in, Out out,
                            std::int64_t segments, Begin begin, End end, Operator op, T initial,
                            cudaStream_t stream = 0, bool = false) {
    using accumulator = detail::accumulator<Operator, detail::value_of<In>, T>;
    return detail::run_on_device(storage, bytes, stream, [&] {
      for (std::int64_t i = 0; i < segments; ++i) {
        out[i] = detail::reduce<accumulator>(in + begin[i], size(begin[i], end[i]), initial, op);
      }
    });
  }
  template <typename In, typename Out, typename Begin, typename End>
  static cudaError_t Sum(void* storage, std::size_t& bytes, In in, Out out, std::int64_t segments,
                         Begin begin, End end, cudaStream_t stream = 0, bool = false) {
    using output = detail::output_value<Out, detail::value_of<In>>;
    return Reduce(storage, bytes, in, out, segments, begin, end, CUB_NS_QUALIFIER::Sum{}, output{},
                  stream);
  }
  template <typename In, typename Out, typename Begin, typename End>
  static cudaError_t Min(void* storage, std::size_t& bytes, In in, Out out, std::int64_t segments,
                         Begin begin, End end, cudaStream_t stream = 0, bool = false) {
    return extreme(storage, bytes, in, out, segments, begin, end, CUB_NS_QUALIFIER::Min{},
                   FpLimits<detail::value_of<In>>::Max(), stream);
  }
  template <typename In, typename Out, typename Begin, typename End>
  static cudaError_t Max(void* storage, std::size_t& bytes, In in, Out out, std::int64_t segments,
                         Begin begin, End end, cudaStream_t stream = 0, bool = false) {
    return extreme(storage, bytes, in, out, segments, begin, end, CUB_NS_QUALIFIER::Max{},
                   FpLimits<detail::value_of<In>>::Lowest(), stream);
  }
  template <typename In, typename Out, typename Begin, typename End>
  static cudaError_t ArgMin(void* storage, std::size_t& bytes, In in, Out out,
                            std::int64_t segments, Begin begin, End end, cudaStream_t stream = 0,
                            bool = false) {
    return arg(storage, bytes, in, out, segments, begin, end, CUB_NS_QUALIFIER::ArgMin{},
               FpLimits<detail::value_of<In>>::Max(), stream);
  }
  template <typename In, typename Out, typename Begin, typename End>
  static cudaError_t ArgMax(void* storage, std::size_t& bytes, In in, Out out,
                            std::int64_t segments, Begin begin, End end, cudaStream_t stream = 0,
                            bool = false) {
    return arg(storage, bytes, in, out, segments, begin, end, CUB_NS_QUALIFIER::ArgMax{},
               FpLimits<detail::value_of<In>>::Lowest(), stream);
  }

 private:
  // The limit is the result of an empty segment only: an infinite item is beyond it.
  template <typename In, typename Out, typename Begin, typename End, typename Operator, typename T>
  static cudaError_t extreme(void* storage, std::size_t& bytes, In in, Out out,
                             std::int64_t segments, Begin begin, End end, Operator op, T limit,
                             cudaStream_t stream) {
    return detail::run_on_device(storage, bytes, stream, [&] {
      for (std::int64_t i = 0; i < segments; ++i) {
        const std::size_t count = size(begin[i], end[i]);
        const In first = in + begin[i];
        auto load = detail::loader<const In, T>(first);
        out[i] = count == 0 ? limit : detail::loops::reduce_from<T>(0, count, load, op);
      }
    });
  }
  template <typename Begin, typename End>
  static std::size_t size(Begin begin, End end) {
    return end > begin ? static_cast<std::size_t>(end - begin) : 0;
  }
  template <typename In, typename Out, typename Begin, typename End, typename Operator, typename T>
  static cudaError_t arg(void* storage, std::size_t& bytes, In in, Out out, std::int64_t segments,
                         Begin begin, End end, Operator op, T initial, cudaStream_t stream) {
    using pair = KeyValuePair<int, detail::value_of<In>>;
    return detail::run_on_device(storage, bytes, stream, [&] {
      for (std::int64_t segment = 0; segment < segments; ++segment) {
        const auto first = begin[segment];
        const std::size_t count = size(first, end[segment]);
        pair best(count > 0 ? 0 : 1, initial);
        if (count > 0) best.value = in[first];
        for (std::size_t i = 1; i < count; ++i) {
          best = op(best, pair(static_cast<int>(i), in[first + i]));
        }
        out[segment] = best;
      }
    });
  }
};

CUB_NAMESPACE_END
