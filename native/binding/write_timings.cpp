#include "binding/write_report.h"
#include "binding/write_values.h"

namespace opsmith {
namespace {

Napi::Object write_state(Napi::Env env, const DeviceState& state) {
  auto object = Napi::Object::New(env);
  const std::pair<const char*, std::optional<double>> numbers[] = {
      {"clock", state.clock},
      {"memoryClock", state.memory_clock},
      {"temperature", state.temperature},
      {"power", state.power}};
  for (const auto& [name, value] : numbers) {
    if (value) object.Set(name, *value);
  }
  object.Set("slowedBy", list(env, state.slowed_by, [&](const std::string& name) {
               return Napi::String::New(env, name);
             }));
  if (state.processes) object.Set("processes", number(env, *state.processes));
  object.Set("missing", state.missing);
  return object;
}

}  // namespace

Napi::Value write(Napi::Env env, const OpenedTiming& opened) {
  auto warmup = Napi::Object::New(env);
  warmup.Set("calls", number(env, opened.warmup_calls));
  warmup.Set("seconds", opened.warmup_seconds);
  warmup.Set("steady", opened.steady);
  auto object = Napi::Object::New(env);
  object.Set("handle", number(env, opened.handle));
  object.Set("op", opened.op);
  object.Set("device", opened.device);
  object.Set("callsPerSample", number(env, opened.calls_per_sample));
  object.Set("secondsPerCall", opened.seconds_per_call);
  object.Set("warmup", warmup);
  object.Set("bytes", number(env, opened.bytes));
  object.Set("flops", number(env, opened.flops));
  object.Set("givesViews", opened.gives_views);
  object.Set("traps", list(env, opened.traps, [&](const TimingTrap& trap) {
               auto item = Napi::Object::New(env);
               item.Set("kind", trap.kind);
               item.Set("message", trap.message);
               return item;
             }));
  return object;
}

Napi::Value write(Napi::Env env, const TimingSamples& samples) {
  auto object = Napi::Object::New(env);
  object.Set("seconds", numbers(env, samples.seconds));
  object.Set("wallSeconds", samples.wall);
  object.Set("threadSeconds", samples.thread);
  object.Set("processSeconds", samples.process);
  object.Set("machineSeconds", samples.machine);
  if (samples.instructions) object.Set("instructions", *samples.instructions);
  if (samples.device) {
    auto device = Napi::Object::New(env);
    device.Set("launch", samples.device->launch);
    device.Set("before", write_state(env, samples.device->before));
    device.Set("after", write_state(env, samples.device->after));
    object.Set("device", device);
  }
  if (samples.cycles) object.Set("cycles", *samples.cycles);
  if (samples.frequency_before && samples.frequency_after) {
    object.Set("frequencies", numbers(env, std::vector<double>{*samples.frequency_before,
                                                               *samples.frequency_after}));
  }
  return object;
}

Napi::Value write(Napi::Env env, const TimingLayers& layers) {
  auto object = Napi::Object::New(env);
  object.Set("full", layers.full);
  object.Set("belowAutograd", layers.below_autograd);
  if (layers.kernel) object.Set("kernel", *layers.kernel);
  return object;
}

Napi::Value write(Napi::Env env, const std::vector<Comparison>& comparisons) {
  auto object = Napi::Object::New(env);
  object.Set("comparisons", list(env, comparisons, [&](const Comparison& comparison) {
               return write_comparison(env, comparison);
             }));
  return object;
}

Napi::Value write(Napi::Env env, const ReplayedCall& replayed) {
  auto object = Napi::Object::New(env);
  object.Set("seconds", numbers(env, replayed.seconds));
  object.Set("missing", replayed.missing);
  return object;
}

Napi::Value write(Napi::Env env, const DeviceFacts& facts) {
  auto object = Napi::Object::New(env);
  object.Set("device", facts.device);
  object.Set("name", facts.name);
  object.Set("cacheBytes", number(env, facts.cache_bytes));
  object.Set("multiprocessors", number(env, facts.multiprocessors));
  object.Set("missing", facts.missing);
  return object;
}

Napi::Value write(Napi::Env env, const DeviceCeilings& ceilings) {
  auto flops = Napi::Object::New(env);
  for (const auto& [dtype, rate] : ceilings.flops)
    flops.Set(dtype, rate);
  auto object = Napi::Object::New(env);
  object.Set("bytesPerSecond", ceilings.bytes_per_second);
  object.Set("flopsPerSecond", flops);
  object.Set("state", write_state(env, ceilings.state));
  return object;
}

Napi::Value write(Napi::Env env, const MachineFacts& facts) {
  auto object = Napi::Object::New(env);
  object.Set("processor", facts.processor);
  object.Set("cores", number(env, facts.cores));
  object.Set("cacheBytes", number(env, facts.cache_bytes));
  auto frequency = Napi::Object::New(env);
  frequency.Set("governor", facts.frequency.governor);
  frequency.Set("least", facts.frequency.least);
  frequency.Set("most", facts.frequency.most);
  frequency.Set("turbo", facts.frequency.turbo);
  object.Set("frequency", frequency);
  object.Set("countersMissing", facts.counters_missing);
  return object;
}

Napi::Value write(Napi::Env env, const MachineCeilings& ceilings) {
  auto flops = Napi::Object::New(env);
  flops.Set("float32", ceilings.float32_flops);
  flops.Set("float64", ceilings.float64_flops);
  auto object = Napi::Object::New(env);
  object.Set("threads", number(env, ceilings.threads));
  object.Set("bytesPerSecond", ceilings.bytes_per_second);
  object.Set("flopsPerSecond", flops);
  object.Set("othersBusy", ceilings.others_busy);
  object.Set("spread", ceilings.spread);
  return object;
}

}  // namespace opsmith
