// What the writers of reports share: numbers, lists, what may be absent.
#pragma once

#include <napi.h>

#include <optional>
#include <vector>

namespace opsmith {

inline Napi::Value number(Napi::Env env, int64_t value) {
  return Napi::Number::New(env, static_cast<double>(value));
}

template <class Items, class Write>
Napi::Array list(Napi::Env env, const Items& items, Write write_item) {
  auto array = Napi::Array::New(env, items.size());
  uint32_t i = 0;
  for (const auto& item : items) {
    Napi::HandleScope scope(env);
    array.Set(i++, write_item(item));
  }
  return array;
}

inline Napi::Array numbers(Napi::Env env, const std::vector<int64_t>& values) {
  return list(env, values, [&](int64_t value) { return number(env, value); });
}

inline Napi::Array numbers(Napi::Env env, const std::vector<double>& values) {
  return list(env, values, [&](double value) { return Napi::Number::New(env, value); });
}

inline Napi::Value or_null(Napi::Env env, const std::optional<double>& value) {
  return value ? Napi::Value(Napi::Number::New(env, *value)) : env.Null();
}

}  // namespace opsmith
