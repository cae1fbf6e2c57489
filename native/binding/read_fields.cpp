#include "binding/read_fields.h"

#include <cmath>

#include "runtime/failure.h"

namespace opsmith {

std::string Place::text() const {
  const auto before = within == nullptr ? "" : within->text();
  if (index >= 0) return before + "[" + std::to_string(index) + "]";
  return before.empty() ? name : before + "." + name;
}

void fail_to_read(const Place& place, const std::string& expected) {
  const auto text = place.text();
  throw Failure(ErrorCode::request_invalid,
                (text.empty() ? "request" : text) + ": expected " + expected);
}

void read_value(const Napi::Value& value, bool& into, const Place& place) {
  if (!value.IsBoolean()) fail_to_read(place, "true or false");
  into = value.As<Napi::Boolean>().Value();
}

void read_value(const Napi::Value& value, double& into, const Place& place) {
  if (!value.IsNumber()) fail_to_read(place, "a number");
  into = value.As<Napi::Number>().DoubleValue();
}

void read_value(const Napi::Value& value, int64_t& into, const Place& place) {
  constexpr double largest_safe = 9007199254740991.0;
  double number = 0;
  read_value(value, number, place);
  if (number != std::trunc(number) || std::abs(number) > largest_safe) {
    fail_to_read(place, "an integer");
  }
  into = static_cast<int64_t>(number);
}

void read_value(const Napi::Value& value, std::string& into, const Place& place) {
  if (!value.IsString()) fail_to_read(place, "a string");
  into = value.As<Napi::String>().Utf8Value();
}

void read_value(const Napi::Value& value, Literal& into, const Place& place) {
  if (value.IsNull() || value.IsUndefined()) {
    into.value = std::monostate();
  } else if (value.IsBoolean()) {
    into.value = value.As<Napi::Boolean>().Value();
  } else if (value.IsNumber()) {
    into.value = value.As<Napi::Number>().DoubleValue();
  } else if (value.IsString()) {
    into.value = value.As<Napi::String>().Utf8Value();
  } else if (value.IsArray()) {
    read_value(value, into.value.emplace<Literal::List>(), place);
  } else {
    fail_to_read(place, "a number, a string, true, false, null or a list of these");
  }
}

}  // namespace opsmith
