#include "binding/write_report.h"
#include "binding/write_values.h"

namespace opsmith {
namespace {

Napi::Object write_worst(Napi::Env env, const WorstElement& worst) {
  auto object = Napi::Object::New(env);
  object.Set("inputIndex", numbers(env, worst.input_index));
  object.Set("outputIndex", numbers(env, worst.output_index));
  object.Set("analytical", worst.analytical);
  object.Set("numerical", worst.numerical);
  object.Set("analyticalText", worst.analytical_text);
  object.Set("numericalText", worst.numerical_text);
  object.Set("absolute", worst.absolute);
  object.Set("relative", worst.relative);
  return object;
}

Napi::Object write_finding(Napi::Env env, const GradcheckFinding& finding) {
  auto object = Napi::Object::New(env);
  object.Set("check", finding.check);
  object.Set("status", finding.status);
  object.Set("reason", finding.reason);
  object.Set("cause", finding.cause);
  object.Set("part", finding.part);
  if (finding.input) object.Set("input", number(env, *finding.input));
  if (finding.output) object.Set("output", number(env, *finding.output));
  object.Set("mismatched", number(env, finding.comparison.mismatched));
  object.Set("total", number(env, finding.comparison.total));
  if (finding.comparison.total > 0) object.Set("maxAbsolute", finding.comparison.max_absolute);
  if (finding.comparison.worst) {
    object.Set("worst", write_worst(env, *finding.comparison.worst));
  }
  if (finding.analytical) object.Set("analytical", write_tensor(env, *finding.analytical));
  if (finding.numerical) object.Set("numerical", write_tensor(env, *finding.numerical));
  if (finding.error) object.Set("error", write_tensor(env, *finding.error));
  return object;
}

Napi::Object write_tensor_type(Napi::Env env, const GradcheckTensor& tensor) {
  auto object = Napi::Object::New(env);
  object.Set("name", tensor.name);
  object.Set("shape", numbers(env, tensor.shape));
  object.Set("dtype", tensor.dtype);
  object.Set("requiresGrad", tensor.requires_grad);
  return object;
}

Napi::Object write_finding(Napi::Env env, const OpcheckFinding& finding) {
  auto object = Napi::Object::New(env);
  object.Set("check", finding.check);
  object.Set("status", finding.status);
  object.Set("reason", finding.reason);
  object.Set("advice", finding.advice);
  object.Set("input", finding.input);
  if (finding.output) object.Set("output", number(env, *finding.output));
  object.Set("index", numbers(env, finding.index));
  object.Set("shownBy", finding.shown_by);
  return object;
}

}  // namespace

Napi::Value write(Napi::Env env, const OpcheckReport& report) {
  auto object = Napi::Object::New(env);
  object.Set("op", report.op);
  object.Set("ok", report.ok);
  object.Set("seconds", report.seconds);
  object.Set("findings", list(env, report.findings, [&](const OpcheckFinding& finding) {
               return write_finding(env, finding);
             }));
  return object;
}

Napi::Value write(Napi::Env env, const GradcheckReport& report) {
  const auto tensor = [&](const GradcheckTensor& item) { return write_tensor_type(env, item); };
  auto object = Napi::Object::New(env);
  object.Set("op", report.op);
  object.Set("ok", report.ok);
  object.Set("seconds", report.seconds);
  object.Set("calls", number(env, report.calls));
  object.Set("inputs", list(env, report.inputs, tensor));
  object.Set("outputs", list(env, report.outputs, tensor));
  object.Set("findings", list(env, report.findings, [&](const GradcheckFinding& finding) {
               return write_finding(env, finding);
             }));
  return object;
}

}  // namespace opsmith
