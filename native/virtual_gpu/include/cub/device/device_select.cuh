#pragma once
#include <opsmith/gpu/cub_device.h>

CUB_NAMESPACE_BEGIN

struct DeviceSelect {
  template <typename In, typename Flags, typename Out, typename Selected, typename Count>
  static cudaError_t Flagged(void* storage, std::size_t& bytes, In in, Flags flags, Out out,
                             Selected selected, Count count, cudaStream_t stream = 0,
                             bool = false) {
    return select(storage, bytes, in, out, selected, count, stream,
                  [&](std::size_t i, const auto&) { return static_cast<bool>(flags[i]); });
  }
  template <typename Data, typename Flags, typename Selected, typename Count>
  static std::enable_if_t<std::is_integral_v<Count>, cudaError_t> Flagged(
      void* storage, std::size_t& bytes, Data data, Flags flags, Selected selected, Count count,
      cudaStream_t stream = 0) {
    return Flagged(storage, bytes, data, flags, data, selected, count, stream);
  }
  template <typename In, typename Out, typename Selected, typename Count, typename Operator>
  static std::enable_if_t<std::is_integral_v<Count>, cudaError_t> If(
      void* storage, std::size_t& bytes, In in, Out out, Selected selected, Count count,
      Operator op, cudaStream_t stream = 0, bool = false) {
    return select(storage, bytes, in, out, selected, count, stream,
                  [&](std::size_t, const auto& item) { return static_cast<bool>(op(item)); });
  }
  template <typename Data, typename Selected, typename Count, typename Operator>
  static std::enable_if_t<std::is_integral_v<Count>, cudaError_t> If(void* storage,
                                                                     std::size_t& bytes, Data data,
                                                                     Selected selected, Count count,
                                                                     Operator op,
                                                                     cudaStream_t stream = 0) {
    return If(storage, bytes, data, data, selected, count, op, stream);
  }
  template <typename In, typename Flags, typename Out, typename Selected, typename Count,
            typename Operator>
  static cudaError_t FlaggedIf(void* storage, std::size_t& bytes, In in, Flags flags, Out out,
                               Selected selected, Count count, Operator op,
                               cudaStream_t stream = 0) {
    return select(storage, bytes, in, out, selected, count, stream,
                  [&](std::size_t i, const auto&) { return static_cast<bool>(op(flags[i])); });
  }
  // The first of each run of equal items.
  template <typename In, typename Out, typename Selected, typename Count>
  static cudaError_t Unique(void* storage, std::size_t& bytes, In in, Out out, Selected selected,
                            Count count, cudaStream_t stream = 0, bool = false) {
    return detail::run_on_device(storage, bytes, stream, [&] {
      using item = detail::value_of<In>;
      std::size_t to = 0;
      item previous{};
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const item current = in[i];
        if (i == 0 || !(previous == current)) out[to++] = current;
        previous = current;
      }
      *selected = to;
    });
  }
  template <typename Keys, typename Values, typename KeysOut, typename ValuesOut, typename Selected,
            typename Count, typename Equal>
  static std::enable_if_t<!std::is_pointer_v<Equal>, cudaError_t> UniqueByKey(
      void* storage, std::size_t& bytes, Keys keys, Values values, KeysOut keys_out,
      ValuesOut values_out, Selected selected, Count count, Equal equal, cudaStream_t stream = 0) {
    return detail::run_on_device(storage, bytes, stream, [&] {
      using key = detail::value_of<Keys>;
      std::size_t to = 0;
      key previous{};
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const key current = keys[i];
        if (i == 0 || !equal(previous, current)) {
          keys_out[to] = current;
          values_out[to++] = values[i];
        }
        previous = current;
      }
      *selected = to;
    });
  }
  template <typename Keys, typename Values, typename KeysOut, typename ValuesOut, typename Selected,
            typename Count>
  static cudaError_t UniqueByKey(void* storage, std::size_t& bytes, Keys keys, Values values,
                                 KeysOut keys_out, ValuesOut values_out, Selected selected,
                                 Count count, cudaStream_t stream = 0) {
    return UniqueByKey(storage, bytes, keys, values, keys_out, values_out, selected, count,
                       Equality{}, stream);
  }

 private:
  template <typename In, typename Out, typename Selected, typename Count, typename Test>
  static cudaError_t select(void* storage, std::size_t& bytes, In in, Out out, Selected selected,
                            Count count, cudaStream_t stream, Test test) {
    return detail::run_on_device(storage, bytes, stream, [&] {
      std::size_t to = 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const detail::value_of<In> item = in[i];
        if (test(i, item)) out[to++] = item;
      }
      *selected = to;
    });
  }
};

CUB_NAMESPACE_END
