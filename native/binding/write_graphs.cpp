#include "binding/write_report.h"
#include "binding/write_values.h"

namespace opsmith {
namespace {

Napi::Object write_place(Napi::Env env, const GraphPlace& place) {
  auto object = Napi::Object::New(env);
  object.Set("file", place.file);
  object.Set("line", number(env, place.line));
  object.Set("column", number(env, place.column));
  object.Set("endLine", number(env, place.end_line));
  object.Set("endColumn", number(env, place.end_column));
  return object;
}

Napi::Object write_step(Napi::Env env, const CaptureStep& step) {
  auto object = Napi::Object::New(env);
  object.Set("name", step.name);
  object.Set("nodes", number(env, step.nodes));
  object.Set("seconds", step.seconds);
  if (!step.note.empty()) object.Set("note", step.note);
  return object;
}

Napi::Object write_warning(Napi::Env env, const GraphWarning& warning) {
  auto object = Napi::Object::New(env);
  object.Set("kind", warning.kind);
  object.Set("message", warning.message);
  if (warning.source) object.Set("source", write_place(env, *warning.source));
  return object;
}

Napi::Object write_check(Napi::Env env, const TraceCheck& check) {
  auto object = Napi::Object::New(env);
  object.Set("inputs", check.inputs);
  object.Set("matches", check.matches);
  object.Set("maxAbsolute", or_null(env, check.max_absolute));
  object.Set("message", check.message);
  return object;
}

Napi::Object write_observed(Napi::Env env, const ObservedValue& value) {
  auto object = Napi::Object::New(env);
  object.Set("name", value.name);
  object.Set("dtype", value.dtype);
  object.Set("shape", numbers(env, value.shape));
  object.Set("device", value.device);
  object.Set("nan", number(env, value.nan));
  object.Set("inf", number(env, value.inf));
  object.Set("min", or_null(env, value.min));
  object.Set("max", or_null(env, value.max));
  object.Set("mean", or_null(env, value.mean));
  return object;
}

}  // namespace

Napi::Value write(Napi::Env env, const CaptureReport& report) {
  auto object = Napi::Object::New(env);
  object.Set("capture", number(env, report.capture));
  object.Set("entry", report.entry);
  object.Set("form", report.form);
  object.Set("seconds", report.seconds);
  object.Set("steps", list(env, report.steps,
                           [&](const CaptureStep& step) { return write_step(env, step); }));
  object.Set("warnings", list(env, report.warnings, [&](const GraphWarning& warning) {
               return write_warning(env, warning);
             }));
  object.Set("checks", list(env, report.checks,
                            [&](const TraceCheck& check) { return write_check(env, check); }));
  return object;
}

Napi::Value write(Napi::Env env, const GraphText& text) {
  auto object = Napi::Object::New(env);
  object.Set("graph", text.graph);
  object.Set("text", text.text);
  return object;
}

Napi::Value write(Napi::Env env, const GraphObservation& observation) {
  auto object = Napi::Object::New(env);
  object.Set("seconds", observation.seconds);
  object.Set("runs", number(env, observation.runs));
  object.Set("nodes", list(env, observation.nodes, [&](const ObservedNode& node) {
               auto entry = Napi::Object::New(env);
               entry.Set("id", number(env, node.id));
               entry.Set("calls", number(env, node.calls));
               entry.Set("seconds", node.seconds);
               entry.Set("bytes", number(env, node.bytes));
               entry.Set("values", list(env, node.values, [&](const ObservedValue& value) {
                           return write_observed(env, value);
                         }));
               return entry;
             }));
  return object;
}

Napi::Value write(Napi::Env env, const GraphArchive& archive) {
  auto object = Napi::Object::New(env);
  object.Set("path", archive.path);
  object.Set("kind", "torchscript");
  object.Set("entries", list(env, archive.entries, [&](const ArchiveEntry& entry) {
               auto item = Napi::Object::New(env);
               item.Set("name", entry.name);
               item.Set("schema", entry.schema);
               return item;
             }));
  object.Set("missing", list(env, archive.missing, [&](const std::string& name) {
               return Napi::String::New(env, name);
             }));
  return object;
}

}  // namespace opsmith
