#include "operator_addon/values.h"

#include <ATen/ops/empty.h>

#include <cstring>
#include <sstream>

#include "runtime/dtypes.h"
#include "runtime/failure.h"

namespace opsmith {
namespace {

napi_typedarray_type array_type(at::ScalarType dtype) {
  switch (dtype) {
    case at::kDouble:
    case at::kComplexDouble:
      return napi_float64_array;
    case at::kFloat:
    case at::kComplexFloat:
      return napi_float32_array;
    case at::kLong:
      return napi_bigint64_array;
    case at::kInt:
      return napi_int32_array;
    case at::kShort:
      return napi_int16_array;
    case at::kChar:
      return napi_int8_array;
    case at::kByte:
    case at::kBool:
      return napi_uint8_array;
    case at::kHalf:
    case at::kBFloat16:
      return napi_uint16_array;
    default:
      throw Failure(ErrorCode::input_invalid,
                    "JavaScript has no typed array for " + dtype_name(dtype));
  }
}

const char* array_name(napi_typedarray_type type) {
  switch (type) {
    case napi_float64_array:
      return "Float64Array";
    case napi_float32_array:
      return "Float32Array";
    case napi_bigint64_array:
      return "BigInt64Array";
    case napi_int32_array:
      return "Int32Array";
    case napi_int16_array:
      return "Int16Array";
    case napi_int8_array:
      return "Int8Array";
    case napi_uint16_array:
      return "Uint16Array";
    default:
      return "Uint8Array";
  }
}

at::Tensor read_tensor(const Napi::Object& object) {
  const auto name = object.Get("dtype").ToString().Utf8Value();
  const auto dtype = dtype_from_name(name);
  if (!dtype) throw Failure(ErrorCode::input_invalid, "tensor: no such dtype: " + name);
  const auto shape_value = object.Get("shape");
  if (!shape_value.IsArray())
    throw Failure(ErrorCode::input_invalid, "tensor: shape must be a list");
  const auto sizes = shape_value.As<Napi::Array>();
  std::vector<int64_t> shape;
  for (uint32_t i = 0; i < sizes.Length(); ++i) {
    shape.push_back(sizes.Get(i).ToNumber().Int64Value());
    if (shape.back() < 0)
      throw Failure(ErrorCode::input_invalid, "tensor: shape has a negative size");
  }
  const auto data_value = object.Get("data");
  if (!data_value.IsTypedArray())
    throw Failure(ErrorCode::input_invalid, "tensor: data must be a typed array");
  const auto data = data_value.As<Napi::TypedArray>();
  auto tensor = at::empty(shape, at::TensorOptions().dtype(dtype));
  // Uint8ClampedArray holds the same bytes as Uint8Array.
  auto given = data.TypedArrayType();
  if (given == napi_uint8_clamped_array) given = napi_uint8_array;
  if (given != array_type(*dtype)) {
    throw Failure(ErrorCode::input_invalid, "tensor: data of dtype " + name + " needs the type " +
                                                array_name(array_type(*dtype)));
  }
  if (data.ByteLength() != tensor.nbytes()) {
    throw Failure(ErrorCode::input_invalid,
                  "tensor: data has " + std::to_string(data.ByteLength()) +
                      " bytes, but the shape needs " + std::to_string(tensor.nbytes()));
  }
  if (tensor.nbytes() > 0) {
    const auto* bytes = static_cast<const char*>(data.ArrayBuffer().Data()) + data.ByteOffset();
    memcpy(tensor.mutable_data_ptr(), bytes, tensor.nbytes());
  }
  return tensor;
}

Napi::Value write_tensor(Napi::Env env, const at::Tensor& tensor) {
  if (!tensor.defined()) return env.Null();
  auto plain = tensor.detach();
  if (plain.layout() != at::kStrided) plain = plain.to_dense();
  plain = plain.cpu().contiguous().resolve_conj().resolve_neg();
  auto shape = Napi::Array::New(env, static_cast<size_t>(plain.dim()));
  for (int64_t i = 0; i < plain.dim(); ++i) {
    shape.Set(static_cast<uint32_t>(i), static_cast<double>(plain.size(i)));
  }
  const auto type = array_type(plain.scalar_type());
  // Copied: Electron's V8 takes no buffer that it did not allocate.
  auto buffer = Napi::ArrayBuffer::New(env, plain.nbytes());
  if (plain.nbytes() > 0) memcpy(buffer.Data(), plain.const_data_ptr(), plain.nbytes());
  const size_t length = static_cast<size_t>(plain.numel()) * (plain.is_complex() ? 2 : 1);
  napi_value data = nullptr;
  if (napi_create_typedarray(env, type, length, buffer, 0, &data) != napi_ok) {
    throw Napi::Error::New(env);
  }
  auto object = Napi::Object::New(env);
  object.Set("dtype", dtype_name(plain.scalar_type()));
  object.Set("shape", shape);
  object.Set("data", Napi::Value(env, data));
  return object;
}

template <class Items>
Napi::Value write_list(Napi::Env env, const Items& items) {
  auto array = Napi::Array::New(env);
  uint32_t i = 0;
  for (const c10::IValue& item : items)
    array.Set(i++, write_value(env, item));
  return array;
}

}  // namespace

void copy_data(const at::Tensor& tensor, const Napi::Value& value) {
  const auto data = value.As<Napi::Object>().Get("data").As<Napi::TypedArray>();
  const auto plain = tensor.contiguous();
  if (plain.nbytes() != data.ByteLength() || plain.nbytes() == 0) return;
  auto* bytes = static_cast<char*>(data.ArrayBuffer().Data()) + data.ByteOffset();
  memcpy(bytes, plain.const_data_ptr(), plain.nbytes());
}

Literal read_value(const Napi::Value& value) {
  if (value.IsNull() || value.IsUndefined()) return {};
  if (value.IsBoolean()) return {value.As<Napi::Boolean>().Value()};
  if (value.IsNumber()) return {value.As<Napi::Number>().DoubleValue()};
  if (value.IsBigInt()) {
    bool lossless = false;
    const int64_t integer = value.As<Napi::BigInt>().Int64Value(&lossless);
    if (!lossless) throw Failure(ErrorCode::input_invalid, "a BigInt does not fit into 64 bits");
    return {integer};
  }
  if (value.IsString()) return {value.As<Napi::String>().Utf8Value()};
  if (value.IsArray()) {
    const auto array = value.As<Napi::Array>();
    Literal::List list;
    for (uint32_t i = 0; i < array.Length(); ++i)
      list.push_back(read_value(array.Get(i)));
    return {std::move(list)};
  }
  if (value.IsObject() && value.As<Napi::Object>().Has("dtype")) {
    return {read_tensor(value.As<Napi::Object>())};
  }
  throw Failure(
      ErrorCode::input_invalid,
      "an argument must be a tensor {dtype, shape, data}, a number, a string, a boolean, null "
      "or a list of these");
}

Napi::Value write_value(Napi::Env env, const c10::IValue& value) {
  if (value.isNone()) return env.Null();
  if (value.isTensor()) return write_tensor(env, value.toTensor());
  if (value.isBool()) return Napi::Boolean::New(env, value.toBool());
  if (value.isDouble()) return Napi::Number::New(env, value.toDouble());
  if (value.isInt()) {
    const int64_t integer = value.toInt();
    // Exact as a number up to 2^53; beyond, a BigInt.
    if (integer > 9007199254740991 || integer < -9007199254740991) {
      return Napi::BigInt::New(env, integer);
    }
    return Napi::Number::New(env, static_cast<double>(integer));
  }
  if (value.isString()) return Napi::String::New(env, value.toStringRef());
  if (value.isTuple()) return write_list(env, value.toTupleRef().elements());
  if (value.isList()) {
    const auto list = value.toList();
    std::vector<c10::IValue> items;
    for (size_t i = 0; i < list.size(); ++i)
      items.push_back(list.get(i));
    return write_list(env, items);
  }
  std::ostringstream text;
  text << value;
  return Napi::String::New(env, text.str());
}

}  // namespace opsmith
