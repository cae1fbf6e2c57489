#pragma once
#include <opsmith/gpu/cub_device.h>

CUB_NAMESPACE_BEGIN

namespace detail {

template <typename T>
struct initial_value {
  using type = T;
};
template <typename T, typename Iterator>
struct initial_value<FutureValue<T, Iterator>> {
  using type = T;
};

}  // namespace detail

// The output may be the input.
struct DeviceScan {
  template <typename In, typename Out, typename Operator, typename T, typename Count>
  static std::enable_if_t<std::is_integral_v<Count>, cudaError_t> ExclusiveScan(
      void* storage, std::size_t& bytes, In in, Out out, Operator op, T initial, Count count,
      cudaStream_t stream = 0, bool = false) {
    using start = typename detail::initial_value<T>::type;
    using accumulator = detail::accumulator<Operator, detail::value_of<In>, start>;
    return detail::run_on_device(storage, bytes, stream, [&] {
      const accumulator first = static_cast<start>(initial);
      run<accumulator>(in, out, op, &first, true, count);
    });
  }
  template <typename In, typename Out, typename Count>
  static std::enable_if_t<std::is_integral_v<Count>, cudaError_t> ExclusiveSum(
      void* storage, std::size_t& bytes, In in, Out out, Count count, cudaStream_t stream = 0,
      bool = false) {
    return ExclusiveScan(storage, bytes, in, out, CUB_NS_QUALIFIER::Sum{}, detail::value_of<In>{},
                         count, stream);
  }
  template <typename In, typename Out, typename Operator, typename Count>
  static std::enable_if_t<std::is_integral_v<Count>, cudaError_t> InclusiveScan(
      void* storage, std::size_t& bytes, In in, Out out, Operator op, Count count,
      cudaStream_t stream = 0, bool = false) {
    using value = detail::value_of<In>;
    using accumulator = detail::accumulator<Operator, value, value>;
    return detail::run_on_device(storage, bytes, stream,
                                 [&] { run<accumulator>(in, out, op, nullptr, false, count); });
  }
  template <typename In, typename Out, typename Operator, typename T, typename Count>
  static cudaError_t InclusiveScanInit(void* storage, std::size_t& bytes, In in, Out out,
                                       Operator op, T initial, Count count,
                                       cudaStream_t stream = 0) {
    using accumulator = detail::accumulator<Operator, detail::value_of<In>, T>;
    return detail::run_on_device(storage, bytes, stream, [&] {
      const accumulator first = initial;
      run<accumulator>(in, out, op, &first, false, count);
    });
  }
  template <typename In, typename Out, typename Count>
  static std::enable_if_t<std::is_integral_v<Count>, cudaError_t> InclusiveSum(
      void* storage, std::size_t& bytes, In in, Out out, Count count, cudaStream_t stream = 0,
      bool = false) {
    return InclusiveScan(storage, bytes, in, out, CUB_NS_QUALIFIER::Sum{}, count, stream);
  }

  // In place.
  template <typename Data, typename Count>
  static std::enable_if_t<std::is_integral_v<Count>, cudaError_t> ExclusiveSum(
      void* storage, std::size_t& bytes, Data data, Count count, cudaStream_t stream = 0) {
    return ExclusiveSum(storage, bytes, data, data, count, stream);
  }
  template <typename Data, typename Count>
  static std::enable_if_t<std::is_integral_v<Count>, cudaError_t> InclusiveSum(
      void* storage, std::size_t& bytes, Data data, Count count, cudaStream_t stream = 0) {
    return InclusiveSum(storage, bytes, data, data, count, stream);
  }
  template <typename Data, typename Operator, typename T, typename Count>
  static std::enable_if_t<std::is_integral_v<Count>, cudaError_t> ExclusiveScan(
      void* storage, std::size_t& bytes, Data data, Operator op, T initial, Count count,
      cudaStream_t stream = 0) {
    return ExclusiveScan(storage, bytes, data, data, op, initial, count, stream);
  }
  template <typename Data, typename Operator, typename Count>
  static std::enable_if_t<std::is_integral_v<Count>, cudaError_t> InclusiveScan(
      void* storage, std::size_t& bytes, Data data, Operator op, Count count,
      cudaStream_t stream = 0) {
    return InclusiveScan(storage, bytes, data, data, op, count, stream);
  }

  // Runs of equal keys are scanned each for itself.
  template <typename Keys, typename In, typename Out, typename Operator, typename T, typename Count,
            typename Equal = Equality>
  static cudaError_t ExclusiveScanByKey(void* storage, std::size_t& bytes, Keys keys, In in,
                                        Out out, Operator op, T initial, Count count,
                                        Equal equal = {}, cudaStream_t stream = 0) {
    using accumulator = detail::accumulator<Operator, detail::value_of<In>, T>;
    return detail::run_on_device(storage, bytes, stream, [&] {
      const accumulator first = initial;
      by_key<accumulator>(keys, in, out, op, &first, true, count, equal);
    });
  }
  template <typename Keys, typename In, typename Out, typename Operator, typename Count,
            typename Equal = Equality>
  static cudaError_t InclusiveScanByKey(void* storage, std::size_t& bytes, Keys keys, In in,
                                        Out out, Operator op, Count count, Equal equal = {},
                                        cudaStream_t stream = 0) {
    using value = detail::value_of<In>;
    using accumulator = detail::accumulator<Operator, value, value>;
    return detail::run_on_device(storage, bytes, stream, [&] {
      by_key<accumulator>(keys, in, out, op, nullptr, false, count, equal);
    });
  }
  template <typename Keys, typename In, typename Out, typename Count, typename Equal = Equality>
  static cudaError_t ExclusiveSumByKey(void* storage, std::size_t& bytes, Keys keys, In in, Out out,
                                       Count count, Equal equal = {}, cudaStream_t stream = 0) {
    return ExclusiveScanByKey(storage, bytes, keys, in, out, CUB_NS_QUALIFIER::Sum{},
                              detail::value_of<In>{}, count, equal, stream);
  }
  template <typename Keys, typename In, typename Out, typename Count, typename Equal = Equality>
  static cudaError_t InclusiveSumByKey(void* storage, std::size_t& bytes, Keys keys, In in, Out out,
                                       Count count, Equal equal = {}, cudaStream_t stream = 0) {
    return InclusiveScanByKey(storage, bytes, keys, in, out, CUB_NS_QUALIFIER::Sum{}, count, equal,
                              stream);
  }

 private:
  template <typename Accumulator, typename In, typename Out, typename Operator>
  static void run(In in, Out out, Operator op, const Accumulator* initial, bool exclusive,
                  std::size_t count) {
    detail::loops::scan<Accumulator>(
        count, initial, exclusive, detail::loader<In, Accumulator>(in),
        [&](std::size_t i, const Accumulator& value) { out[i] = value; }, op);
  }
  template <typename Accumulator, typename Keys, typename In, typename Out, typename Operator,
            typename Equal>
  static void by_key(Keys keys, In in, Out out, Operator op, const Accumulator* initial,
                     bool exclusive, std::size_t count, Equal equal) {
    // The output may be the keys.
    const detail::loops::copy_of_input<detail::value_of<Keys>> all(keys, count);
    for (std::size_t first = 0; first < count;) {
      std::size_t end = first + 1;
      while (end < count && equal(all[end - 1], all[end]))
        ++end;
      run<Accumulator>(in + first, out + first, op, initial, exclusive, end - first);
      first = end;
    }
  }
};

CUB_NAMESPACE_END
