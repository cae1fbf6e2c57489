// A value as JSON or JavaScript writes it, before a schema says what it means.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace opsmith {

// JavaScript's numbers are all double; int64_t is a BigInt. Only operator_addon passes tensors.
struct Literal {
  using List = std::vector<Literal>;
  std::variant<std::monostate, bool, int64_t, double, std::string, List, at::Tensor> value;
};

// As JSON would write it, shortened to about 60 characters: what error messages quote.
std::string quote(const Literal& literal);

}  // namespace opsmith
