#include "runtime/graph/capture.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <map>
#include <set>

#include "runtime/arguments.h"
#include "runtime/clock.h"
#include "runtime/failure.h"
#include "runtime/graph/autograd.h"
#include "runtime/graph/depth.h"
#include "runtime/graph/modules.h"
#include "runtime/graph/trace.h"
#include "runtime/values.h"

namespace opsmith {
namespace {

namespace jit = torch::jit;
using c10::IValue;
using Stack = std::vector<IValue>;

// The oldest captures go past either of these; a node takes about a kilobyte.
constexpr size_t captures_kept = 48;
constexpr int64_t nodes_kept = 1'000'000;
// Added to every seed for the inputs that a trace is checked on.
constexpr int64_t other_seeds = 7919;

// By number, oldest first. Only the call thread comes here.
std::map<int64_t, CapturedGraph>& captures() {
  static auto* all = new std::map<int64_t, CapturedGraph>();
  return *all;
}
int64_t last_capture = 0;

void drop_oldest() {
  int64_t nodes = 0;
  for (const auto& [number, captured] : captures())
    nodes += captured.nodes;
  while (captures().size() > 1 && (captures().size() > captures_kept || nodes > nodes_kept)) {
    nodes -= captures().begin()->second.nodes;
    captures().erase(captures().begin());
  }
}

std::string literal_text(const Literal& literal) {
  if (const auto* text = std::get_if<std::string>(&literal.value)) return *text;
  if (const auto* flag = std::get_if<bool>(&literal.value)) return *flag ? "True" : "False";
  if (const auto* number = std::get_if<double>(&literal.value)) {
    std::ostringstream text;
    text << *number;
    return text.str();
  }
  if (const auto* list = std::get_if<Literal::List>(&literal.value)) {
    std::string text;
    for (const auto& item : *list)
      text += (text.empty() ? "" : ", ") + literal_text(item);
    return "[" + text + "]";
  }
  return "None";
}

std::string call_text(const std::string& entry, const std::vector<Literal>& args) {
  std::string text;
  for (const auto& argument : args)
    text += (text.empty() ? "" : ", ") + literal_text(argument);
  return entry + "(" + text + ")";
}

// Everything that takes part in one capture.
class Capture {
 public:
  explicit Capture(const CaptureRequest& request) : request_(request) {
    captured_.entry = request.entry;
    captured_.form = request.form;
    for (const auto& spec : request.inputs)
      inputs_.names.push_back(spec.name);
    if (request.file.empty()) {
      captured_.callable = find_callable(request.entry, request.program);
    } else {
      find_method();
    }
  }

  CaptureReport run() {
    const auto start = Clock::now();
    if (request_.form == GraphForm::script) {
      capture_script();
    } else {
      check_runnable();
      make_inputs(0);
      captured_.arguments = make_arguments(captured_.callable->schema, request_.args, &inputs_);
      if (request_.form == GraphForm::trace) {
        capture_trace();
      } else if (request_.form == GraphForm::autograd) {
        capture_autograd();
      } else {
        capture_executed();
      }
    }
    report_.seconds = seconds_since(start);
    add_captured_step();
    for (const auto& pass : request_.passes)
      add_pass(pass);
    report_.entry = captured_.entry;
    report_.form = captured_.form;
    return std::move(report_);
  }

  CapturedGraph take() { return std::move(captured_); }

 private:
  void find_method() {
    auto root = load_archive(request_.file);
    const auto dot = request_.entry.rfind('.');
    const bool is_nested = dot != std::string::npos;
    FreezableMethod owner{root, is_nested ? request_.entry.substr(0, dot) : "",
                          is_nested ? request_.entry.substr(dot + 1) : request_.entry};
    const auto module = find_submodule(root, owner.submodule);
    const auto method = module.find_method(owner.method);
    if (!method) {
      throw Failure(ErrorCode::operator_unknown, "The archive has no method " + request_.entry);
    }
    const auto& schema = method->function().getSchema();
    auto arguments = schema.arguments();
    arguments.erase(arguments.begin());  // self
    captured_.callable = Callable{request_.entry, schema.cloneWithArguments(std::move(arguments)),
                                  [module, name = owner.method](Stack& stack) {
                                    stack.insert(stack.begin(), module._ivalue());
                                    module.get_method(name).function().run(stack);
                                  },
                                  &method->function(), nullptr};
    module_ = module;
    captured_.owner = std::move(owner);
  }

  jit::Module* module() { return module_ ? &*module_ : nullptr; }

  void check_runnable() const {
    const auto& arguments = captured_.callable->schema.arguments();
    if (!module_ && !arguments.empty() && arguments[0].name() == "self" &&
        captured_.callable->function != nullptr &&
        arguments[0].type()->kind() == c10::TypeKind::ClassType) {
      throw Failure(
          ErrorCode::input_invalid,
          request_.entry +
              " is a method, so Opsmith can capture only the script graph of this method",
          "In the program, write a function that calls the method, and capture this function.");
    }
  }

