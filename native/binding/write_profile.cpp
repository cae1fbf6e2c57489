// contract/profile.ts's profileTrace.
#include "binding/write_report.h"
#include "binding/write_values.h"

namespace opsmith {
namespace {

Napi::Array texts(Napi::Env env, const std::vector<std::string>& values) {
  return list(env, values, [&](const std::string& text) { return Napi::String::New(env, text); });
}

using Column = std::pair<const char*, const std::vector<int64_t>*>;

Napi::Object columns(Napi::Env env, std::initializer_list<Column> named) {
  auto object = Napi::Object::New(env);
  for (const auto& [name, values] : named)
    object.Set(name, numbers(env, *values));
  return object;
}

}  // namespace

Napi::Value write(Napi::Env env, const ProfileTrace& trace) {
  auto object = Napi::Object::New(env);
  object.Set("op", trace.op);
  object.Set("threads", number(env, trace.threads));
  object.Set("names", texts(env, trace.names));
  object.Set("inputs", texts(env, trace.inputs));
  object.Set("details", texts(env, trace.details));
  object.Set("devices", texts(env, trace.devices));
  object.Set("frames", list(env, trace.frames, [&](const ProfileFrame& frame) {
               auto item = Napi::Object::New(env);
               item.Set("function", frame.function);
               item.Set("file", frame.file);
               item.Set("line", number(env, frame.line));
               return item;
             }));
  object.Set("stacks", list(env, trace.stacks, [&](const std::vector<int64_t>& stack) {
               return numbers(env, stack);
             }));
  object.Set("tracks", list(env, trace.tracks, [&](const ProfileTrack& track) {
               auto item = Napi::Object::New(env);
               item.Set("name", track.name);
               item.Set("isDevice", track.is_device);
               return item;
             }));
  const auto& events = trace.events;
  object.Set("events", columns(env, {{"name", &events.name},
                                     {"kind", &events.kind},
                                     {"start", &events.start},
                                     {"duration", &events.duration},
                                     {"track", &events.track},
                                     {"parent", &events.parent},
                                     {"stack", &events.stack},
                                     {"inputs", &events.inputs},
                                     {"forward", &events.forward},
                                     {"details", &events.details}}));
  const auto& allocations = trace.allocations;
  object.Set("allocations", columns(env, {{"time", &allocations.time},
                                          {"bytes", &allocations.bytes},
                                          {"device", &allocations.device},
                                          {"event", &allocations.event},
                                          {"block", &allocations.block}}));
  object.Set("cutEvents", number(env, trace.cut_events));
  object.Set("cutAllocations", number(env, trace.cut_allocations));
  object.Set("runs", numbers(env, trace.run_ns));
  object.Set("chosen", number(env, trace.chosen));
  object.Set("plainRuns", number(env, trace.plain_runs));
  object.Set("plainTime", number(env, trace.plain_ns));
  object.Set("inputBytes", number(env, trace.input_bytes));
  object.Set("resultBytes", number(env, trace.result_bytes));
  object.Set("hasDevice", trace.has_device);
  return object;
}

}  // namespace opsmith
