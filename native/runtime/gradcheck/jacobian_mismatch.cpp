#include "runtime/gradcheck/jacobian_mismatch.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "runtime/elements.h"

namespace opsmith {
namespace {

using Shape = std::vector<int64_t>;

// A cause is sought among numbers that carry the noise of finite differences, so a little looser
// than the check itself.
constexpr double cause_rtol = 1e-2;

Shape unravel(int64_t flat, const Shape& shape) {
  Shape index(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    index[dim] = flat % shape[dim];
    flat /= shape[dim];
  }
  return index;
}

std::string short_number(double value) {
  std::ostringstream text;
  text.precision(4);
  text << value;
  return text.str();
}

// "[0], [2] and 5 more"
std::string some_of(const at::Tensor& flat_indices, const Shape& shape) {
  std::string text;
  const int64_t count = flat_indices.numel(), shown = std::min<int64_t>(count, 3);
  for (int64_t i = 0; i < shown; ++i)
    text += (i == 0 ? "" : ", ") +
            c10::str(at::IntArrayRef(unravel(flat_indices[i].item<int64_t>(), shape)));
  if (count > shown) text += " and " + std::to_string(count - shown) + " more";
  return text;
}

class CauseFinder {
 public:
  CauseFinder(const at::Tensor& analytical, const at::Tensor& numerical, const Shape& input_shape,
              const Shape& output_shape, double rtol, double atol)
      : analytical_(analytical),
        numerical_(numerical),
        input_shape_(input_shape),
        output_shape_(output_shape),
        rtol_(std::max(rtol, cause_rtol)),
        atol_(atol),
        right_(at::isclose(analytical, numerical, rtol_, atol)),
        absent_(analytical.abs().le(atol)),
        wanted_(numerical.abs().gt(atol)) {}

  std::string find() const {
    for (const auto& rule : {&CauseFinder::not_a_number, &CauseFinder::all_zero,
                             &CauseFinder::factor, &CauseFinder::exchanged, &CauseFinder::missing,
                             &CauseFinder::partial_sum, &CauseFinder::few_elements}) {
      auto cause = (this->*rule)();
      if (!cause.empty()) return cause;
    }
    return "";
  }

 private:
  bool close(const at::Tensor& candidate) const {
    return at::allclose(candidate, numerical_, rtol_, atol_);
  }

  std::string not_a_number() const {
    const auto nan = [](const at::Tensor& tensor) { return at::isnan(tensor).any().item<bool>(); };
    if (nan(analytical_)) return "The gradient contains NaN.";
    if (nan(numerical_)) {
      return "The function returns NaN for inputs close to this point, so there is no numerical "
             "gradient to compare with. Choose other inputs.";
    }
    if (at::isinf(numerical_).any().item<bool>()) {
      return "The function returns inf for inputs close to this point, so there is no numerical "
             "gradient to compare with. Choose other inputs.";
    }
    return "";
  }

  std::string all_zero() const {
    if (absent_.all().item<bool>() && wanted_.any().item<bool>()) {
      return "The gradient is zero everywhere, but the output depends on this input.";
    }
    if (!wanted_.any().item<bool>()) {
      return "At this point, the output does not depend on this input, but the gradient is not "
             "zero.";
    }
    return "";
  }

  // The factor that fits best, in the sense of least squares.
  std::string factor() const {
    const auto square = (analytical_.conj() * analytical_).sum();
    const auto ratio = (analytical_.conj() * numerical_).sum() / square;
    if (!close(analytical_ * ratio)) return "";
    if (ratio.is_complex()) {
      const auto value = ratio.item<c10::complex<double>>();
      if (std::abs(value.imag()) > 1e-3 * std::abs(value.real())) {
        return "A factor is wrong: the gradient is the expected gradient times a complex constant.";
      }
    }
    const double inverse = 1 / at::real(ratio).item<double>();
    if (std::abs(inverse + 1) < 0.01) return "The sign is wrong: the gradient is negated.";
    const double nearest = std::round(inverse);
    const bool whole = nearest != 0 && std::abs(inverse - nearest) < 0.01 * std::abs(inverse);
    const double part = std::round(1 / inverse);
    if (!whole && part != 0 && std::abs(1 / inverse - part) < 0.01 * std::abs(1 / inverse)) {
      return "A factor is missing: the gradient should be multiplied by " + short_number(part) +
             ".";
    }
    return "A factor is wrong: the gradient is " + short_number(whole ? nearest : inverse) +
           " times the expected gradient.";
  }

