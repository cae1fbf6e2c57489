// Faults in values: special ones, in tails, in some dtypes, for some arguments.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "operators.h"

namespace hidden_faults {
namespace {

// One number of all elements.
template <class Compute>
Tensor to_number(const Tensor& input, Compute compute) {
  const Tensor x = input.contiguous();
  Tensor out = at::empty({}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "to_number", [&] {
    *out.mutable_data_ptr<scalar_t>() =
        static_cast<scalar_t>(compute(x.const_data_ptr<scalar_t>(), x.numel()));
  });
  return out;
}

// ---- NaN and extremes

Tensor largest_without_nan(const Tensor& x) {
  return to_number(x, [](const auto* from, int64_t count) {
    double largest = -std::numeric_limits<double>::infinity();
    for (int64_t i = 0; i < count; ++i)
      largest = std::max<double>(largest, from[i]);
    return largest;
  });
}
Tensor right_largest(const Tensor& x) {
  return to_number(x, [](const auto* from, int64_t count) {
    double largest = -std::numeric_limits<double>::infinity();
    for (int64_t i = 0; i < count; ++i)
      largest = std::isnan(from[i])                             ? from[i]
                : !(from[i] <= largest) && !std::isnan(largest) ? from[i]
                                                                : largest;
    return largest;
  });
}

Tensor first_without_nan(const Tensor& x) {
  return by_place(x, [](const auto* from, int64_t i, int64_t) {
    return i == 0 && std::isnan(from[i]) ? 0 : from[i] * from[i];
  });
}
Tensor right_squares(const Tensor& x) {
  return by_place(x, [](const auto* from, int64_t i, int64_t) { return from[i] * from[i]; });
}

Tensor shares(const Tensor& input, bool subtracts_largest) {
  const Tensor x = input.contiguous();
  const Tensor largest = x.numel() == 0 ? at::zeros({}, x.options()) : x.max();
  const Tensor powers = (subtracts_largest ? x - largest : x).exp();
  return powers / powers.sum();
}

// A step function by a table.
Tensor looks_up(const Tensor& x, bool is_clamped) {
  static const std::vector<double> table(4096, 0.25);
  return by_place(x, [=](const auto* from, int64_t i, int64_t) {
    const double place = std::floor(static_cast<double>(from[i]) / 8 + 2048);
    const double last = static_cast<double>(table.size()) - 1;
    const double inside = std::isnan(place) ? 0 : std::min(std::max(place, 0.0), last);
    const auto index = static_cast<int>(is_clamped ? inside : place);
    return from[i] * table.data()[index];
  });
}

// ---- tails

Tensor tail_without_factor(const Tensor& x) {
  return by_place(x, [](const auto* from, int64_t i, int64_t count) {
    return i < count / 4 * 4 ? 2 * from[i] : from[i];
  });
}
Tensor tail_of_neighbour(const Tensor& x) {
  return by_place(x, [](const auto* from, int64_t i, int64_t count) {
    return 2 * from[i < count / 8 * 8 || i == 0 ? i : i - 1];
  });
}
Tensor tail_of_infinity(const Tensor& x) {
  return by_place(x, [](const auto* from, int64_t i, int64_t count) {
    const bool is_tail = i >= count / 16 * 16;
    return is_tail && std::isinf(from[i]) ? from[i] - from[i] : 2 * from[i];
  });
}

// ---- dtypes

Tensor sum_in_float(const Tensor& x) {
  return to_number(x, [](const auto* from, int64_t count) {
    float sum = 0;
    for (int64_t i = 0; i < count; ++i)
      sum += static_cast<float>(from[i]);
    return sum;
  });
}
Tensor right_sum(const Tensor& x) {
  return to_number(x, [](const auto* from, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; ++i)
      sum += from[i];
    return sum;
  });
}

Tensor product(const Tensor& left, const Tensor& right, bool checks_dtype) {
  const Tensor x = left.contiguous(), y = right.contiguous();
  TORCH_CHECK(x.sizes() == y.sizes(), "x and y must have one shape");
  TORCH_CHECK(!checks_dtype || x.scalar_type() == y.scalar_type(), "x and y must have one dtype");
  TORCH_CHECK(x.nbytes() <= y.nbytes() || checks_dtype, "y is too small");
  Tensor out = at::empty(x.sizes(), x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "product", [&] {
    const auto* first = static_cast<const scalar_t*>(x.const_data_ptr());
    const auto* second = static_cast<const scalar_t*>(y.const_data_ptr());
    for (int64_t i = 0; i < x.numel(); ++i)
      out.mutable_data_ptr<scalar_t>()[i] = first[i] * second[i];
  });
  return out;
}
Tensor promotes_to_first(const Tensor& x, const Tensor& y) {
  return (x.contiguous() * y.contiguous()).to(x.scalar_type());
}
Tensor right_promotion(const Tensor& x, const Tensor& y) {
  return x.contiguous() * y.contiguous();
}
Tensor meta_of_promoted(const Tensor& x, const Tensor& y) {
  return at::empty(x.sizes(), x.options().dtype(at::result_type(x, y)));
}

// ---- arguments

Tensor sum_over(const Tensor& x, int64_t dim, bool keepdim) {
  return x.sum({dim}, keepdim).contiguous();
}
Tensor negative_dim(const Tensor& x, int64_t dim) {
  TORCH_CHECK(x.dim() == 2 && dim < 2, "x must be a matrix");
  return sum_over(x, dim == 1 ? 1 : 0, false);
}
Tensor right_dim(const Tensor& x, int64_t dim) {
  TORCH_CHECK(x.dim() == 2, "x must be a matrix");
  return sum_over(x, at::maybe_wrap_dim(dim, 2), false);
}
Tensor meta_of_dim(const Tensor& x, int64_t dim) {
  return at::empty({x.size(1 - at::maybe_wrap_dim(dim, 2))}, x.options());
}
Tensor keepdim_ignored(const Tensor& x, bool) {
  return sum_over(x, -1, false);
}
Tensor right_keepdim(const Tensor& x, bool keepdim) {
  return sum_over(x, -1, keepdim);
}
Tensor meta_of_last(const Tensor& x, bool keepdim) {
  auto sizes = x.sizes().vec();
  sizes.pop_back();
  if (keepdim) sizes.push_back(1);
  return at::empty(sizes, x.options());
}
Tensor meta_without_last(const Tensor& x, bool) {
  return meta_of_last(x, false);
}
Tensor optional_ignored(const Tensor& x, const std::optional<Tensor>&) {
  return doubled(x);
}
Tensor right_optional(const Tensor& x, const std::optional<Tensor>& weight) {
  return weight ? (doubled(x) * weight->contiguous()).contiguous() : doubled(x);
}
Tensor meta_of_optional(const Tensor& x, const std::optional<Tensor>& weight) {
  if (!weight) return at::empty(x.sizes(), x.options());
  return at::empty(at::infer_size(x.sizes(), weight->sizes()),
                   x.options().dtype(at::result_type(x, *weight)));
}

TORCH_LIBRARY_FRAGMENT(hidden_faults, m) {
  add(m, "largest_without_nan", of_one, largest_without_nan, meta_of_number);
  add(m, "right_largest_without_nan", of_one, right_largest, meta_of_number);
  add(m, "first_without_nan", of_one, first_without_nan, meta_of_first);
  add(m, "right_first_without_nan", of_one, right_squares, meta_of_first);
  add(m, "overflows", of_one, [](const Tensor& x) { return shares(x, false); }, meta_of_first);
  add(m, "right_overflows", of_one, [](const Tensor& x) { return shares(x, true); }, meta_of_first);
  add(
      m, "looks_up_anything", of_one, [](const Tensor& x) { return looks_up(x, false); },
      meta_of_first);
  add(
      m, "right_looks_up_anything", of_one, [](const Tensor& x) { return looks_up(x, true); },
      meta_of_first);
  for (const char* name :
       {"right_tail_without_factor", "right_tail_of_neighbour", "right_tail_of_infinity"}) {
    add(m, name, of_one, doubled, meta_of_first);
  }
  add(m, "tail_without_factor", of_one, tail_without_factor, meta_of_first);
  add(m, "tail_of_neighbour", of_one, tail_of_neighbour, meta_of_first);
  add(m, "tail_of_infinity", of_one, tail_of_infinity, meta_of_first);
  add(m, "sum_in_float", of_one, sum_in_float, meta_of_number);
  add(m, "right_sum_in_float", of_one, right_sum, meta_of_number);
  add(
      m, "reads_as_first_dtype", of_two,
      [](const Tensor& x, const Tensor& y) { return product(x, y, false); }, meta_of_two);
  add(
      m, "right_reads_as_first_dtype", of_two,
      [](const Tensor& x, const Tensor& y) { return product(x, y, true); }, meta_of_two);
  add(m, "promotes_to_first", of_two, promotes_to_first, meta_of_two);
  add(m, "right_promotes_to_first", of_two, right_promotion, meta_of_promoted);
  add(m, "negative_dim", "(Tensor x, int dim) -> Tensor", negative_dim, meta_of_dim);
  add(m, "right_negative_dim", "(Tensor x, int dim) -> Tensor", right_dim, meta_of_dim);
  const char* with_keepdim = "(Tensor x, bool keepdim=False) -> Tensor";
  add(m, "keepdim_ignored", with_keepdim, keepdim_ignored, meta_without_last);
  add(m, "right_keepdim_ignored", with_keepdim, right_keepdim, meta_of_last);
  const char* with_weight = "(Tensor x, Tensor? weight=None) -> Tensor";
  add(m, "optional_ignored", with_weight, optional_ignored,
      [](const Tensor& x, const std::optional<Tensor>&) { return meta_of_first(x); });
  add(m, "right_optional_ignored", with_weight, right_optional, meta_of_optional);
}

}  // namespace
}  // namespace hidden_faults
