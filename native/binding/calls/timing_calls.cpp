#include "binding/call_fields.h"
#include "binding/calls.h"
#include "runtime/timing/machine.h"
#include "runtime/timing/timing.h"

namespace opsmith {

void fields(auto& visit, TimedCallRequest& request) {
  call_fields(visit, request);
  visit("expression", request.expression);
  visit("direction", request.direction);
  visit("threads", request.threads);
  visit("cold", request.cold);
  visit("fresh", request.fresh);
}

void fields(auto& visit, Warmup& warmup) {
  visit("calls", warmup.calls);
  visit("seconds", warmup.seconds);
  visit("steady", warmup.steady);
}

void fields(auto& visit, TimingTrap& trap) {
  visit("kind", trap.kind);
  visit("message", trap.message);
}

void fields(auto& visit, OpenedTiming& opened) {
  visit("handle", opened.handle);
  visit("op", opened.op);
  visit("device", opened.device);
  visit("callsPerSample", opened.calls_per_sample);
  visit("secondsPerCall", opened.seconds_per_call);
  visit("warmup", opened.warmup);
  visit("bytes", opened.bytes);
  visit("flops", opened.flops);
  visit("givesViews", opened.gives_views);
  visit("betweenEvents", opened.between_events);
  visit("traps", opened.traps);
}

void fields(auto& visit, TimingHandle& request) {
  visit("handle", request.handle);
}

void fields(auto& visit, SampleRequest& request) {
  visit("handle", request.handle);
  visit("count", request.count);
}

void fields(auto& visit, DeviceState& state) {
  visit("clock", state.clock);
  visit("memoryClock", state.memory_clock);
  visit("temperature", state.temperature);
  visit("power", state.power);
  visit("slowedBy", state.slowed_by);
  visit("otherProcesses", state.other_processes);
  visit("missing", state.missing);
}

void fields(auto& visit, DeviceSamples& samples) {
  visit("launch", samples.launch);
  visit("before", samples.before);
  visit("after", samples.after);
  visit("behind", samples.behind);
}

void fields(auto& visit, TimingSamples& samples) {
  visit("seconds", samples.seconds);
  visit("wallSeconds", samples.wall);
  visit("threadSeconds", samples.thread);
  visit("processSeconds", samples.process);
  visit("machineSeconds", samples.machine);
  visit("instructions", samples.instructions);
  visit("cycles", samples.cycles);
  visit("frequencies", samples.frequencies);
  visit("device", samples.device);
}

void fields(auto& visit, TimingLayers& layers) {
  visit("full", layers.full);
  visit("belowAutograd", layers.below_autograd);
  visit("kernel", layers.kernel);
}

void fields(auto& visit, ReplayedCall& replayed) {
  visit("seconds", replayed.seconds);
  visit("missing", replayed.missing);
}

void fields(auto& visit, TimingFileRequest& request) {
  visit("handle", request.handle);
  visit("path", request.path);
}

void fields(auto& visit, WrittenFile& file) {
  visit("path", file.path);
}

void fields(auto& visit, ProfiledCall& profiled) {
  visit("path", profiled.path);
  visit("missing", profiled.missing);
}

void fields(auto& visit, CompareRequest& request) {
  visit("handle", request.handle);
  visit("with", request.with);
  visit.within(request.tolerances);
}

void fields(auto& visit, TimingComparison& comparison) {
  visit("comparisons", comparison.comparisons);
}

void fields(auto& visit, TimingHandles& request) {
  visit("handles", request.handles);
}

void fields(auto& visit, ClosedTimings& answer) {
  visit("closed", answer.closed);
}

struct DeviceRequest {
  std::string device;
};

void fields(auto& visit, DeviceRequest& request) {
  visit("device", request.device);
}

void fields(auto& visit, DeviceFacts& facts) {
  visit("device", facts.device);
  visit("name", facts.name);
  visit("cacheBytes", facts.cache_bytes);
  visit("multiprocessors", facts.multiprocessors);
  visit("missing", facts.missing);
}

void fields(auto& visit, DeviceCeilings& ceilings) {
  visit("bytesPerSecond", ceilings.bytes_per_second);
  visit("flopsPerSecond", ceilings.flops);
  visit("state", ceilings.state);
}

void fields(auto& visit, FrequencyFacts& facts) {
  visit("governor", facts.governor);
  visit("least", facts.least);
  visit("most", facts.most);
  visit("turbo", facts.turbo);
}

void fields(auto& visit, MachineFacts& facts) {
  visit("processor", facts.processor);
  visit("cores", facts.cores);
  visit("cacheBytes", facts.cache_bytes);
  visit("frequency", facts.frequency);
  visit("countersMissing", facts.counters_missing);
}

void fields(auto& visit, CeilingsRequest& request) {
  visit("threads", request.threads);
}

void fields(auto& visit, MachineCeilings& ceilings) {
  visit("threads", ceilings.threads);
  visit("bytesPerSecond", ceilings.bytes_per_second);
  visit("flopsPerSecond", ceilings.flops);
  visit("othersBusy", ceilings.others_busy);
  visit("spread", ceilings.spread);
}

static const Calls timing_calls({
    {"timing.open", handle(open_timing)},
    {"timing.sample", handle(sample_timing)},
    {"timing.layers", handle(timing_layers)},
    {"timing.replay", handle(replay_timing)},
    {"timing.profile", handle(profile_timing)},
    {"timing.save", handle(save_timing)},
    {"timing.compare", handle(compare_timing)},
    {"timing.close", handle(close_timings)},
    {"timing.device",
     handle([](const DeviceRequest& request) { return device_facts(at::Device(request.device)); })},
    {"timing.deviceCeilings", handle([](const DeviceRequest& request) {
       return measure_device(parse_device(request.device));
     })},
    {"timing.machine", handle(machine_facts)},
    {"timing.ceilings", handle(measure_ceilings)},
});

}  // namespace opsmith
