#include "binding/write_report.h"
#include "binding/write_values.h"

namespace opsmith {

Napi::Value write(Napi::Env env, const OpenedTiming& opened) {
  auto warmup = Napi::Object::New(env);
  warmup.Set("calls", number(env, opened.warmup_calls));
  warmup.Set("seconds", opened.warmup_seconds);
  warmup.Set("steady", opened.steady);
  auto object = Napi::Object::New(env);
  object.Set("handle", number(env, opened.handle));
  object.Set("op", opened.op);
  object.Set("callsPerSample", number(env, opened.calls_per_sample));
  object.Set("secondsPerCall", opened.seconds_per_call);
  object.Set("warmup", warmup);
  object.Set("bytes", number(env, opened.bytes));
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
  if (samples.cycles) object.Set("cycles", *samples.cycles);
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

Napi::Value write(Napi::Env env, const MachineFacts& facts) {
  auto object = Napi::Object::New(env);
  object.Set("processor", facts.processor);
  object.Set("cores", number(env, facts.cores));
  object.Set("cacheBytes", number(env, facts.cache_bytes));
  object.Set("governor", facts.governor);
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
  return object;
}

}  // namespace opsmith
