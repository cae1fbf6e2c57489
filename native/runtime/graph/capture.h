// Graphs that were captured in the op host. They stay there, under a number, to be read, run or
// saved. Shapes are electron/contract/graph.ts's.
#pragma once

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/callable.h"
#include "runtime/graph/observe.h"
#include "runtime/graph/passes.h"
#include "runtime/graph/text.h"
#include "runtime/inputs.h"
#include "runtime/literal.h"
#include "runtime/program/program.h"

namespace opsmith {

// captureRequest.
struct CaptureRequest {
  std::string entry;
  GraphForm form = GraphForm::script;
  std::vector<Literal> args;
  std::vector<InputSpec> inputs;
  std::vector<GraphPass> passes;
  std::vector<std::vector<Literal>> checks;
  std::optional<ProgramSource> program;
  std::string file;  // "" for none
};

struct CaptureStep {
  std::string name;
  int64_t nodes = 0;
  double seconds = 0;
  std::optional<std::string> note;  // why a pass had nothing to do
};

// control_flow_lost: the trace kept one path through a branch or a loop; value_baked: a number that
// was read from a tensor became a constant; tracer: a warning of libtorch; not_reproduced: the
// trace and the function give different results.
enum class GraphWarningKind { control_flow_lost, value_baked, tracer, not_reproduced };
constexpr auto texts_of(GraphWarningKind) {
  return enum_texts<GraphWarningKind>({{GraphWarningKind::control_flow_lost, "control-flow-lost"},
                                       {GraphWarningKind::value_baked, "value-baked"},
                                       {GraphWarningKind::tracer, "tracer"},
                                       {GraphWarningKind::not_reproduced, "not-reproduced"}});
}

struct GraphWarning {
  GraphWarningKind kind = GraphWarningKind::tracer;
  std::string message;
  std::optional<GraphPlace> source;
};

struct TraceCheck {
  std::string inputs;
  bool matches = false;
  std::optional<double> max_absolute;
  std::string message;
};

// captureReport.
struct CaptureReport {
  int64_t capture = 0;
  std::string entry;
  GraphForm form = GraphForm::script;
  double seconds = 0;
  std::vector<CaptureStep> steps;
  std::vector<GraphWarning> warnings;
  std::vector<TraceCheck> checks;
};

// `step` 0 is the graph as captured, the others are what each pass left.
struct GraphStep {
  int64_t capture = 0, step = 0;
};

struct ObserveRequest {
  int64_t capture = 0, step = 0, runs = 1;
};

struct SaveGraphRequest {
  int64_t capture = 0;
  std::string path;
};

struct SavedGraph {
  std::string path;
  int64_t bytes = 0;
};

// Throws Failure (operator.unknown, input.invalid, program.compile, request.invalid) and whatever
// the function throws when it runs.
CaptureReport capture_graph(const CaptureRequest& request);

// Throw Failure (request.invalid) for a capture or a step that is not there (any more).
GraphText read_graph(const GraphStep& step);
// Throws Failure (input.invalid) as well for a graph that has no arguments to run on.
GraphObservation observe_capture(const ObserveRequest& request);
SavedGraph save_graph(const SaveGraphRequest& request);

// How many there were.
int64_t release_graphs(const std::vector<int64_t>& captures);
void release_all_graphs();

// What is kept of a capture.
struct CapturedGraph {
  std::string entry;
  GraphForm form = GraphForm::script;
  // The graph as captured, then one a pass; empty for an autograd graph, which `autograd` holds.
  std::vector<std::shared_ptr<torch::jit::Graph>> steps;
  std::vector<std::optional<GraphAliases>> aliases;  // one a step
  std::optional<GraphText> autograd;
  std::optional<FreezableMethod> owner;  // of an archive's method
  std::optional<Callable> callable;      // keeps the program alive that the graphs call into
  // Of an executed graph, which calls into it where a guess of the profile does not hold.
  std::shared_ptr<torch::jit::GraphFunction> executed;
  // Of an archive's method, what each step's graph takes first: freezing makes another module.
  std::vector<c10::IValue> selves;
  int64_t nodes = 0;                   // of all steps together
  std::vector<c10::IValue> arguments;  // for the graph's inputs; empty for a script without any
};

// Throws Failure (request.invalid).
CapturedGraph& find_capture(int64_t capture, int64_t step);

}  // namespace opsmith
