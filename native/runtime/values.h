// Boxed values as calls give and take them.
#pragma once

#include <ATen/core/ivalue.h>

#include <vector>

namespace opsmith {

// Tuples and lists of tensors taken apart, in order.
std::vector<c10::IValue> flatten(const std::vector<c10::IValue>& results);

// Tuples, lists and the values of dicts taken apart, those within others too; lists of numbers are
// one value.
std::vector<c10::IValue> flatten_deeply(const std::vector<c10::IValue>& results);

// Tensors (in lists, tuples and dicts too) detached and cloned, requires_grad kept; other values as
// they are.
std::vector<c10::IValue> clones_of(const std::vector<c10::IValue>& values);

}  // namespace opsmith
