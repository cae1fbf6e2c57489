#include "binding/call_fields.h"
#include "binding/calls.h"
#include "runtime/graph/capture.h"
#include "runtime/graph/modules.h"
#include "runtime/graph/observe.h"

namespace opsmith {

void fields(auto& visit, CaptureRequest& request) {
  visit("entry", request.entry);
  visit("form", request.form);
  visit("args", or_default(request.args));
  visit("inputs", named(request.inputs));
  visit("passes", or_default(request.passes));
  visit("checks", or_default(request.checks));
  visit("program", request.program);
  visit("file", or_default(request.file));
}

void fields(auto& visit, CaptureStep& step) {
  visit("name", step.name);
  visit("nodes", step.nodes);
  visit("seconds", step.seconds);
  visit("note", step.note);
}

void fields(auto& visit, GraphPlace& place) {
  visit("file", place.file);
  visit("line", place.line);
  visit("column", place.column);
  visit("endLine", place.end_line);
  visit("endColumn", place.end_column);
}

void fields(auto& visit, GraphWarning& warning) {
  visit("kind", warning.kind);
  visit("message", warning.message);
  visit("source", warning.source);
}

void fields(auto& visit, TraceCheck& check) {
  visit("inputs", check.inputs);
  visit("matches", check.matches);
  visit("maxAbsolute", or_null(check.max_absolute));
  visit("message", check.message);
}

void fields(auto& visit, CaptureReport& report) {
  visit("capture", report.capture);
  visit("entry", report.entry);
  visit("form", report.form);
  visit("seconds", report.seconds);
  visit("steps", report.steps);
  visit("warnings", report.warnings);
  visit("checks", report.checks);
}

void fields(auto& visit, GraphStep& step) {
  visit("capture", step.capture);
  visit("step", step.step);
}

void fields(auto& visit, GraphText& text) {
  visit("graph", text.graph);
  visit("text", text.text);
}

void fields(auto& visit, ObserveRequest& request) {
  visit("capture", request.capture);
  visit("step", request.step);
  visit("runs", request.runs);
}

void fields(auto& visit, ObservedValue& value) {
  visit("name", value.name);
  visit("dtype", value.dtype);
  visit("shape", value.shape);
  visit("device", value.device);
  visit("nan", value.nan);
  visit("inf", value.inf);
  visit("min", or_null(value.min));
  visit("max", or_null(value.max));
  visit("mean", or_null(value.mean));
}

void fields(auto& visit, ObservedNode& node) {
  visit("id", node.id);
  visit("calls", node.calls);
  visit("seconds", node.seconds);
  visit("bytes", node.bytes);
  visit("values", node.values);
}

void fields(auto& visit, GraphObservation& observation) {
  visit("seconds", observation.seconds);
  visit("runs", observation.runs);
  visit("nodes", observation.nodes);
}

struct GraphReleaseRequest {
  std::vector<int64_t> captures;
};

void fields(auto& visit, GraphReleaseRequest& request) {
  visit("captures", request.captures);
}

struct ReleasedGraphs {
  int64_t released = 0;
};

void fields(auto& visit, ReleasedGraphs& answer) {
  visit("released", answer.released);
}

void fields(auto& visit, SaveGraphRequest& request) {
  visit("capture", request.capture);
  visit("path", request.path);
}

void fields(auto& visit, SavedGraph& saved) {
  visit("path", saved.path);
  visit("bytes", saved.bytes);
}

struct ArchiveRequest {
  std::string path;
};

void fields(auto& visit, ArchiveRequest& request) {
  visit("path", request.path);
}

void fields(auto& visit, ArchiveEntry& entry) {
  visit("name", entry.name);
  visit("schema", entry.schema);
}

void fields(auto& visit, GraphArchive& archive) {
  visit("path", archive.path);
  visit("kind", "torchscript");
  visit("entries", archive.entries);
  visit("missing", archive.missing);
}

static const Calls graph_calls({
    {"graph.capture", handle(capture_graph)},
    {"graph.read", handle(read_graph)},
    {"graph.observe", handle(observe_capture)},
    {"graph.release", handle([](const GraphReleaseRequest& request) {
       return ReleasedGraphs{release_graphs(request.captures)};
     })},
    {"graph.save", handle(save_graph)},
    {"graph.archive",
     handle([](const ArchiveRequest& request) { return describe_archive(request.path); })},
});

}  // namespace opsmith
