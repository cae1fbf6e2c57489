#pragma once
#include <opsmith/gpu/cub_device.h>

CUB_NAMESPACE_BEGIN

struct DeviceRunLengthEncode {
  template <typename In, typename Unique, typename Counts, typename Runs, typename Count>
  static cudaError_t Encode(void* storage, std::size_t& bytes, In in, Unique unique, Counts counts,
                            Runs runs, Count count, cudaStream_t stream = 0, bool = false) {
    return detail::run_on_device(storage, bytes, stream, [&] {
      std::size_t run = 0;
      each_run(in, static_cast<std::size_t>(count),
               [&](std::size_t first, std::size_t length, const auto& item) {
                 static_cast<void>(first);
                 unique[run] = item;
                 counts[run] = length;
                 ++run;
               });
      *runs = run;
    });
  }
  // Runs of more than one item.
  template <typename In, typename Offsets, typename Lengths, typename Runs, typename Count>
  static cudaError_t NonTrivialRuns(void* storage, std::size_t& bytes, In in, Offsets offsets,
                                    Lengths lengths, Runs runs, Count count,
                                    cudaStream_t stream = 0, bool = false) {
    return detail::run_on_device(storage, bytes, stream, [&] {
      std::size_t run = 0;
      each_run(in, static_cast<std::size_t>(count),
               [&](std::size_t first, std::size_t length, const auto&) {
                 if (length < 2) return;
                 offsets[run] = first;
                 lengths[run] = length;
                 ++run;
               });
      *runs = run;
    });
  }

 private:
  template <typename In, typename Visit>
  static void each_run(In in, std::size_t count, Visit visit) {
    for (std::size_t first = 0; first < count;) {
      const detail::value_of<In> item = in[first];
      std::size_t end = first + 1;
      while (end < count && in[end] == item)
        ++end;
      visit(first, end - first, item);
      first = end;
    }
  }
};

CUB_NAMESPACE_END
