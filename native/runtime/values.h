// Boxed values, as calls take and return them.
#pragma once

#include <ATen/core/ivalue.h>

#include <vector>

namespace opsmith {

// The tensors of tuples and lists, in order.
std::vector<c10::IValue> flatten(const std::vector<c10::IValue>& results);

// The values of tuples, lists and dicts, also nested ones; a list of numbers is one value.
std::vector<c10::IValue> flatten_deeply(const std::vector<c10::IValue>& results);

// Tensors (in lists, tuples and dicts too) detached and cloned, requires_grad kept; other values as
// they are.
std::vector<c10::IValue> clones_of(const std::vector<c10::IValue>& values);

}  // namespace opsmith
