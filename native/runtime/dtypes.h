// dtypes by the names that Python and opsmith.json use: "float32", not "Float".
#pragma once

#include <c10/core/ScalarType.h>

#include <optional>
#include <string>

namespace opsmith {

// std::nullopt for an unknown name. "float", "double", "long", "int" and "half" are known too.
std::optional<c10::ScalarType> dtype_from_name(const std::string& name);

// libtorch's own name ("Float8_e4m3fn") for a type without a name in Python's list.
std::string dtype_name(c10::ScalarType type);

}  // namespace opsmith
