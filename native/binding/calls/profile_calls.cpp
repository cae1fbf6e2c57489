#include "binding/call_fields.h"
#include "binding/calls.h"
#include "runtime/profile/profile.h"

namespace opsmith {

void fields(auto& visit, ProfileRequest& request) {
  call_fields(visit, request);
  visit("backward", request.backward);
  visit("threads", request.threads);
}

void fields(auto& visit, ProfileFrame& frame) {
  visit("function", frame.function);
  visit("file", frame.file);
  visit("line", frame.line);
}

void fields(auto& visit, ProfileTrack& track) {
  visit("name", track.name);
  visit("isDevice", track.is_device);
}

void fields(auto& visit, ProfileEvents& events) {
  visit("name", events.name);
  visit("kind", events.kind);
  visit("start", events.start);
  visit("duration", events.duration);
  visit("track", events.track);
  visit("parent", events.parent);
  visit("stack", events.stack);
  visit("inputs", events.inputs);
  visit("forward", events.forward);
  visit("details", events.details);
}

void fields(auto& visit, ProfileAllocations& allocations) {
  visit("time", allocations.time);
  visit("bytes", allocations.bytes);
  visit("device", allocations.device);
  visit("event", allocations.event);
  visit("block", allocations.block);
}

void fields(auto& visit, ProfileTrace& trace) {
  visit("op", trace.op);
  visit("threads", trace.threads);
  visit("names", trace.names);
  visit("inputs", trace.inputs);
  visit("details", trace.details);
  visit("devices", trace.devices);
  visit("frames", trace.frames);
  visit("stacks", trace.stacks);
  visit("tracks", trace.tracks);
  visit("events", trace.events);
  visit("allocations", trace.allocations);
  visit("cutEvents", trace.cut_events);
  visit("cutAllocations", trace.cut_allocations);
  visit("runs", trace.run_ns);
  visit("chosen", trace.chosen);
  visit("plainRuns", trace.plain_runs);
  visit("plainTime", trace.plain_ns);
  visit("inputBytes", trace.input_bytes);
  visit("resultBytes", trace.result_bytes);
  visit("hasDevice", trace.has_device);
  visit("deviceMissing", trace.device_missing);
}

static const Calls profile_calls({{"profile.run", handle(run_profile)}});

}  // namespace opsmith