  // The gradient of a transposed input, or one laid out as if the input were.
  std::string exchanged() const {
    for (size_t dim = 0; dim + 1 < input_shape_.size(); ++dim) {
      if (input_shape_[dim] < 2 || input_shape_[dim + 1] < 2) continue;
      auto sizes = input_shape_;
      std::swap(sizes[dim], sizes[dim + 1]);
      sizes.push_back(analytical_.size(1));
      const auto first = static_cast<int64_t>(dim);
      const auto turned =
          analytical_.reshape(sizes).transpose(first, first + 1).reshape(analytical_.sizes());
      if (close(turned)) {
        return "Dimensions " + std::to_string(dim) + " and " + std::to_string(dim + 1) +
               " of the gradient are exchanged: backward returns the transposed gradient.";
      }
    }
    return "";
  }

  // Each output element comes from one input element only, which others come from too.
  bool is_broadcast() const {
    return analytical_.size(0) < analytical_.size(1) && wanted_.sum(0).le(1).all().item<bool>();
  }

  std::string missing() const {
    if (is_broadcast()) {
      if (auto cause = partial_sum(); !cause.empty()) return cause;
    }
    const auto lost = absent_.logical_and(wanted_);
    if (!right_.logical_or(lost).all().item<bool>()) return "";
    const auto whole = [&](int64_t along) {
      // A row or column that is wanted somewhere, and absent throughout.
      return wanted_.any(along).logical_and(absent_.all(along)).nonzero().reshape(-1);
    };
    const auto rows = whole(1), columns = whole(0);
    const bool only_rows = lost.any(1).sum().item<int64_t>() == rows.numel();
    if (only_rows && rows.numel() > 0 && rows.numel() * 2 <= analytical_.size(0) + 1) {
      return "The gradient is zero for element" + std::string(rows.numel() > 1 ? "s " : " ") +
             some_of(rows, input_shape_) + " of the input, but correct for all other elements.";
    }
    if (columns.numel() > 0) {
      return "Element" + std::string(columns.numel() > 1 ? "s " : " ") +
             some_of(columns, output_shape_) + " of the output " +
             (columns.numel() > 1 ? "do" : "does") + " not contribute to the gradient.";
    }
    return "";
  }

  // What is there is right, but each input element lacks what it gives to other outputs.
  std::string partial_sum() const {
    const auto lost = absent_.logical_and(wanted_);
    if (!lost.any().item<bool>() || !right_.logical_or(lost).all().item<bool>()) return "";
    const auto wanted = wanted_.sum().item<int64_t>(), missing = lost.sum().item<int64_t>();
    return std::to_string(missing) + " of " + std::to_string(wanted) +
           " contributions of output elements to the gradient are missing. Backward may need a sum "
           "over a broadcast dimension.";
  }

  std::string few_elements() const {
    const auto wrong = right_.logical_not();
    const auto rows = wrong.any(1).nonzero().reshape(-1);
    const auto columns = wrong.any(0).nonzero().reshape(-1);
    if (rows.numel() == 0) return "";
    if (rows.numel() <= 3 && rows.numel() * 4 <= analytical_.size(0)) {
      return "Only the gradient of element" + std::string(rows.numel() > 1 ? "s " : " ") +
             some_of(rows, input_shape_) + " of the input is wrong.";
    }
    if (columns.numel() <= 3 && columns.numel() * 4 <= analytical_.size(1)) {
      return "Only the contribution of element" + std::string(columns.numel() > 1 ? "s " : " ") +
             some_of(columns, output_shape_) + " of the output is wrong.";
    }
    return "";
  }

