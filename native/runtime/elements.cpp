#include "runtime/elements.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace opsmith {
namespace {

// Runs stay in the first-level cache.
constexpr size_t run_length = 4096;
// Elements of one temporary copy, where one is needed.
constexpr int64_t piece_length = 1 << 20;

template <class T>
double as_double(T value) {
  return static_cast<double>(value);
}
template <class T>
double as_double(c10::complex<T> value) {
  return std::hypot(static_cast<double>(value.real()), static_cast<double>(value.imag()));
}

template <class T>
void visit_typed(const at::Tensor& dense, const std::function<void(const double*, size_t)>& visit) {
  const T* data = static_cast<const T*>(dense.const_data_ptr());
  const auto count = static_cast<size_t>(dense.numel());
  double run[run_length];
  for (size_t start = 0; start < count; start += run_length) {
    const size_t length = std::min(run_length, count - start);
    for (size_t i = 0; i < length; ++i)
      run[i] = as_double(data[start + i]);
    visit(run, length);
  }
}

// `dense` lies in the CPU's memory, non-overlapping and without gaps.
void visit_dense(const at::Tensor& dense, const std::function<void(const double*, size_t)>& visit) {
  switch (dense.scalar_type()) {
    case at::kDouble:
      return visit_typed<double>(dense, visit);
    case at::kFloat:
      return visit_typed<float>(dense, visit);
    case at::kHalf:
      return visit_typed<c10::Half>(dense, visit);
    case at::kBFloat16:
      return visit_typed<c10::BFloat16>(dense, visit);
    case at::kComplexFloat:
      return visit_typed<c10::complex<float>>(dense, visit);
    case at::kComplexDouble:
      return visit_typed<c10::complex<double>>(dense, visit);
    case at::kLong:
      return visit_typed<int64_t>(dense, visit);
    case at::kInt:
      return visit_typed<int32_t>(dense, visit);
    case at::kShort:
      return visit_typed<int16_t>(dense, visit);
    case at::kChar:
      return visit_typed<int8_t>(dense, visit);
    case at::kByte:
      return visit_typed<uint8_t>(dense, visit);
    case at::kBool:
      return visit_typed<bool>(dense, visit);
    default:
      return visit_typed<double>(dense.to(at::kDouble), visit);
  }
}

void visit_strided(const at::Tensor& tensor,
                   const std::function<void(const double*, size_t)>& visit) {
  if (tensor.numel() == 0) return;
  if (tensor.is_cpu() && tensor.is_non_overlapping_and_dense() && !tensor.is_conj() &&
      !tensor.is_neg()) {
    return visit_dense(tensor, visit);
  }
  if (tensor.numel() <= piece_length) {
    return visit_dense(tensor.cpu().contiguous().resolve_conj().resolve_neg(), visit);
  }
  // Along the first dimension that can be split, so that the order stays the logical one.
  int64_t dimension = 0;
  while (tensor.size(dimension) == 1)
    ++dimension;
  const int64_t size = tensor.size(dimension);
  const int64_t step = std::max<int64_t>(1, piece_length / (tensor.numel() / size));
  for (int64_t start = 0; start < size; start += step) {
    visit_strided(tensor.narrow(dimension, start, std::min(step, size - start)), visit);
  }
}

template <class T>
std::string shortest(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char text[64];
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  return {text, end};
}

template <class T>
std::string complex_text(c10::complex<T> value) {
  const std::string imaginary = shortest(value.imag());
  return "(" + shortest(value.real()) + (imaginary[0] == '-' ? "" : "+") + imaginary + "j)";
}

}  // namespace

void for_each_run(const at::Tensor& tensor,
                  const std::function<void(const double*, size_t)>& visit) {
  if (!tensor.defined() || tensor.is_meta()) return;
  at::Tensor plain = tensor.detach();
  if (plain.is_quantized()) plain = plain.dequantize();
  if (plain.layout() != at::kStrided) plain = plain.to_dense();
  visit_strided(plain, visit);
}