  void make_inputs(int64_t seed_offset) {
    inputs_.tensors.clear();
    for (auto spec : request_.inputs) {
      if (seed_offset != 0) spec.seed = spec.seed.value_or(spec.position) + seed_offset;
      inputs_.tensors.emplace(spec.name, make_input(spec));
    }
  }

  void capture_script() {
    auto* function = captured_.callable->function;
    if (function == nullptr) {
      throw Failure(ErrorCode::request_invalid,
                    request_.entry + " is an operator: only functions have a script graph",
                    "Capture the trace or the autograd graph of the operator, or write a function "
                    "that calls the operator.");
    }
    captured_.steps.push_back(jit::toGraphFunction(*function).graph()->copy());
    // Given arguments, the graph can be run later; without, it can still be read.
    if (request_.args.empty() && !captured_.callable->schema.arguments().empty()) return;
    check_runnable();
    make_inputs(0);
    captured_.arguments = make_arguments(captured_.callable->schema, request_.args, &inputs_);
  }

  void capture_trace() {
    const Stage stage(ErrorCode::operator_check);
    const auto& callable = *captured_.callable;
    const auto trace = trace_call(callable, clones_of(captured_.arguments), module());
    captured_.steps.push_back(trace.graph);
    for (const auto& message : trace.warnings)
      report_.warnings.push_back({GraphWarningKind::tracer, message, std::nullopt});
    if (callable.function != nullptr) {
      for (auto& warning : find_losses(*callable.function))
        report_.warnings.push_back(std::move(warning));
    }
    check(trace);
    Stack traced;
    for (const size_t index : trace.traced)
      traced.push_back(captured_.arguments[index]);
    captured_.arguments = std::move(traced);
    if (module_) {
      captured_.owner = FreezableMethod{module_of_trace(*trace.graph, *module_), "", "forward"};
    }
  }

  bool has_random_inputs() const {
    static const std::set<Distribution> random = {Distribution::randn, Distribution::rand,
                                                  Distribution::randint};
    for (const auto& spec : request_.inputs) {
      if (!spec.values && random.count(spec.distribution) != 0) return true;
    }
    return false;
  }

  void check(const Trace& trace) {
    const auto& callable = *captured_.callable;
    const auto check_with = [&](const std::vector<Literal>& args, const std::string& words) {
      const Stage stage(ErrorCode::operator_check, "checking the trace on " + words);
      const auto arguments = make_arguments(callable.schema, args, &inputs_);
      report_.checks.push_back(check_trace(callable, trace, arguments, module(), words));
    };
    for (const auto& args : request_.checks)
      check_with(args, call_text(request_.entry, args));
    if (has_random_inputs()) {
      make_inputs(other_seeds);
      check_with(request_.args, "inputs with other seeds");
    }
    for (const auto& check : report_.checks) {
      if (check.matches) continue;
      report_.warnings.push_back({GraphWarningKind::not_reproduced,
                                  "The trace and the function give different results on " +
                                      check.inputs + ": " + check.message + ".",
                                  std::nullopt});
      break;
    }
  }

  void capture_autograd() {
    const Stage stage(ErrorCode::operator_check);
    auto stack = captured_.arguments;
    captured_.callable->call(stack);
    std::vector<std::pair<std::string, at::Tensor>> named;
    for (const auto& name : inputs_.names)
      named.emplace_back(name, inputs_.tensors.at(name));
    if (module_) {
      for (const auto& parameter : module_->named_parameters()) {
        named.emplace_back(parameter.name, parameter.value);
      }
    }
    auto graph = describe_autograd(captured_.entry, named, flatten_deeply(stack));
    if (graph.nodes == 0) {
      throw Failure(ErrorCode::input_invalid,
                    "No output of " + request_.entry + " requires grad: there is no autograd graph",
                    "Set \"requires_grad\": true on an input, or give the operator an autograd "
                    "kernel.");
    }
    autograd_nodes_ = graph.nodes;
    captured_.autograd = std::move(graph.text);
  }

  // The profiling executor looks at two runs before it specialises and fuses.
  void capture_executed() {
    auto* original = captured_.callable->function;
    if (original == nullptr) {
      throw Failure(ErrorCode::request_invalid,
                    request_.entry + " is an operator: only functions have an executed graph",
                    "Choose a function of the project's TorchScript program.");
    }
    const Stage stage(ErrorCode::operator_check);
    // A function of its own, so that its profile is of these inputs alone.
    captured_.executed = std::make_shared<jit::GraphFunction>(
        original->name(), jit::toGraphFunction(*original).graph()->copy(), nullptr);
    constexpr int warm_up = 3;
    for (int i = 0; i < warm_up; ++i) {
      auto stack = clones_of(captured_.arguments);
      if (module_) stack.insert(stack.begin(), module_->_ivalue());
      captured_.executed->run(stack);
    }
    captured_.steps.push_back(jit::lastExecutedOptimizedGraph()->copy());
  }

