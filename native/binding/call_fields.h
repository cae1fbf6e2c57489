// Fields that several calls share: what is called, with which inputs; tensors and comparisons.
#pragma once

#include <string>
#include <variant>

#include "binding/fields.h"
#include "runtime/comparison.h"
#include "runtime/elements.h"
#include "runtime/inputs.h"
#include "runtime/program/program.h"
#include "runtime/tensor_store.h"

namespace opsmith {

void fields(auto& visit, ProgramSource& source) {
  visit("file", source.file);
  visit("source", source.source);
}

// Named after its field.
void fields(auto& visit, InputSpec& spec) {
  visit("shape", spec.shape);
  visit("dtype", or_default(spec.dtype));
  visit("device", or_default(spec.device));
  visit("distribution", or_default(spec.distribution));
  visit("seed", spec.seed);
  visit("requires_grad", or_default(spec.requires_grad));
  visit("low", spec.low);
  visit("high", spec.high);
  visit("mean", spec.mean);
  visit("std", spec.std);
  visit("values", spec.values);
  visit("layout", spec.layout);
  visit("density", spec.density);
  visit("indices", spec.indices);
  visit("blocksize", spec.blocksize);
}

// Fields of every request that makes a call.
void call_fields(auto& visit, auto& request) {
  visit("op", request.op);
  visit("args", or_default(request.args));
  visit("inputs", named(request.inputs));
  visit("program", request.program);
}

void fields(auto& visit, Tolerances& tolerances) {
  visit("rtol", tolerances.rtol);
  visit("atol", tolerances.atol);
}

void fields(auto& visit, TensorStats& stats) {
  visit("count", stats.count);
  visit("nan", stats.nan);
  visit("posInf", stats.pos_inf);
  visit("negInf", stats.neg_inf);
  visit("zeros", stats.zeros);
  visit("min", or_null(stats.min));
  visit("max", or_null(stats.max));
  visit("mean", or_null(stats.mean));
  visit("std", or_null(stats.std));
}

void fields(auto& visit, TensorDetail& tensor) {
  visit("kind", "tensor");
  visit("handle", tensor.handle);
  visit("shape", tensor.shape);
  visit("strides", tensor.strides);
  visit("dtype", tensor.dtype);
  visit("device", tensor.device);
  visit("requiresGrad", tensor.requires_grad);
  visit("gradFn", tensor.grad_fn);
  visit("stats", tensor.stats);
}

void fields(auto& visit, Comparison& comparison) {
  visit("output", comparison.output);
  visit("matches", comparison.matches);
  visit("rtol", comparison.rtol);
  visit("atol", comparison.atol);
  visit("mismatched", comparison.mismatched);
  visit("total", comparison.total);
  visit("maxAbsolute", comparison.max_absolute);
  visit("maxRelative", comparison.max_relative);
  visit("index", comparison.index);
  visit("actual", comparison.actual);
  visit("expected", comparison.expected);
  visit("message", comparison.message);
  visit("difference", comparison.difference);
}

}  // namespace opsmith
