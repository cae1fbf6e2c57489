#include "runtime/comparison.h"

#include <ATen/ops/empty.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "runtime/dtypes.h"

namespace opsmith {
namespace {

struct DtypeTolerances {
  double rtol, atol;
};

// torch/testing/_comparison.py, _DTYPE_PRECISIONS; integers and bool are exact.
DtypeTolerances tolerances_of(at::ScalarType dtype) {
  switch (dtype) {
    case at::kHalf:
      return {1e-3, 1e-5};
    case at::kBFloat16:
      return {1.6e-2, 1e-5};
    case at::kFloat:
    case at::kComplexFloat:
      return {1.3e-6, 1e-5};
    case at::kDouble:
    case at::kComplexDouble:
      return {1e-7, 1e-7};
    case at::ScalarType::ComplexHalf:
      return {1e-3, 1e-5};
    default:
      return {0, 0};
  }
}

// Goes through both tensors together and keeps the tally.
class Tally {
 public:
  explicit Tally(Comparison& comparison) : comparison_(comparison) {}

  void add(int64_t position, double actual, double expected, double error, double magnitude) {
    const bool is_worse = std::isnan(error) ? !std::isnan(worst_error_) : error > worst_error_;
    if (worst_position_ < 0 || is_worse) {
      worst_error_ = error;
      worst_position_ = position;
      comparison_.actual = actual;
      comparison_.expected = expected;
    }
    const double relative = error == 0 ? 0 : error / magnitude;
    if (std::isnan(relative) || relative > comparison_.max_relative) {
      if (!std::isnan(comparison_.max_relative)) comparison_.max_relative = relative;
    }
    // Written so that NaN fails.
    const bool matches = error == 0 || (std::isfinite(error) &&
                                        error <= comparison_.atol + comparison_.rtol * magnitude);
    if (!matches) ++comparison_.mismatched;
  }

  void finish(at::IntArrayRef sizes) {
    if (worst_position_ < 0) return;
    comparison_.max_absolute = worst_error_;
    comparison_.index.resize(sizes.size());
    int64_t rest = worst_position_;
    for (size_t i = sizes.size(); i-- > 0;) {
      comparison_.index[i] = rest % sizes[i];
      rest /= sizes[i];
    }
  }

