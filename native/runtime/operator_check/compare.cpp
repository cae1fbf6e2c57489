#include "runtime/operator_check/compare.h"

#include <ATen/Functions.h>

#include "runtime/elements.h"
#include "runtime/registry.h"

namespace opsmith {
namespace {

struct Precision {
  double rtol, atol;
};

// torch.testing.assert_close's, ten times as loose: another order of additions is no fault.
Precision precision_of(at::ScalarType dtype) {
  switch (c10::toRealValueType(dtype)) {
    case at::kHalf:
      return {1e-2, 1e-3};
    case at::kBFloat16:
      return {1.6e-1, 1e-2};
    case at::kFloat:
      return {1.3e-5, 1e-5};
    case at::kDouble:
      return {1e-6, 1e-7};
    default:
      return {0, 0};
  }
}

at::Tensor comparable(const at::Tensor& tensor) {
  const auto dense = tensor.detach().resolve_conj().resolve_neg();
  return dense.to(dense.is_complex() ? at::kComplexDouble : at::kDouble);
}

}  // namespace

bool draws_random_numbers(const OperatorCall& call) {
  if (call.callable().function != nullptr) return false;
  return find_operator(call.callable().name).hasTag(at::Tag::nondeterministic_seeded);
}

std::string element_words(const at::Tensor& tensor, int64_t flat) {
  return element_text(tensor.detach().reshape(-1).narrow(0, flat, 1).reshape({}));
}

std::optional<OperatorCheckFinding> difference(const Tensors& actual, const Tensors& expected,
                                               const std::string& when,
                                               std::optional<at::ScalarType> dtype) {
  if (actual.size() != expected.size()) {
    return failed(when + " there are " + std::to_string(actual.size()) + " outputs, not " +
                  std::to_string(expected.size()));
  }
  for (size_t o = 0; o < actual.size(); ++o) {
    const auto name = actual.size() == 1 ? "the output" : "output " + std::to_string(o);
    auto finding = tensor_difference(actual[o], expected[o], when, name, dtype);
    if (!finding) continue;
    finding->output = static_cast<int64_t>(o);
    return finding;
  }
  return std::nullopt;
}

std::optional<OperatorCheckFinding> tensor_difference(const at::Tensor& actual,
                                                      const at::Tensor& expected,
                                                      const std::string& when,
                                                      const std::string& name,
                                                      std::optional<at::ScalarType> dtype) {
  if (actual.sizes() != expected.sizes()) {
    return failed(when + " " + name + " has shape " + index_text(actual.sizes().vec()) + ", not " +
                  index_text(expected.sizes().vec()));
  }
  if (actual.numel() == 0) return std::nullopt;
  const auto own = actual.scalar_type();
  const bool is_whole = at::isIntegralType(own, /*includeBool=*/true);
  // An index, a count or a floor of rounded values may differ and still be right.
  if (is_whole && (dtype == at::kHalf || dtype == at::kBFloat16)) return std::nullopt;
  const auto [rtol, atol] = precision_of(is_whole ? own : dtype.value_or(own));
  const auto left = comparable(actual), right = comparable(expected);
  const auto wrong = at::isclose(left, right, rtol, atol, /*equal_nan=*/true).logical_not();
  if (!wrong.any().item<bool>()) return std::nullopt;
  const auto flat = wrong.reshape(-1).to(at::kByte).argmax().item<int64_t>();
  const auto index = index_of(actual, flat);
  auto finding = failed(when + " element " + index_text(index) + " of " + name + " is " +
                        element_words(actual, flat) + ", not " + element_words(expected, flat));
  finding.index = index;
  return finding;
}

std::optional<at::ScalarType> computed_precision(const at::Tensor& in_double) {
  const auto values = in_double.detach().reshape(-1);
  // Whole numbers, and simple fractions, fit whatever they were computed in.
  const auto scaled = at::mul(values, 1024);
  const auto telling = values.isfinite().logical_and(scaled.ne(scaled.round()));
  if (telling.sum().item<int64_t>() < 4) return std::nullopt;
  const auto rounded = values.to(at::kFloat).to(at::kDouble);
  return rounded.ne(values).logical_and(telling).any().item<bool>() ? at::kDouble : at::kFloat;
}

std::string finding_text(const std::optional<OperatorCheckFinding>& finding) {
  return finding ? finding->reason : "";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

bool all_on_cpu(const OperatorCall& call) {
  for (const auto& tensor : call.values()) {
    if (!tensor.is_cpu() || tensor.layout() != at::kStrided) return false;
  }
  return true;
}

std::string bytes_text(int64_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

}  // namespace opsmith
