#pragma once
#include <opsmith/gpu/cub_device.h>

CUB_NAMESPACE_BEGIN

struct DeviceReduce {
  template <typename In, typename Out, typename Operator, typename T, typename Count>
  static cudaError_t Reduce(void* storage, std::size_t& bytes, In in, Out out, Count count,
                            Operator op, T initial, cudaStream_t stream = 0, bool = false) {
    using accumulator = detail::accumulator<Operator, detail::value_of<In>, T>;
    return detail::run_on_device(storage, bytes, stream, [&] {
      *out = detail::reduce<accumulator>(in, static_cast<std::size_t>(count), initial, op);
    });
  }
  template <typename In, typename Out, typename Operator, typename Transform, typename T,
            typename Count>
  static cudaError_t TransformReduce(void* storage, std::size_t& bytes, In in, Out out, Count count,
                                     Operator op, Transform transform, T initial,
                                     cudaStream_t stream = 0) {
    using item = std::decay_t<std::invoke_result_t<Transform&, detail::value_of<In>>>;
    using accumulator = detail::accumulator<Operator, item, T>;
    return detail::run_on_device(storage, bytes, stream, [&] {
      *out = detail::loops::reduce<accumulator>(
          static_cast<std::size_t>(count), initial,
          [&](std::size_t i) -> accumulator { return transform(in[i]); }, op);
    });
  }
  template <typename In, typename Out, typename Count>
  static cudaError_t Sum(void* storage, std::size_t& bytes, In in, Out out, Count count,
                         cudaStream_t stream = 0, bool = false) {
    using output = detail::output_value<Out, detail::value_of<In>>;
    return Reduce(storage, bytes, in, out, count, CUB_NS_QUALIFIER::Sum{}, output{}, stream);
  }
  template <typename In, typename Out, typename Count>
  static cudaError_t Min(void* storage, std::size_t& bytes, In in, Out out, Count count,
                         cudaStream_t stream = 0, bool = false) {
    return extreme(storage, bytes, in, out, count, CUB_NS_QUALIFIER::Min{},
                   FpLimits<detail::value_of<In>>::Max(), stream);
  }
  template <typename In, typename Out, typename Count>
  static cudaError_t Max(void* storage, std::size_t& bytes, In in, Out out, Count count,
                         cudaStream_t stream = 0, bool = false) {
    return extreme(storage, bytes, in, out, count, CUB_NS_QUALIFIER::Max{},
                   FpLimits<detail::value_of<In>>::Lowest(), stream);
  }
  // The output is a KeyValuePair of index and value.
  template <typename In, typename Out, typename Count>
  static cudaError_t ArgMin(void* storage, std::size_t& bytes, In in, Out out, Count count,
                            cudaStream_t stream = 0, bool = false) {
    return arg(storage, bytes, in, count, stream, CUB_NS_QUALIFIER::ArgMin{},
               FpLimits<detail::value_of<In>>::Max(), [&](const auto& best) {
                 using output = detail::value_of<Out>;
                 *out = output{static_cast<decltype(output::key)>(best.key), best.value};
               });
  }
  template <typename In, typename Out, typename Count>
  static cudaError_t ArgMax(void* storage, std::size_t& bytes, In in, Out out, Count count,
                            cudaStream_t stream = 0, bool = false) {
    return arg(storage, bytes, in, count, stream, CUB_NS_QUALIFIER::ArgMax{},
               FpLimits<detail::value_of<In>>::Lowest(), [&](const auto& best) {
                 using output = detail::value_of<Out>;
                 *out = output{static_cast<decltype(output::key)>(best.key), best.value};
               });
  }
  // The outputs are the value and its index.
  template <typename In, typename Value, typename Index>
  static std::enable_if_t<!std::is_integral_v<Index>, cudaError_t> ArgMin(void* storage,
                                                                          std::size_t& bytes, In in,
                                                                          Value value, Index index,
                                                                          std::int64_t count,
                                                                          cudaStream_t stream = 0) {
    return arg(storage, bytes, in, count, stream, CUB_NS_QUALIFIER::ArgMin{},
               FpLimits<detail::value_of<In>>::Max(), [&](const auto& best) {
                 *value = best.value;
                 *index = best.key;
               });
  }
  template <typename In, typename Value, typename Index>
  static std::enable_if_t<!std::is_integral_v<Index>, cudaError_t> ArgMax(void* storage,
                                                                          std::size_t& bytes, In in,
                                                                          Value value, Index index,
                                                                          std::int64_t count,
                                                                          cudaStream_t stream = 0) {
    return arg(storage, bytes, in, count, stream, CUB_NS_QUALIFIER::ArgMax{},
               FpLimits<detail::value_of<In>>::Lowest(), [&](const auto& best) {
                 *value = best.value;
                 *index = best.key;
               });
  }

  // Runs of equal keys.
  template <typename Keys, typename UniqueKeys, typename Values, typename Aggregates, typename Runs,
            typename Operator, typename Count>
  static cudaError_t ReduceByKey(void* storage, std::size_t& bytes, Keys keys,
                                 UniqueKeys unique_keys, Values values, Aggregates aggregates,
                                 Runs runs, Operator op, Count count, cudaStream_t stream = 0,
                                 bool = false) {
    using value = detail::value_of<Values>;
    using accumulator = detail::accumulator<Operator, value, value>;
    return detail::run_on_device(storage, bytes, stream, [&] {
      const auto all = static_cast<std::size_t>(count);
      std::size_t run = 0;
      for (std::size_t first = 0; first < all; ++run) {
        const detail::value_of<Keys> key = keys[first];
        std::size_t end = first + 1;
        while (end < all && keys[end] == key)
          ++end;
        auto load = [&](std::size_t i) -> accumulator { return values[i]; };
        const accumulator total =
            detail::loops::reduce_from<accumulator>(first, end - first, load, op);
        unique_keys[run] = key;
        aggregates[run] = total;
        first = end;
      }
      *runs = run;
    });
  }

 private:
  // The limit is the result of an empty input only: an infinite item is beyond it.
  template <typename In, typename Out, typename Count, typename Operator, typename T>
  static cudaError_t extreme(void* storage, std::size_t& bytes, In in, Out out, Count count,
                             Operator op, T limit, cudaStream_t stream) {
    return detail::run_on_device(storage, bytes, stream, [&] {
      auto load = detail::loader<In, T>(in);
      *out = count == 0
                 ? limit
                 : detail::loops::reduce_from<T>(0, static_cast<std::size_t>(count), load, op);
    });
  }
  template <typename In, typename Count, typename Operator, typename T, typename Write>
  static cudaError_t arg(void* storage, std::size_t& bytes, In in, Count count, cudaStream_t stream,
                         Operator op, T initial, Write write) {
    using pair = KeyValuePair<std::int64_t, detail::value_of<In>>;
    return detail::run_on_device(storage, bytes, stream, [&] {
      pair best(count > 0 ? 0 : 1, initial);
      if (count > 0) best.value = in[0];
      for (std::int64_t i = 1; i < static_cast<std::int64_t>(count); ++i) {
        best = op(best, pair(i, in[i]));
      }
      write(best);
    });
  }
};

CUB_NAMESPACE_END
