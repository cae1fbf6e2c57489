#include "runtime/dtypes.h"

#include <utility>

namespace opsmith {
namespace {

using c10::ScalarType;

// The first name of a type is the one shown.
constexpr std::pair<const char*, ScalarType> names[] = {
    {"float64", ScalarType::Double},
    {"float32", ScalarType::Float},
    {"float16", ScalarType::Half},
    {"bfloat16", ScalarType::BFloat16},
    {"complex64", ScalarType::ComplexFloat},
    {"complex128", ScalarType::ComplexDouble},
    {"complex32", ScalarType::ComplexHalf},
    {"int64", ScalarType::Long},
    {"int32", ScalarType::Int},
    {"int16", ScalarType::Short},
    {"int8", ScalarType::Char},
    {"uint8", ScalarType::Byte},
    {"uint16", ScalarType::UInt16},
    {"uint32", ScalarType::UInt32},
    {"uint64", ScalarType::UInt64},
    {"bool", ScalarType::Bool},
    {"double", ScalarType::Double},
    {"float", ScalarType::Float},
    {"half", ScalarType::Half},
    {"long", ScalarType::Long},
    {"int", ScalarType::Int},
};

}  // namespace

std::optional<ScalarType> dtype_from_name(const std::string& name) {
  const std::string bare = name.rfind("torch.", 0) == 0 ? name.substr(6) : name;
  for (const auto& [known, type] : names) {
    if (bare == known) return type;
  }
  return std::nullopt;
}

std::string dtype_name(ScalarType type) {
  for (const auto& [name, known] : names) {
    if (type == known) return name;
  }
  return c10::toString(type);
}

}  // namespace opsmith
