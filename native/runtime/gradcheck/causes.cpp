#include "runtime/gradcheck/causes.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <functional>
#include <optional>

namespace opsmith {
namespace {

// How a factor reads when `v` stands for its name; simple ones first.
struct Factor {
  const char* before;
  const char* after;
  std::function<at::Tensor(const at::Tensor&)> of;
};

const std::vector<Factor>& factors() {
  static const std::vector<Factor> all = {
      {"", "", [](const at::Tensor& v) { return v; }},
      {"(1 - ", ")", [](const at::Tensor& v) { return 1 - v; }},
      {"(1 + ", ")", [](const at::Tensor& v) { return 1 + v; }},
      {"", "²", [](const at::Tensor& v) { return v * v; }},
      {"(1 - ", "²)", [](const at::Tensor& v) { return 1 - v * v; }},
      {"(1 + ", "²)", [](const at::Tensor& v) { return 1 + v * v; }},
  };
  return all;
}

// What is compared: one number for each input element.
struct Ratios {
  at::Tensor analytical, numerical;
};

bool is_diagonal(const at::Tensor& matrix, double atol) {
  const auto rest = matrix - matrix.diagonal().diag_embed();
  return rest.abs().le(atol).all().item<bool>();
}

std::optional<Ratios> ratios_of(const at::Tensor& analytical, const at::Tensor& numerical,
                                double atol) {
  const int64_t rows = analytical.size(0), columns = analytical.size(1);
  if (columns == 1) return Ratios{analytical.select(1, 0), numerical.select(1, 0)};
  if (rows != columns || !is_diagonal(analytical, atol) || !is_diagonal(numerical, atol)) {
    return std::nullopt;
  }
  return Ratios{analytical.diagonal(), numerical.diagonal()};
}

// How many values there are that lie a hundredth of the largest apart.
int64_t different_values(const at::Tensor& values) {
  const auto step = values.abs().max() / 100;
  if (!(step.item<double>() > 0)) return 0;
  return std::get<0>(at::_unique((values / step).round())).numel();
}

// The small number k for which `from` * k is `to` within the tolerance.
std::optional<double> small_multiple(const at::Tensor& from, const at::Tensor& to, double rtol,
                                     double atol) {
  const double fit = ((from * to).sum() / (from * from).sum()).item<double>();
  for (const double size : {1.0, 2.0, 3.0, 4.0, 0.5, 0.25}) {
    const double k = std::copysign(size, fit);
    if (std::abs(fit - k) < 0.01 * size && at::allclose(from * k, to, rtol, atol)) return k;
  }
  return std::nullopt;
}

std::string product_text(double k, const Factor& factor, const std::string& name) {
  std::string whole = factor.before + name + factor.after;
  if (k == 1) return whole;
  if (k == -1) return "-" + whole;
  std::string number = std::to_string(k);
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number + " " + whole;
}

}  // namespace

std::string left_out_factor(const at::Tensor& analytical, const at::Tensor& numerical,
                            const std::vector<NamedValues>& values, double rtol, double atol) {
  if (analytical.is_complex() || numerical.is_complex()) return "";
  const auto found = ratios_of(analytical.to(at::kDouble), numerical.to(at::kDouble), atol);
  if (!found) return "";
  // What vanishes on either side tells nothing of a factor.
  const auto telling =
      found->analytical.abs().gt(10 * atol).logical_and(found->numerical.abs().gt(10 * atol));
  constexpr int64_t enough = 4;
  if (telling.sum().item<int64_t>() < enough) return "";
  const std::string all = "On all " + std::to_string(telling.numel()) + " elements, the gradient ";
  for (const auto& factor : factors()) {
    for (const auto& [name, given] : values) {
      const auto flat = given.detach().to(found->analytical.device(), at::kDouble).reshape(-1);
      if (flat.numel() != telling.numel()) continue;
      const auto factor_values = factor.of(flat);
      if (!factor_values.isfinite().all().item<bool>() ||
          different_values(factor_values.masked_select(telling)) < enough) {
        continue;
      }
      if (const auto k =
              small_multiple(found->analytical * factor_values, found->numerical, rtol, atol)) {
        return all + "lacks the factor " + product_text(*k, factor, name) +
               ". Is it missing in backward?";
      }
      if (const auto k =
              small_multiple(found->numerical * factor_values, found->analytical, rtol, atol)) {
        return all + "is " + product_text(*k, factor, name) +
               " times the expected gradient. Does backward multiply by this factor one time too "
               "many?";
      }
    }
  }
  return "";
}

std::string masked_gradient(const at::Tensor& analytical, const at::Tensor& numerical,
                            const at::Tensor& places, bool masked, double rtol, double atol) {
  const auto unspecified = at::ones({analytical.size(0)}, places.options().dtype(at::kBool))
                               .index_fill(0, places, false)
                               .nonzero()
                               .reshape(-1);
  const auto on = [](const at::Tensor& matrix, const at::Tensor& rows) {
    return matrix.index_select(0, rows.to(matrix.device()));
  };
  if (!at::allclose(on(analytical, places), on(numerical, places), rtol, atol)) return "";
  if (masked) {
    return "The gradient of this sparse input is correct at the specified elements, but not zero "
           "at unspecified elements. With the option \"masked\", the gradient must be zero at "
           "unspecified elements.";
  }
  if (on(analytical, unspecified).ne(0).any().item<bool>()) return "";
  return "The gradient of this sparse input is correct at the specified elements, and zero at "
         "unspecified elements. If this is intended, set the gradcheck option \"masked\".";
}

}  // namespace opsmith