 private:
  Comparison& comparison_;
  double worst_error_ = 0;
  int64_t worst_position_ = -1;
};

void add_real(Tally& tally, int64_t i, double actual, double expected, double& difference) {
  difference = actual - expected;
  // inf - inf is NaN, but equal infinities match.
  if (actual == expected) difference = 0;
  tally.add(i, actual, expected, std::abs(difference), std::abs(expected));
}

void add_integer(Tally& tally, int64_t i, int64_t actual, int64_t expected, double& difference) {
  // Exact where doubles are not: the difference of two int64 fits 128 bits.
  difference = static_cast<double>(static_cast<__int128>(actual) - expected);
  tally.add(i, static_cast<double>(actual), static_cast<double>(expected), std::abs(difference),
            std::abs(static_cast<double>(expected)));
}

void add_complex(Tally& tally, int64_t i, c10::complex<double> actual,
                 c10::complex<double> expected, double& difference) {
  const auto error = actual - expected;
  difference = actual == expected ? 0 : std::hypot(error.real(), error.imag());
  tally.add(i, std::hypot(actual.real(), actual.imag()),
            std::hypot(expected.real(), expected.imag()), difference,
            std::hypot(expected.real(), expected.imag()));
}

template <class T, class Add>
void tally_elements(const at::Tensor& actual, const at::Tensor& expected, at::ScalarType dtype,
                    Tally& tally, at::Tensor& difference, Add add) {
  const auto left = actual.to(dtype).contiguous().resolve_conj().resolve_neg();
  const auto right = expected.to(dtype).contiguous().resolve_conj().resolve_neg();
  const T* a = left.const_data_ptr<T>();
  const T* b = right.const_data_ptr<T>();
  double* out = difference.mutable_data_ptr<double>();
  for (int64_t i = 0; i < left.numel(); ++i)
    add(tally, i, a[i], b[i], out[i]);
}

at::Tensor on_cpu(const at::Tensor& tensor) {
  auto plain = tensor.detach();
  if (plain.is_quantized()) plain = plain.dequantize();
  if (plain.layout() != at::kStrided) plain = plain.to_dense();
  return plain.cpu();
}

void compare_tensors(const at::Tensor& actual, const at::Tensor& expected, const Tolerances& given,
                     Comparison& result) {
  const auto mine = tolerances_of(actual.scalar_type());
  const auto theirs = tolerances_of(expected.scalar_type());
  result.rtol = given.rtol.value_or(std::max(mine.rtol, theirs.rtol));
  result.atol = given.atol.value_or(std::max(mine.atol, theirs.atol));
  result.total = actual.numel();
  if (actual.sizes() != expected.sizes()) {
    result.message =
        "shape " + c10::str(actual.sizes()) + " instead of " + c10::str(expected.sizes());
    return;
  }
  const auto left = on_cpu(actual), right = on_cpu(expected);
  auto difference = at::empty(left.sizes(), at::TensorOptions().dtype(at::kDouble));
  Tally tally(result);
  if (left.is_complex() || right.is_complex()) {
    tally_elements<c10::complex<double>>(left, right, at::kComplexDouble, tally, difference,
                                         add_complex);
  } else if (c10::isIntegralType(left.scalar_type(), true) &&
             c10::isIntegralType(right.scalar_type(), true)) {
    tally_elements<int64_t>(left, right, at::kLong, tally, difference, add_integer);
  } else {
    tally_elements<double>(left, right, at::kDouble, tally, difference, add_real);
  }
  tally.finish(left.sizes());
  result.difference = store_tensor(difference);
  result.matches = result.mismatched == 0;
  if (actual.scalar_type() != expected.scalar_type()) {
    result.matches = false;
    result.message = "dtype " + dtype_name(actual.scalar_type()) + " instead of " +
                     dtype_name(expected.scalar_type());
  } else if (actual.device() != expected.device()) {
    result.matches = false;
    result.message = "device " + actual.device().str() + " instead of " + expected.device().str();
  } else if (!result.matches) {
    result.message = std::to_string(result.mismatched) + " of " + std::to_string(result.total) +
                     " elements differ by more than the tolerance";
  }
}

bool is_number(const c10::IValue& value) {
  return value.isInt() || value.isDouble();
}

double number_value(const c10::IValue& value) {
  return value.isInt() ? static_cast<double>(value.toInt()) : value.toDouble();
}

}  // namespace

Comparison compare(int64_t output, const c10::IValue& actual, const c10::IValue& expected,
                   const Tolerances& tolerances) {
  Comparison result;
  result.output = output;
  if (actual.isTensor() && expected.isTensor() && actual.toTensor().defined() &&
      expected.toTensor().defined()) {
    compare_tensors(actual.toTensor(), expected.toTensor(), tolerances, result);
    return result;
  }
  result.total = 1;
  if (is_number(actual) && is_number(expected)) {
    const bool exact = actual.isInt() && expected.isInt();
    const auto defaults = tolerances_of(exact ? at::kLong : at::kDouble);
    result.rtol = tolerances.rtol.value_or(defaults.rtol);
    result.atol = tolerances.atol.value_or(defaults.atol);
    Tally tally(result);
    double difference = 0;
    if (exact) {
      add_integer(tally, 0, actual.toInt(), expected.toInt(), difference);
    } else {
      add_real(tally, 0, number_value(actual), number_value(expected), difference);
    }
    tally.finish({});
    result.matches = result.mismatched == 0;
  } else {
    result.matches = actual.isTensor() == expected.isTensor() && !actual.isTensor() &&
                     c10::str(actual) == c10::str(expected);
    result.mismatched = result.matches ? 0 : 1;
  }
  if (!result.matches) {
    const auto shown = [](const c10::IValue& value) {
      return value.isTensor() ? std::string("a tensor") : c10::str(value);
    };
    result.message = shown(actual) + " instead of " + shown(expected);
  }
  return result;
}

}  // namespace opsmith
