#pragma once
#include <opsmith/gpu/cub_device.h>

CUB_NAMESPACE_BEGIN

// A histogram of L levels has L - 1 bins. Samples outside of the levels are not counted.
struct DeviceHistogram {
  template <typename Samples, typename Counter, typename Level, typename Offset>
  static cudaError_t HistogramEven(void* storage, std::size_t& bytes, Samples samples,
                                   Counter* histogram, int levels, Level lower, Level upper,
                                   Offset count, cudaStream_t stream = 0, bool = false) {
    return HistogramEven(storage, bytes, samples, histogram, levels, lower, upper, count, Offset{1},
                         std::size_t{0}, stream);
  }
  template <typename Samples, typename Counter, typename Level, typename Offset>
  static cudaError_t HistogramEven(void* storage, std::size_t& bytes, Samples samples,
                                   Counter* histogram, int levels, Level lower, Level upper,
                                   Offset row_samples, Offset rows, std::size_t row_stride_bytes,
                                   cudaStream_t stream = 0, bool = false) {
    return MultiHistogramEven<1, 1>(storage, bytes, samples, &histogram, &levels, &lower, &upper,
                                    row_samples, rows, row_stride_bytes, stream);
  }
  template <int Channels, int ActiveChannels, typename Samples, typename Counter, typename Level,
            typename Offset>
  static cudaError_t MultiHistogramEven(void* storage, std::size_t& bytes, Samples samples,
                                        Counter* const* histograms, const int* levels,
                                        const Level* lower, const Level* upper, Offset pixels,
                                        cudaStream_t stream = 0, bool = false) {
    return MultiHistogramEven<Channels, ActiveChannels>(storage, bytes, samples, histograms, levels,
                                                        lower, upper, pixels, Offset{1},
                                                        std::size_t{0}, stream);
  }
  template <int Channels, int ActiveChannels, typename Samples, typename Counter, typename Level,
            typename Offset>
  static cudaError_t MultiHistogramEven(void* storage, std::size_t& bytes, Samples samples,
                                        Counter* const* histograms, const int* levels,
                                        const Level* lower, const Level* upper, Offset row_pixels,
                                        Offset rows, std::size_t row_stride_bytes,
                                        cudaStream_t stream = 0, bool = false) {
    return count<Channels, ActiveChannels>(
        storage, bytes, samples, histograms, levels, row_pixels, rows, row_stride_bytes, stream,
        [&](int channel, const auto& sample) {
          return bin_of(sample, levels[channel], lower[channel], upper[channel]);
        });
  }

  template <typename Samples, typename Counter, typename Level, typename Offset>
  static cudaError_t HistogramRange(void* storage, std::size_t& bytes, Samples samples,
                                    Counter* histogram, int num_levels, const Level* levels,
                                    Offset count, cudaStream_t stream = 0, bool = false) {
    return HistogramRange(storage, bytes, samples, histogram, num_levels, levels, count, Offset{1},
                          std::size_t{0}, stream);
  }
  template <typename Samples, typename Counter, typename Level, typename Offset>
  static cudaError_t HistogramRange(void* storage, std::size_t& bytes, Samples samples,
                                    Counter* histogram, int num_levels, const Level* levels,
                                    Offset row_samples, Offset rows, std::size_t row_stride_bytes,
                                    cudaStream_t stream = 0, bool = false) {
    return MultiHistogramRange<1, 1>(storage, bytes, samples, &histogram, &num_levels, &levels,
                                     row_samples, rows, row_stride_bytes, stream);
  }
  template <int Channels, int ActiveChannels, typename Samples, typename Counter, typename Level,
            typename Offset>
  static cudaError_t MultiHistogramRange(void* storage, std::size_t& bytes, Samples samples,
                                         Counter* const* histograms, const int* num_levels,
                                         const Level* const* levels, Offset pixels,
                                         cudaStream_t stream = 0, bool = false) {
    return MultiHistogramRange<Channels, ActiveChannels>(storage, bytes, samples, histograms,
                                                         num_levels, levels, pixels, Offset{1},
                                                         std::size_t{0}, stream);
  }
  template <int Channels, int ActiveChannels, typename Samples, typename Counter, typename Level,
            typename Offset>
  static cudaError_t MultiHistogramRange(void* storage, std::size_t& bytes, Samples samples,
                                         Counter* const* histograms, const int* num_levels,
                                         const Level* const* levels, Offset row_pixels, Offset rows,
                                         std::size_t row_stride_bytes, cudaStream_t stream = 0,
                                         bool = false) {
    return count<Channels, ActiveChannels>(
        storage, bytes, samples, histograms, num_levels, row_pixels, rows, row_stride_bytes, stream,
        [&](int channel, const auto& sample) {
          const Level value = static_cast<Level>(sample);
          int bin = -1;
          while (bin + 1 < num_levels[channel] && !(value < levels[channel][bin + 1]))
            ++bin;
          return bin;
        });
  }

 private:
  template <typename Sample, typename Level>
  static int bin_of(const Sample& sample, int levels, Level lower, Level upper) {
    using common = std::common_type_t<Sample, Level>;
    const common value = static_cast<common>(sample);
    const common low = static_cast<common>(lower);
    const common high = static_cast<common>(upper);
    if (!(value >= low && value < high)) return -1;
    if constexpr (std::is_integral_v<common>) {
      using wide = unsigned __int128;
      using bits = std::make_unsigned_t<common>;
      const bits distance = static_cast<bits>(value) - static_cast<bits>(low);
      const bits span = static_cast<bits>(high) - static_cast<bits>(low);
      return static_cast<int>(static_cast<wide>(distance) * (levels - 1) / span);
    } else {
      const int bin =
          static_cast<int>((value - low) * (static_cast<common>(levels - 1) / (high - low)));
      return bin < levels - 1 ? bin : levels - 2;
    }
  }

  template <int Channels, int ActiveChannels, typename Samples, typename Counter, typename Offset,
            typename Bin>
  static cudaError_t count(void* storage, std::size_t& bytes, Samples samples,
                           Counter* const* histograms, const int* levels, Offset row_pixels,
                           Offset rows, std::size_t row_stride_bytes, cudaStream_t stream,
                           Bin bin) {
    return detail::run_on_device(storage, bytes, stream, [&] {
      for (int channel = 0; channel < ActiveChannels; ++channel) {
        for (int i = 0; i + 1 < levels[channel]; ++i)
          histograms[channel][i] = 0;
      }
      const std::size_t row_stride = row_stride_bytes / sizeof(detail::value_of<Samples>);
      for (Offset row = 0; row < rows; ++row) {
        for (Offset pixel = 0; pixel < row_pixels; ++pixel) {
          for (int channel = 0; channel < ActiveChannels; ++channel) {
            const detail::value_of<Samples> sample =
                samples[row * row_stride + pixel * Channels + channel];
            const int at = bin(channel, sample);
            if (at >= 0 && at < levels[channel] - 1) ++histograms[channel][at];
          }
        }
      }
    });
  }
};

CUB_NAMESPACE_END
