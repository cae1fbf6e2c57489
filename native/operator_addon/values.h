// Values between JavaScript and an operator: tensors are {dtype, shape, data} with a typed array.
#pragma once

#include <ATen/core/ivalue.h>
#include <napi.h>

#include "runtime/literal.h"

namespace opsmith {

// Data is copied. Arrays of numbers stay lists; a BigInt is an int64. Throws Failure
// (input.invalid).
Literal read_value(const Napi::Value& value);

// Back into the typed array of the JavaScript tensor that `tensor` was read from, unless the
// operator changed its size.
void copy_data(const at::Tensor& tensor, const Napi::Value& value);

// A tensor's data in memory order of its shape, from whatever device it is on. Typed arrays by
// dtype: float64 Float64Array, float32 Float32Array, int64 BigInt64Array, int32 Int32Array, int16
// Int16Array, int8 Int8Array, uint8 and bool Uint8Array, float16 and bfloat16 Uint16Array (the
// bits), complex64 Float32Array and complex128 Float64Array (pairs). Throws Failure (internal) for
// other types.
Napi::Value write_value(Napi::Env env, const c10::IValue& value);

}  // namespace opsmith
