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

Napi::Value write_literal(Napi::Env env, const Literal& literal) {
  if (const auto* flag = std::get_if<bool>(&literal.value)) return Napi::Boolean::New(env, *flag);
  if (const auto* integer = std::get_if<int64_t>(&literal.value)) return number(env, *integer);
  if (const auto* real = std::get_if<double>(&literal.value)) return Napi::Number::New(env, *real);
  if (const auto* text = std::get_if<std::string>(&literal.value)) {
    return Napi::String::New(env, *text);
  }
  if (const auto* items = std::get_if<Literal::List>(&literal.value)) {
    return list(env, *items, [&](const Literal& item) { return write_literal(env, item); });
  }
  return env.Null();
}

// contract/manifest.ts's inputSpec.
Napi::Object write_input(Napi::Env env, const InputSpec& spec) {
  auto object = Napi::Object::New(env);
  if (spec.shape) object.Set("shape", numbers(env, *spec.shape));
  object.Set("dtype", spec.dtype);
  object.Set("device", spec.device);
  object.Set("distribution", spec.distribution);
  if (spec.seed) object.Set("seed", number(env, *spec.seed));
  object.Set("requires_grad", spec.requires_grad);
  for (const auto& [name, value] :
       {std::pair{"low", spec.low}, {"high", spec.high}, {"mean", spec.mean}, {"std", spec.std}}) {
    if (value) object.Set(name, *value);
  }
  if (spec.values) object.Set("values", write_literal(env, *spec.values));
  return object;
}

Napi::Object write_case(Napi::Env env, const OpcheckCase& made) {
  auto object = Napi::Object::New(env);
  object.Set("args", list(env, made.args,
                          [&](const Literal& literal) { return write_literal(env, literal); }));
  auto inputs = Napi::Object::New(env);
  for (const auto& spec : made.inputs)
    inputs.Set(spec.name, write_input(env, spec));
  object.Set("inputs", inputs);
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
  if (finding.shown_case) object.Set("shownCase", write_case(env, *finding.shown_case));
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
  if (report.generated) object.Set("generated", write_case(env, *report.generated));
  return object;
}

Napi::Value write(Napi::Env env, const SanitizedReport& report) {
  auto object = Napi::Object::New(env);
  object.Set("op", report.op);
  object.Set("seconds", report.seconds);
  object.Set("calls", list(env, report.calls, [&](const SanitizedCall& call) {
               auto item = Napi::Object::New(env);
               item.Set("given", call.given);
               item.Set("end", call.end);
               item.Set("process", number(env, call.process));
               item.Set("inputs", list(env, call.inputs, [&](const InputMemory& memory) {
                          auto input = Napi::Object::New(env);
                          input.Set("name", memory.name);
                          // An address has up to 48 bits: a JavaScript number holds it exactly.
                          input.Set("begin", static_cast<double>(memory.begin));
                          input.Set("bytes", static_cast<double>(memory.bytes));
                          return input;
                        }));
               return item;
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
