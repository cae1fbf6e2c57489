// Other values of a call's arguments that are no tensors, as another caller may give them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/operator_check/operator_call.h"

namespace opsmith {

struct OtherArgument {
  size_t place;
  c10::IValue value;
  std::string words;  // "with dim = -1: "
  // What must give the same outputs: a dimension counted from the other end.
  std::optional<c10::IValue> same = std::nullopt;
};

// Dimensions in their range, flags both ways, other floating numbers, smaller numbers in lists of
// sizes, the other words of a mode, and a tensor where one was left out. Of other integers only
// their author knows which are valid. The operator may refuse any of them.
std::vector<OtherArgument> other_arguments(const OperatorCall& call);

}  // namespace opsmith