TensorStats compute_stats(const at::Tensor& tensor) {
  TensorStats stats;
  stats.count = tensor.numel();
  double low = std::numeric_limits<double>::infinity(), high = -low;
  double mean = 0, squares = 0;
  int64_t finite = 0;
  for_each_run(tensor, [&](const double* run, size_t length) {
    double sum = 0;
    int64_t count = 0;
    for (size_t i = 0; i < length; ++i) {
      const double value = run[i];
      if (std::isfinite(value)) {
        sum += value;
        ++count;
        low = std::min(low, value);
        high = std::max(high, value);
        stats.zeros += value == 0;
      } else if (std::isnan(value)) {
        ++stats.nan;
      } else {
        ++(value > 0 ? stats.pos_inf : stats.neg_inf);
      }
    }
    if (count == 0) return;
    // Divided before it is added up, where the sum of very large values would overflow.
    double run_mean = sum / static_cast<double>(count);
    if (!std::isfinite(run_mean)) {
      run_mean = 0;
      for (size_t i = 0; i < length; ++i) {
        if (std::isfinite(run[i])) run_mean += run[i] / static_cast<double>(count);
      }
    }
    double run_squares = 0;
    for (size_t i = 0; i < length; ++i) {
      if (std::isfinite(run[i])) run_squares += (run[i] - run_mean) * (run[i] - run_mean);
    }
    const double difference = run_mean - mean;
    const auto total = static_cast<double>(finite + count);
    mean += difference * (static_cast<double>(count) / total);
    squares += run_squares + difference * difference * static_cast<double>(finite) *
                                 (static_cast<double>(count) / total);
    finite += count;
  });
  if (finite > 0) {
    stats.min = low;
    stats.max = high;
    stats.mean = mean;
  }
  if (finite > 1) stats.std = std::sqrt(squares / static_cast<double>(finite - 1));
  return stats;
}

Histogram compute_histogram(const at::Tensor& tensor, int64_t bin_count) {
  const auto stats = compute_stats(tensor);
  double low = stats.min.value_or(0), high = stats.max.value_or(1);
  if (low == high) {
    const double half = std::max(0.5, std::abs(low) * 1e-6);
    low -= half;
    high += half;
  }
  Histogram histogram;
  histogram.counts.assign(static_cast<size_t>(bin_count), 0);
  const auto bins = static_cast<double>(bin_count);
  for (int64_t i = 0; i <= bin_count; ++i) {
    const double part = static_cast<double>(i) / bins;
    histogram.edges.push_back(i == bin_count ? high : low * (1 - part) + high * part);
  }
  if (!stats.min) return histogram;
  const double scale = bins / (high / 2 - low / 2) / 2;  // halves: high - low may overflow
  for_each_run(tensor, [&](const double* run, size_t length) {
    for (size_t i = 0; i < length; ++i) {
      if (!std::isfinite(run[i])) continue;
      auto bin = static_cast<int64_t>((run[i] - low) * scale);
      bin = std::min(std::max<int64_t>(bin, 0), bin_count - 1);
      // The edges decide where rounding puts a value beside its bin.
      if (bin > 0 && run[i] < histogram.edges[static_cast<size_t>(bin)]) --bin;
      if (bin + 1 < bin_count && run[i] >= histogram.edges[static_cast<size_t>(bin) + 1]) ++bin;
      ++histogram.counts[static_cast<size_t>(bin)];
    }
  });
  return histogram;
}

std::string element_text(const at::Tensor& tensor) {
  const auto scalar = tensor.item();
  switch (tensor.scalar_type()) {
    case at::kComplexFloat:
      return complex_text(static_cast<c10::complex<float>>(scalar.toComplexFloat()));
    case at::kComplexDouble:
      return complex_text(scalar.toComplexDouble());
    case at::kFloat:
      return shortest(scalar.toFloat());
    default:
      break;
  }
  if (scalar.isBoolean()) return scalar.toBool() ? "true" : "false";
  if (scalar.isIntegral(false)) return std::to_string(scalar.toLong());
  return shortest(scalar.toDouble());
}

}  // namespace opsmith
