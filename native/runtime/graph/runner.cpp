#include "runtime/graph/runner.h"

#include <ATen/core/class_type.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/interpreter.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <memory>
#include <set>

#include "runtime/failure.h"
#include "runtime/graph/text.h"
#include "runtime/program/program.h"

namespace opsmith {

namespace jit = torch::jit;
using c10::IValue;
using Stack = std::vector<IValue>;

namespace {

jit::Function* called_function(jit::Node& node) {
  if (node.kind() == c10::prim::CallFunction) return jit::tryToGraphFunction(&node);
  if (node.kind() != c10::prim::CallMethod) return nullptr;
  const auto type = node.inputs()[0]->type()->cast<c10::ClassType>();
  auto* method = type ? type->findMethod(node.s(c10::attr::name)) : nullptr;
  return method != nullptr && method->isGraphFunction() ? method : nullptr;
}

// An operator's exception knows at most the line of C++ that threw it. What libtorch's interpreter
// ran names the program's line already, with its column.
[[noreturn]] void rethrow_at(const jit::Node& node) {
  auto failure = describe_current_exception();
  if (const auto place = place_of(node.sourceRange()); place && failure.column == 0) {
    failure.file = place->file;
    failure.line = static_cast<int>(place->line);
    failure.column = static_cast<int>(place->column);
  }
  throw failure;
}

}  // namespace

GraphRunner::GraphRunner(jit::Graph& graph) : graph_(graph), nodes_(numbered_nodes(graph)) {
  for (size_t i = 0; i < nodes_.size(); ++i)
    ids_[nodes_[i]] = i;
  work_.resize(nodes_.size());
}

Stack GraphRunner::run_graph(const Stack& arguments) {
  values_.clear();
  for (size_t i = 0; i < graph_.inputs().size(); ++i)
    values_[graph_.inputs()[i]] = arguments[i];
  jit::GraphOptimizerEnabledGuard without_optimiser(false);
  run_block(*graph_.block());
  return take(graph_.outputs());
}

void GraphRunner::bind(at::ArrayRef<jit::Value*> names, at::ArrayRef<jit::Value*> /*from*/,
                       const Stack& values) {
  for (size_t i = 0; i < names.size(); ++i)
    values_[names[i]] = values[i];
}

Stack GraphRunner::take(at::ArrayRef<jit::Value*> names) const {
  Stack stack;
  stack.reserve(names.size());
  for (const auto* name : names)
    stack.push_back(values_.at(name));
  return stack;
}

void GraphRunner::run_block(jit::Block& block) {
  for (auto* node : block.nodes())
    run_node(*node, ids_.at(node));
}

void GraphRunner::run_if(jit::Node& node) {
  auto* block = node.blocks()[value(node.inputs()[0]).toBool() ? 0 : 1];
  run_block(*block);
  bind(node.outputs(), block->outputs(), take(block->outputs()));
}

void GraphRunner::run_loop(jit::Node& node) {
  auto* body = node.blocks()[0];
  const int64_t limit = value(node.inputs()[0]).toInt();
  bool goes_on = value(node.inputs()[1]).toBool();
  auto names = node.inputs().slice(2);
  auto carried = take(names);
  for (int64_t turn = 0; goes_on && turn < limit; ++turn) {
    values_[body->inputs()[0]] = turn;
    bind(body->inputs().slice(1), names, carried);
    run_block(*body);
    goes_on = value(body->outputs()[0]).toBool();
    names = body->outputs().slice(1);
    carried = take(names);
  }
  bind(node.outputs(), names, carried);
}

GraphRunner::Work GraphRunner::make_work(jit::Node& node) {
  // The interpreter has instructions of its own for many of prim's, whose operators only throw.
  if (const auto* op = node.kind().is_prim() ? nullptr : node.maybeOperator()) {
    const auto operation = op->getOperation(&node);
    const bool is_variadic = op->schema().is_vararg();
    const auto count = static_cast<int64_t>(node.inputs().size());
    return [operation = jit::Operation(operation), is_variadic, count](Stack& stack) mutable {
      if (is_variadic) stack.emplace_back(count);
      operation(stack);
    };
  }
  if (auto* function = called_function(node)) prepare_function(*function);
  auto graph = std::make_shared<jit::Graph>();
  std::unordered_map<const jit::Value*, jit::Value*> inputs;
  for (const auto* input : node.inputs()) {
    if (inputs.count(input) == 0) inputs[input] = graph->addInput()->setType(input->type());
  }
  auto* copy = graph->appendNode(
      graph->createClone(&node, [&](jit::Value* value) { return inputs.at(value); }));
  for (auto* output : copy->outputs())
    graph->registerOutput(output);
  auto code = std::make_shared<jit::Code>(graph, "node");
  std::vector<size_t> firsts;  // of an input that is given twice only the first is passed
  std::set<const jit::Value*> passed;
  for (size_t i = 0; i < node.inputs().size(); ++i) {
    if (passed.insert(node.inputs()[i]).second) firsts.push_back(i);
  }
  return [code, firsts](Stack& stack) {
    Stack given;
    for (const size_t index : firsts)
      given.push_back(stack[index]);
    jit::InterpreterState(*code).run(given);
    stack = std::move(given);
  };
}

void GraphRunner::call(jit::Node& node, size_t id, Stack& stack) {
  auto& work = work_[id];
  if (!work) work = make_work(node);
  work(stack);
}

void GraphRunner::run_node(jit::Node& node, size_t id) {
  if (node.kind() == c10::prim::If) {
    run_if(node);
  } else if (node.kind() == c10::prim::Loop) {
    run_loop(node);
  } else if (node.kind() == c10::prim::Constant) {
    values_[node.output()] = jit::toIValue(node.output()).value_or(IValue());
  } else {
    auto stack = take(node.inputs());
    try {
      call(node, id, stack);
    } catch (...) {
      rethrow_at(node);
    }
    for (size_t i = 0; i < node.outputs().size(); ++i)
      values_[node.outputs()[i]] = std::move(stack[i]);
  }
}

}  // namespace opsmith
