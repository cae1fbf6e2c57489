// Reads JavaScript's values into the runtime's structs, with their lists of fields (fields.h). A
// value that does not fit throws Failure (request.invalid), which names its place: "sizes[0].min".
#pragma once

#include <napi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "binding/fields.h"
#include "runtime/enum_text.h"
#include "runtime/literal.h"

namespace opsmith {

// The place of a value in a request: a field, or with `index` an item of a list. It lives while the
// value is read, and becomes text only in an error.
struct Place {
  const Place* within = nullptr;
  const char* name = "";
  int64_t index = -1;
  std::string text() const;
};

[[noreturn]] void fail_to_read(const Place& place, const std::string& expected);

void read_value(const Napi::Value& value, bool& into, const Place& place);
void read_value(const Napi::Value& value, int64_t& into, const Place& place);
void read_value(const Napi::Value& value, double& into, const Place& place);
void read_value(const Napi::Value& value, std::string& into, const Place& place);
void read_value(const Napi::Value& value, Literal& into, const Place& place);

// Null is absent too.
inline bool is_given(const Napi::Value& value) {
  return !value.IsUndefined() && !value.IsNull();
}

template <class Member>
void read_value(const Napi::Value& value, Member& into, const Place& place);

template <class Item>
void read_value(const Napi::Value& value, std::vector<Item>& into, const Place& place) {
  if (!value.IsArray()) fail_to_read(place, "a list");
  const auto array = value.As<Napi::Array>();
  into.reserve(array.Length());
  for (uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::HandleScope scope(value.Env());
    read_value(array.Get(i), into.emplace_back(), Place{.within = &place, .index = i});
  }
}

// What `fields` calls with each field of a struct.
class FieldReader {
 public:
  FieldReader(Napi::Object object, const Place& place) : object_(object), place_(place) {}

  template <class Member>
  void operator()(const char* name, Member& member) const {
    read_value(object_.Get(name), member, Place{&place_, name});
  }
  template <class Member>
  void operator()(const char* name, std::optional<Member>& member) const {
    const auto value = object_.Get(name);
    if (is_given(value)) read_value(value, member.emplace(), Place{&place_, name});
  }
  template <class Member>
  void operator()(const char* name, OrDefault<Member> field) const {
    const auto value = object_.Get(name);
    if (is_given(value)) read_value(value, field.member, Place{&place_, name});
  }
  template <class Member>
  void operator()(const char* name, Natural<Member> field) const {
    const Place place{&place_, name};
    read_value(object_.Get(name), field.member, place);
    require_natural(field.member, place);
  }
  // The fields of `part` are fields of the same object.
  template <class Part>
  void within(Part& part) const {
    fields(*this, part);
  }
  // By their names, in the order of the object.
  template <class Item>
  void operator()(const char* name, Named<Item> field) const {
    const auto value = object_.Get(name);
    if (!is_given(value)) return;
    const Place place{&place_, name};
    if (!value.IsObject()) fail_to_read(place, "an object");
    const auto record = value.template As<Napi::Object>();
    const auto names = record.GetPropertyNames();
    for (uint32_t i = 0; i < names.Length(); ++i) {
      const Napi::HandleScope scope(record.Env());
      auto& item = field.items.emplace_back();
      item.name = names.Get(i).ToString().Utf8Value();
      item.position = i;
      read_value(record.Get(item.name), item, Place{&place, item.name.c_str()});
    }
  }

 private:
  static void require_natural(int64_t number, const Place& place) {
    if (number < 0) fail_to_read(place, "a number of at least 0");
  }
  static void require_natural(const std::vector<int64_t>& numbers, const Place& place) {
    for (const int64_t number : numbers)
      require_natural(number, place);
  }

  Napi::Object object_;
  const Place& place_;
};

template <EnumWithTexts Enum>
void read_enum(const Napi::Value& value, Enum& into, const Place& place) {
  const auto known =
      value.IsString() ? enum_of<Enum>(value.As<Napi::String>().Utf8Value()) : std::nullopt;
  if (known) {
    into = *known;
    return;
  }
  std::string expected;
  for (const auto& [one, text] : texts_of(Enum{}))
    expected += (expected.empty() ? "\"" : ", \"") + std::string(text) + "\"";
  fail_to_read(place, "one of " + expected);
}

template <class Member>
void read_value(const Napi::Value& value, Member& into, const Place& place) {
  if constexpr (EnumWithTexts<Member>) {
    read_enum(value, into, place);
  } else if constexpr (std::is_same_v<Member, std::variant<int64_t, std::string>>) {
    if (value.IsString()) {
      read_value(value, into.template emplace<std::string>(), place);
    } else {
      read_value(value, into.template emplace<int64_t>(), place);
    }
  } else {
    if (!value.IsObject()) fail_to_read(place, "an object");
    const FieldReader reader(value.As<Napi::Object>(), place);
    fields(reader, into);
  }
}

}  // namespace opsmith
