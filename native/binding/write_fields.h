// From the runtime's structs to JavaScript's values, by their lists of fields (fields.h).
#pragma once

#include <napi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
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

inline Napi::Value write_value(Napi::Env env, bool value) {
  return Napi::Boolean::New(env, value);
}
inline Napi::Value write_value(Napi::Env env, double value) {
  return Napi::Number::New(env, value);
}
// JavaScript's numbers hold whole numbers up to 2^53, so an address of 48 bits too.
inline Napi::Value write_value(Napi::Env env, int64_t value) {
  return Napi::Number::New(env, static_cast<double>(value));
}
inline Napi::Value write_value(Napi::Env env, uint64_t value) {
  return Napi::Number::New(env, static_cast<double>(value));
}
inline Napi::Value write_value(Napi::Env env, const std::string& value) {
  return Napi::String::New(env, value);
}
inline Napi::Value write_value(Napi::Env env, const char* value) {
  return Napi::String::New(env, value);
}
Napi::Value write_value(Napi::Env env, const Literal& literal);

template <class Member>
Napi::Value write_value(Napi::Env env, const Member& value);
template <class Item>
Napi::Value write_value(Napi::Env env, const std::vector<Item>& items);
template <class... Kinds>
Napi::Value write_value(Napi::Env env, const std::variant<Kinds...>& value);

// Items are written in runs, each in a scope of its own, which frees their handles.
template <class Items>
Napi::Value write_list(Napi::Env env, const Items& items) {
  constexpr size_t run = 32;
  auto array = Napi::Array::New(env, items.size());
  for (size_t start = 0; start < items.size(); start += run) {
    const Napi::HandleScope scope(env);
    const size_t end = std::min(items.size(), start + run);
    for (size_t i = start; i < end; ++i)
      array.Set(static_cast<uint32_t>(i), write_value(env, items[i]));
  }
  return array;
}
template <class Item>
Napi::Value write_value(Napi::Env env, const std::vector<Item>& items) {
  return write_list(env, items);
}
template <class Item, size_t count>
Napi::Value write_value(Napi::Env env, const std::array<Item, count>& items) {
  return write_list(env, items);
}
template <class Item>
Napi::Value write_value(Napi::Env env, const std::map<std::string, Item>& items) {
  auto object = Napi::Object::New(env);
  for (const auto& [name, item] : items)
    object.Set(name, write_value(env, item));
  return object;
}
template <class... Kinds>
Napi::Value write_value(Napi::Env env, const std::variant<Kinds...>& value) {
  return std::visit([&](const auto& kind) { return write_value(env, kind); }, value);
}

// What `fields` calls with each field of a struct.
class FieldWriter {
 public:
  explicit FieldWriter(Napi::Env env) : env_(env), object_(Napi::Object::New(env)) {}

  template <class Member>
  void operator()(const char* name, const Member& member) const {
    object_.Set(name, write_value(env_, member));
  }
  template <class Member>
  void operator()(const char* name, const std::optional<Member>& member) const {
    if (member) object_.Set(name, write_value(env_, *member));
  }
  template <class Member>
  void operator()(const char* name, OrNull<Member> field) const {
    object_.Set(name, field.member ? write_value(env_, *field.member) : env_.Null());
  }
  template <class Member>
  void operator()(const char* name, OrDefault<Member> field) const {
    (*this)(name, field.member);
  }
  template <class Member>
  void operator()(const char* name, Natural<Member> field) const {
    (*this)(name, field.member);
  }
  template <class Item>
  void operator()(const char* name, Named<Item> field) const {
    auto object = Napi::Object::New(env_);
    for (const auto& item : field.items)
      object.Set(item.name, write_value(env_, item));
    object_.Set(name, object);
  }
  // The fields of `part` are fields of the same object.
  template <class Part>
  void within(Part& part) const {
    fields(*this, part);
  }

  Napi::Object object() const { return object_; }

 private:
  Napi::Env env_;
  Napi::Object object_;
};

template <class Member>
Napi::Value write_value(Napi::Env env, const Member& value) {
  if constexpr (EnumWithTexts<Member>) {
    return Napi::String::New(env, enum_text(value));
  } else {
    const FieldWriter writer(env);
    // The same list of fields reads and writes, so it needs a non-const struct. A writer changes
    // nothing.
    fields(writer, const_cast<Member&>(value));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    return writer.object();
  }
}

inline Napi::Value write_value(Napi::Env env, const Literal& literal) {
  if (const auto* flag = std::get_if<bool>(&literal.value)) return write_value(env, *flag);
  if (const auto* integer = std::get_if<int64_t>(&literal.value)) return write_value(env, *integer);
  if (const auto* real = std::get_if<double>(&literal.value)) return write_value(env, *real);
  if (const auto* text = std::get_if<std::string>(&literal.value)) return write_value(env, *text);
  if (const auto* items = std::get_if<Literal::List>(&literal.value))
    return write_list(env, *items);
  return env.Null();
}

}  // namespace opsmith
