// A finding as text, to cross from a copy of the process.
#pragma once

#include <string>

#include "runtime/operator_check/operator_check.h"

namespace opsmith {

// Without the name of the check and what shrinking adds.
std::string packed(const OperatorCheckFinding& finding);
OperatorCheckFinding unpacked(const std::string& text);

}  // namespace opsmith
