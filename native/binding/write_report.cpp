#include "binding/write_report.h"

#include "binding/write_values.h"

namespace opsmith {
namespace {

void set_summary(Napi::Object object, const OperatorSummary& summary) {
  object.Set("name", summary.name);
  object.Set("overload", summary.overload);
  object.Set("schema", summary.schema);
}

Napi::Object write_argument(Napi::Env env, const ArgumentDetail& argument) {
  auto object = Napi::Object::New(env);
  object.Set("name", argument.name);
  object.Set("type", argument.type);
  if (argument.default_value) object.Set("default", *argument.default_value);
  object.Set("kwargOnly", argument.kwarg_only);
  if (argument.alias) object.Set("alias", *argument.alias);
  return object;
}

Napi::Object write_stats(Napi::Env env, const TensorStats& stats) {
  auto object = Napi::Object::New(env);
  object.Set("count", number(env, stats.count));
  object.Set("nan", number(env, stats.nan));
  object.Set("posInf", number(env, stats.pos_inf));
  object.Set("negInf", number(env, stats.neg_inf));
  object.Set("zeros", number(env, stats.zeros));
  object.Set("min", or_null(env, stats.min));
  object.Set("max", or_null(env, stats.max));
  object.Set("mean", or_null(env, stats.mean));
  object.Set("std", or_null(env, stats.std));
  return object;
}

Napi::Object write_output(Napi::Env env, const OutputValue& value) {
  if (const auto* tensor = std::get_if<TensorDetail>(&value)) return write_tensor(env, *tensor);
  const auto& plain = std::get<PlainValue>(value);
  auto object = Napi::Object::New(env);
  object.Set("kind", "value");
  object.Set("type", plain.type);
  object.Set("text", plain.text);
  return object;
}

}  // namespace

Napi::Object write_comparison(Napi::Env env, const Comparison& comparison) {
  auto object = Napi::Object::New(env);
  object.Set("output", number(env, comparison.output));
  object.Set("matches", comparison.matches);
  object.Set("rtol", comparison.rtol);
  object.Set("atol", comparison.atol);
  object.Set("mismatched", number(env, comparison.mismatched));
  object.Set("total", number(env, comparison.total));
  object.Set("maxAbsolute", comparison.max_absolute);
  object.Set("maxRelative", comparison.max_relative);
  object.Set("index", numbers(env, comparison.index));
  object.Set("actual", comparison.actual);
  object.Set("expected", comparison.expected);
  object.Set("message", comparison.message);
  if (comparison.difference) object.Set("difference", write_tensor(env, *comparison.difference));
  return object;
}

Napi::Object write_tensor(Napi::Env env, const TensorDetail& tensor) {
  auto object = Napi::Object::New(env);
  object.Set("kind", "tensor");
  object.Set("handle", number(env, tensor.handle));
  object.Set("shape", numbers(env, tensor.shape));
  object.Set("strides", numbers(env, tensor.strides));
  object.Set("dtype", tensor.dtype);
  object.Set("device", tensor.device);
  object.Set("requiresGrad", tensor.requires_grad);
  object.Set("gradFn", tensor.grad_fn);
  object.Set("stats", write_stats(env, tensor.stats));
  return object;
}

Napi::Value write(Napi::Env env, const std::vector<OperatorSummary>& operators) {
  return list(env, operators, [&](const OperatorSummary& summary) {
    auto object = Napi::Object::New(env);
    set_summary(object, summary);
    return object;
  });
}

Napi::Value write(Napi::Env env, const OperatorDetail& detail) {
  auto object = Napi::Object::New(env);
  set_summary(object, detail.summary);
  const auto write_arguments = [&](const std::vector<ArgumentDetail>& arguments) {
    return list(env, arguments,
                [&](const auto& argument) { return write_argument(env, argument); });
  };
  object.Set("arguments", write_arguments(detail.arguments));
  object.Set("returns", write_arguments(detail.returns));
  object.Set("doc", detail.doc);
  object.Set("kernels", list(env, detail.kernels, [&](const RegisteredKernel& kernel) {
               auto entry = Napi::Object::New(env);
               entry.Set("dispatchKey", kernel.dispatch_key);
               entry.Set("file", kernel.file);
               entry.Set("line", number(env, kernel.line));
               return entry;
             }));
  return object;
}

Napi::Value write(Napi::Env env, const LoadReport& report) {
  auto object = Napi::Object::New(env);
  object.Set("operators",
             list(env, report.operators, [&](const auto& detail) { return write(env, detail); }));
  object.Set("classes", list(env, report.classes, [&](const ClassDetail& detail) {
               auto entry = Napi::Object::New(env);
               entry.Set("name", detail.name);
               entry.Set("methods", list(env, detail.methods, [&](const ClassMethod& method) {
                           auto item = Napi::Object::New(env);
                           item.Set("name", method.name);
                           item.Set("schema", method.schema);
                           return item;
                         }));
               return entry;
             }));
  object.Set("seconds", report.seconds);
  return object;
}

Napi::Value write(Napi::Env env, const UnloadReport& report) {
  auto object = Napi::Object::New(env);
  object.Set("unloaded", report.unloaded);
  object.Set("reason", report.reason);
  return object;
}

Napi::Value write(Napi::Env env, const std::vector<ProgramFunction>& functions) {
  return list(env, functions, [&](const ProgramFunction& function) {
    auto object = Napi::Object::New(env);
    object.Set("name", function.name);
    object.Set("schema", function.schema);
    object.Set("line", number(env, function.line));
    return object;
  });
}

Napi::Value write(Napi::Env env, const RunReport& report) {
  auto object = Napi::Object::New(env);
  object.Set("op", report.op);
  object.Set("seconds", report.seconds);
  object.Set("inputs", list(env, report.inputs, [&](const NamedValue& input) {
               auto entry = Napi::Object::New(env);
               entry.Set("name", input.name);
               entry.Set("value", write_output(env, input.value));
               return entry;
             }));
  object.Set("outputs", list(env, report.outputs,
                             [&](const OutputValue& value) { return write_output(env, value); }));
  object.Set("comparisons", list(env, report.comparisons, [&](const Comparison& comparison) {
               return write_comparison(env, comparison);
             }));
  if (report.reference_error) object.Set("referenceError", *report.reference_error);
  return object;
}

Napi::Value write(Napi::Env env, const TensorPage& page) {
  auto object = Napi::Object::New(env);
  object.Set("rows", number(env, page.rows));
  object.Set("columns", number(env, page.columns));
  object.Set("rowStart", number(env, page.row_start));
  object.Set("columnStart", number(env, page.column_start));
  object.Set("values", numbers(env, page.values));
  if (page.text) {
    object.Set("text", list(env, *page.text,
                            [&](const std::string& text) { return Napi::String::New(env, text); }));
  }
  object.Set("pageRows", number(env, page.page_rows));
  object.Set("pageColumns", number(env, page.page_columns));
  return object;
}

Napi::Value write(Napi::Env env, const Histogram& histogram) {
  auto object = Napi::Object::New(env);
  object.Set("edges", numbers(env, histogram.edges));
  object.Set("counts", numbers(env, histogram.counts));
  return object;
}

Napi::Value write(Napi::Env env, int64_t count) {
  return number(env, count);
}

}  // namespace opsmith