  at::Tensor analytical_, numerical_;
  Shape input_shape_, output_shape_;
  double rtol_, atol_;
  at::Tensor right_, absent_, wanted_;
};

at::Tensor promoted(const at::Tensor& tensor, const at::Tensor& other) {
  return tensor.to(other.device(), at::promote_types(tensor.scalar_type(), other.scalar_type()));
}

struct Found {
  int64_t mismatched = 0, row = 0, column = 0;
  double max_absolute = 0;
  double worst = -1;  // of the element at row and column: its error as a part of its tolerance
};

// One pass over both, in blocks: `actual` is usually transposed, and each block of it is put right
// first. Read across its columns it would fetch the same cache line for every one of its elements.
Found scan(const at::Tensor& actual, const at::Tensor& expected, double rtol, double atol) {
  constexpr int64_t block = 32, cache_line = 8;
  const int64_t rows = actual.size(0), columns = actual.size(1);
  const auto* left = actual.const_data_ptr<double>();
  const auto* right = expected.const_data_ptr<double>();
  const int64_t left_row = actual.stride(0), left_column = actual.stride(1);
  const int64_t right_row = expected.stride(0), right_column = expected.stride(1);
  Found found;
  double& worst = found.worst;
  for (int64_t start = 0; start < columns; start += block) {
    for (int64_t top = 0; top < rows; top += block) {
      const int64_t bottom = std::min(top + block, rows), end = std::min(start + block, columns);
      double tile[block][block];
      for (int64_t column = start; column < end; ++column) {
        for (int64_t row = top; row < bottom; ++row)
          tile[row - top][column - start] = left[row * left_row + column * left_column];
      }
      for (int64_t row = top; row < bottom; ++row) {
        // The block below this one: its rows lie too far apart for the processor to guess.
        if (row + block < rows) {
          for (int64_t column = start; column < end; column += cache_line)
            __builtin_prefetch(right + (row + block) * right_row + column * right_column);
        }
        for (int64_t column = start; column < end; ++column) {
          const double a = tile[row - top][column - start];
          const double n = right[row * right_row + column * right_column];
          if (a == n) {  // equal infinities too
            worst = std::max(worst, 0.0);
            continue;
          }
          const double error = std::abs(a - n), allowed = atol + rtol * std::abs(n);
          // Only a new worst element is worth a division.
          if (error <= allowed && error <= worst * allowed && std::isfinite(error)) {
            found.max_absolute = std::max(found.max_absolute, error);
            continue;
          }
          // NaN, and an infinity beside anything else, are further out than any number.
          const bool close = error <= allowed && std::isfinite(error);
          double share = allowed > 0 ? error / allowed : std::numeric_limits<double>::infinity();
          if (std::isnan(share) || !std::isfinite(error)) {
            share = std::numeric_limits<double>::infinity();
          }
          if (!close) ++found.mismatched;
          if (std::isfinite(error)) found.max_absolute = std::max(found.max_absolute, error);
          if (share > worst) {
            worst = share;
            found.row = row;
            found.column = column;
          }
        }
      }
    }
  }
  return found;
}

// The same with operators of libtorch's, for every dtype and device.
Found look_through(const at::Tensor& actual, const at::Tensor& expected, double rtol, double atol) {
  Found found;
  if (actual.numel() == 0) return found;
  const auto close = at::isclose(actual, expected, rtol, atol);
  found.mismatched = actual.numel() - close.sum().item<int64_t>();
  const double infinity = std::numeric_limits<double>::infinity();
  const auto error = (actual - expected).abs();
  const auto finite = error.isfinite();
  if (finite.any().item<bool>()) {
    found.max_absolute = error.masked_select(finite).max().item<double>();
  }
  auto share = at::nan_to_num(error / (expected.abs() * rtol + atol), infinity, infinity);
  share = at::where(actual == expected, at::zeros_like(share), share);
  const auto flat = share.reshape(-1).argmax().item<int64_t>();
  found.row = flat / actual.size(1);
  found.column = flat % actual.size(1);
  found.worst = share.reshape(-1)[flat].item<double>();
  return found;
}

}  // namespace

void JacobianScan::add(const at::Tensor& analytical, const at::Tensor& numerical,
                       int64_t first_column) {
  if (analytical.numel() == 0) return;
  const auto actual = promoted(analytical, numerical), expected = promoted(numerical, actual);
  const bool scannable = actual.scalar_type() == at::kDouble && actual.is_cpu();
  const auto found = scannable ? scan(actual, expected, rtol_, atol_)
                               : look_through(actual, expected, rtol_, atol_);
  total_ += actual.numel();
  mismatched_ += found.mismatched;
  max_absolute_ = std::max(max_absolute_, found.max_absolute);
  if (found.worst <= worst_) return;
  worst_ = found.worst;
  row_ = found.row;
  column_ = first_column + found.column;
  // Copies: the memory may be used for the next part.
  analytical_ = actual[found.row][found.column].clone();
  numerical_ = expected[found.row][found.column].clone();
}

void JacobianScan::add(const JacobianScan& other) {
  total_ += other.total_;
  mismatched_ += other.mismatched_;
  max_absolute_ = std::max(max_absolute_, other.max_absolute_);
  if (other.worst_ <= worst_) return;
  worst_ = other.worst_;
  row_ = other.row_;
  column_ = other.column_;
  analytical_ = other.analytical_;
  numerical_ = other.numerical_;
}

JacobianComparison JacobianScan::result() const {
  JacobianComparison result;
  result.total = total_;
  result.mismatched = mismatched_;
  result.max_absolute = max_absolute_;
  result.matches = mismatched_ == 0;
  if (total_ == 0) return result;
  result.worst_row = row_;
  result.worst_column = column_;
  WorstElement worst;
  worst.input_index = unravel(row_, input_shape_);
  worst.output_index = unravel(column_, output_shape_);
  const auto magnitude = [](const at::Tensor& value) {
    return (value.is_complex() ? value.abs() : value).item<double>();
  };
  worst.analytical = magnitude(analytical_);
  worst.numerical = magnitude(numerical_);
  worst.analytical_text = element_text(analytical_);
  worst.numerical_text = element_text(numerical_);
  worst.absolute = magnitude((analytical_ - numerical_).abs());
  worst.relative = worst.absolute / numerical_.abs().item<double>();
  result.worst = std::move(worst);
  return result;
}

JacobianComparison compare_jacobians(const at::Tensor& analytical, const at::Tensor& numerical,
                                     const Shape& input_shape, const Shape& output_shape,
                                     double rtol, double atol) {
  JacobianScan scan(input_shape, output_shape, rtol, atol);
  scan.add(analytical, numerical, 0);
  return scan.result();
}

JacobianComparison compare_elements(Number analytical, Number numerical, double rtol, double atol) {
  const double error = std::abs(analytical - numerical);
  JacobianComparison result;
  result.total = 1;
  result.max_absolute = std::isfinite(error) ? error : 0;
  result.matches = analytical == numerical ||
                   (std::isfinite(error) && error <= atol + rtol * std::abs(numerical));
  result.mismatched = result.matches ? 0 : 1;
  return result;
}

std::string likely_cause(const at::Tensor& analytical, const at::Tensor& numerical,
                         const Shape& input_shape, const Shape& output_shape, double rtol,
                         double atol) {
  const auto actual = promoted(analytical, numerical), expected = promoted(numerical, actual);
  return CauseFinder(actual, expected, input_shape, output_shape, rtol, atol).find();
}

}  // namespace opsmith
