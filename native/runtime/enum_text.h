// Enums whose values have a text: what crosses to TypeScript, and what messages quote. The list of
// its texts is next to the enum:
//
//   enum class Turbo { on, off };
//   constexpr auto texts_of(Turbo) {
//     return enum_texts<Turbo>({{Turbo::on, "on"}, {Turbo::off, "off"}});
//   }
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace opsmith {

template <class Enum, size_t count>
constexpr auto enum_texts(const std::pair<Enum, const char*> (&texts)[count]) {
  return std::to_array(texts);
}

template <class Enum>
concept EnumWithTexts = std::is_enum_v<Enum> && requires(Enum value) { texts_of(value).size(); };

template <EnumWithTexts Enum>
constexpr const char* enum_text(Enum value) {
  for (const auto& [known, text] : texts_of(Enum{})) {
    if (known == value) return text;
  }
  return "";
}

// Absent for a text that no value has.
template <EnumWithTexts Enum>
constexpr std::optional<Enum> enum_of(std::string_view text) {
  for (const auto& [value, known] : texts_of(Enum{})) {
    if (text == known) return value;
  }
  return std::nullopt;
}

}  // namespace opsmith