  void add_captured_step() {
    const bool is_called =
        !captured_.arguments.empty() || captured_.callable->schema.arguments().empty();
    if (module_ && captured_.form != GraphForm::autograd && is_called) {
      captured_.arguments.insert(captured_.arguments.begin(), module_->_ivalue());
    }
    if (module_) captured_.selves.emplace_back(module_->_ivalue());
    captured_.aliases.resize(captured_.steps.size());
    if (!captured_.steps.empty()) note_depth(*captured_.steps[0]);
    const auto nodes = captured_.steps.empty()
                           ? autograd_nodes_
                           : static_cast<int64_t>(numbered_nodes(*captured_.steps[0]).size());
    report_.steps.push_back({"captured", nodes, report_.seconds, std::nullopt});
  }

  void add_pass(GraphPass pass) {
    if (captured_.steps.empty()) {
      throw Failure(ErrorCode::request_invalid,
                    "Passes work on TorchScript graphs, not on autograd graphs",
                    "Capture the script graph or the trace, or remove the passes.");
    }
    const auto start = Clock::now();
    const Stage stage(ErrorCode::operator_check, "pass " + std::string(enum_text(pass)));
    auto* owner = captured_.owner ? &*captured_.owner : nullptr;
    auto result = run_pass(pass, *captured_.steps.back(), owner);
    report_.steps.push_back({enum_text(pass),
                             static_cast<int64_t>(numbered_nodes(*result.graph).size()),
                             seconds_since(start), result.note});
    captured_.steps.push_back(std::move(result.graph));
    captured_.aliases.push_back(std::move(result.aliases));
    if (module_) {
      captured_.selves.push_back(pass == GraphPass::freeze ? IValue(owner->module._ivalue())
                                                           : captured_.selves.back());
    }
  }

  const CaptureRequest& request_;
  CapturedGraph captured_;
  CaptureReport report_;
  ProjectInputs inputs_;
  std::optional<jit::Module> module_;
  int64_t autograd_nodes_ = 0;
};

}  // namespace

CaptureReport capture_graph(const CaptureRequest& request) {
  const Stage stage(ErrorCode::operator_unknown);
  Capture capture(request);
  auto report = capture.run();
  report.capture = ++last_capture;
  auto captured = capture.take();
  for (const auto& step : report.steps)
    captured.nodes += step.nodes;
  captures().emplace(report.capture, std::move(captured));
  drop_oldest();
  return report;
}

CapturedGraph& find_capture(int64_t number, int64_t step) {
  const auto found = captures().find(number);
  if (found == captures().end()) {
    throw Failure(ErrorCode::request_invalid, "This graph is no longer in memory",
                  "Capture the graph again.");
  }
  const auto steps = found->second.autograd ? 1 : found->second.steps.size();
  if (step < 0 || static_cast<size_t>(step) >= steps) {
    throw Failure(ErrorCode::request_invalid, "The capture has no step " + std::to_string(step) +
                                                  ": it has " + std::to_string(steps) + " step(s)");
  }
  return found->second;
}

GraphText read_graph(const GraphStep& step) {
  auto& captured = find_capture(step.capture, step.step);
  if (captured.autograd) return *captured.autograd;
  const auto index = static_cast<size_t>(step.step);
  const auto& aliases = captured.aliases[index];
  return write_graph(captured.entry, captured.form, *captured.steps[index],
                     aliases ? &*aliases : nullptr);
}

GraphObservation observe_capture(const ObserveRequest& request) {
  auto& captured = find_capture(request.capture, request.step);
  const auto step = static_cast<size_t>(request.step);
  if (captured.autograd) {
    throw Failure(ErrorCode::input_invalid, "Opsmith cannot run an autograd graph",
                  "Run the script or trace graph of the same function.");
  }
  auto& graph = *captured.steps[step];
  if (captured.arguments.size() < graph.inputs().size()) {
    throw Failure(ErrorCode::input_invalid,
                  "The graph cannot run: it was captured without arguments",
                  "Capture the graph with the arguments of a call.");
  }
  auto arguments = captured.arguments;
  // A model may change as it runs, and is still saved as it was captured.
  if (!captured.selves.empty()) {
    arguments[0] = captured.selves[step].toObject()->deepcopy();
  }
  return observe_graph(graph, arguments, request.runs);
}

SavedGraph save_graph(const SaveGraphRequest& request) {
  auto& captured = find_capture(request.capture, 0);
  if (captured.form != GraphForm::script && captured.form != GraphForm::trace) {
    throw Failure(ErrorCode::request_invalid,
                  "Opsmith can save only script and trace graphs as .pt: an " +
                      std::string(enum_text(captured.form)) + " graph is not a program",
                  "Capture and save the script graph or the trace of the function.");
  }
  const auto module =
      captured.owner ? captured.owner->module : module_of_function(*captured.steps.back());
  return {request.path, save_archive(module, request.path)};
}

int64_t release_graphs(const std::vector<int64_t>& numbers) {
  int64_t released = 0;
  for (const int64_t number : numbers)
    released += static_cast<int64_t>(captures().erase(number));
  return released;
}

void release_all_graphs() {
  captures().clear();
}

}  // namespace opsmith
