// Compares an output with the result of a reference expression, by the rules of
// torch.testing.assert_close.
#pragma once

#include <ATen/core/ivalue.h>

#include <optional>
#include <string>
#include <vector>

#include "runtime/tensor_store.h"

namespace opsmith {

struct Tolerances {
  std::optional<double> rtol,
      atol;  // absent: the default of the dtype, the larger one of both tensors
};

// contract/run.ts's comparison.
struct Comparison {
  int64_t output = 0;
  bool matches = false;
  double rtol = 0, atol = 0;
  int64_t mismatched = 0, total = 0;
  double max_absolute = 0, max_relative = 0;
  std::vector<int64_t> index;
  double actual = 0, expected = 0;
  std::string message;
  std::optional<TensorDetail> difference;
};

// One element matches when |actual - expected| <= atol + rtol * |expected|; NaN matches nothing,
// equal infinities match. Integers are compared as integers. Other results than tensors: numbers
// with the tolerances of float64, the rest as text.
Comparison compare(int64_t output, const c10::IValue& actual, const c10::IValue& expected,
                   const Tolerances& tolerances);

}  // namespace opsmith
