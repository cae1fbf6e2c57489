#include "runtime/graph_observe.h"

#include <ATen/core/class_type.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/interpreter.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <unordered_map>

#include "runtime/dtypes.h"
#include "runtime/elements.h"
#include "runtime/failure.h"
#include "runtime/graph_text.h"
#include "runtime/program.h"
#include "runtime/values.h"

namespace opsmith {
namespace {

namespace jit = torch::jit;
using c10::IValue;
using Stack = std::vector<IValue>;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> samples) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  const auto middle = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
}

bool is_on_cuda(const Stack& values) {
  return std::any_of(values.begin(), values.end(), [](const IValue& value) {
    return value.isTensor() && value.toTensor().defined() && value.toTensor().is_cuda();
  });
}

// Interprets a graph over boxed values. What control flow there is, it does itself; a node that is
// an operator is called as the interpreter calls it; any other (a constructor of a tuple, an
// attribute of an object, a fused group) is run by the interpreter as a graph of one node.
class NodeRunner {
 public:
  explicit NodeRunner(jit::Graph& graph) : graph_(graph), nodes_(numbered_nodes(graph)) {
    for (size_t i = 0; i < nodes_.size(); ++i)
      ids_[nodes_[i]] = i;
    work_.resize(nodes_.size());
    calls_.assign(nodes_.size(), 0);
    run_seconds_.assign(nodes_.size(), 0);
    bytes_.assign(nodes_.size(), 0);
  }

  double run(const Stack& arguments, bool look) {
    look_ = look;
    std::fill(calls_.begin(), calls_.end(), 0);
    std::fill(run_seconds_.begin(), run_seconds_.end(), 0);
    std::fill(bytes_.begin(), bytes_.end(), 0);
    values_.clear();
    bind(graph_.inputs(), arguments);
    const auto start = Clock::now();
    run_block(*graph_.block());
    const double seconds = seconds_since(start);
    for (auto& samples : seen_)
      samples.second.clear();
    return seconds;
  }

  const std::vector<double>& run_seconds() const { return run_seconds_; }

  std::vector<ObservedNode> observed() {
    std::vector<ObservedNode> result(nodes_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) {
      result[i].id = static_cast<int64_t>(i);
      result[i].calls = calls_[i];
      result[i].bytes = bytes_[i];
      if (const auto found = looked_at_.find(i); found != looked_at_.end()) {
        result[i].values = found->second;
      }
    }
    return result;
  }

 private:
  template <class Values>
  void bind(const Values& names, const Stack& values) {
    for (size_t i = 0; i < names.size(); ++i)
      values_[names[i]] = values[i];
  }

  Stack take(at::ArrayRef<jit::Value*> names) const {
    Stack stack;
    for (const auto* name : names)
      stack.push_back(values_.at(name));
    return stack;
  }

  void run_block(jit::Block& block) {
    for (auto* node : block.nodes())
      run_node(*node);
  }

  void run_if(jit::Node& node) {
    auto* block = node.blocks()[values_.at(node.inputs()[0]).toBool() ? 0 : 1];
    run_block(*block);
    bind(node.outputs(), take(block->outputs()));
  }

  void run_loop(jit::Node& node) {
    auto* body = node.blocks()[0];
    const int64_t limit = values_.at(node.inputs()[0]).toInt();
    bool goes_on = values_.at(node.inputs()[1]).toBool();
    auto carried = take(node.inputs().slice(2));
    for (int64_t turn = 0; goes_on && turn < limit; ++turn) {
      values_[body->inputs()[0]] = turn;
      bind(body->inputs().slice(1), carried);
      run_block(*body);
      goes_on = values_.at(body->outputs()[0]).toBool();
      carried = take(body->outputs().slice(1));
    }
    bind(node.outputs(), carried);
  }

  using Work = std::function<void(Stack&)>;

  static jit::Function* called_function(jit::Node& node) {
    if (node.kind() == c10::prim::CallFunction) return jit::tryToGraphFunction(&node);
    if (node.kind() != c10::prim::CallMethod) return nullptr;
    const auto type = node.inputs()[0]->type()->cast<c10::ClassType>();
    auto* method = type ? type->findMethod(node.s(c10::attr::name)) : nullptr;
    return method != nullptr && method->isGraphFunction() ? method : nullptr;
  }

  Work make_work(jit::Node& node) {
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

  void run_operator(jit::Node& node, size_t id) {
    auto& work = work_[id];
    if (!work) work = make_work(node);
    auto stack = take(node.inputs());
    if (look_) note_storages(node, stack);
    work(stack);
    if (is_on_cuda(stack)) at::detail::getCUDAHooks().deviceSynchronize(-1);
    bind(node.outputs(), stack);
  }

  void run_node(jit::Node& node) {
    const auto id = ids_.at(&node);
    ++calls_[id];
    const auto start = Clock::now();
    if (node.kind() == c10::prim::If) {
      run_if(node);
    } else if (node.kind() == c10::prim::Loop) {
      run_loop(node);
    } else if (node.kind() == c10::prim::Constant) {
      values_[node.output()] = jit::toIValue(node.output()).value_or(IValue());
    } else {
      run_operator(node, id);
    }
    run_seconds_[id] += seconds_since(start);
    if (look_) look_at(node, id);
  }

  static const void* storage_of(const IValue& value) {
    if (!value.isTensor() || !value.toTensor().defined() || !value.toTensor().has_storage()) {
      return nullptr;
    }
    return value.toTensor().storage().unsafeGetStorageImpl();
  }

  void note_storages(const jit::Node& node, const Stack& inputs) {
    auto& storages = seen_[&node];
    storages.clear();
    for (const auto& input : flatten(inputs))
      storages.insert(storage_of(input));
  }

  void look_at(const jit::Node& node, size_t id) {
    std::vector<ObservedValue> found;
    auto& storages = seen_[&node];
    for (const auto* output : node.outputs()) {
      for (const auto& value : flatten({values_.at(output)})) {
        if (!value.isTensor() || !value.toTensor().defined()) continue;
        const auto tensor = value.toTensor().detach();
        if (node.blocks().empty() && tensor.has_storage() &&
            storages.insert(storage_of(value)).second) {
          bytes_[id] += static_cast<int64_t>(tensor.storage().nbytes());
        }
        if (!dtype_from_name(dtype_name(tensor.scalar_type()))) continue;
        const auto stats = compute_stats(tensor);
        found.push_back({output->debugName(), dtype_name(tensor.scalar_type()),
                         tensor.device().str(), tensor.sizes().vec(), stats.nan,
                         stats.pos_inf + stats.neg_inf, stats.min, stats.max, stats.mean});
      }
    }
    looked_at_[id] = std::move(found);
  }

  jit::Graph& graph_;
  std::vector<jit::Node*> nodes_;
  std::unordered_map<const jit::Node*, size_t> ids_;
  std::unordered_map<const jit::Value*, IValue> values_;
  std::vector<Work> work_;
  std::vector<int64_t> calls_;
  std::vector<double> run_seconds_;  // of the last run
  std::vector<int64_t> bytes_;
  std::unordered_map<const jit::Node*, std::set<const void*>> seen_;
  std::unordered_map<size_t, std::vector<ObservedValue>> looked_at_;
  bool look_ = false;
};

}  // namespace

GraphObservation observe_graph(jit::Graph& graph, const Stack& arguments, int64_t runs) {
  enter_stage("operator.check", "running the graph");
  jit::GraphOptimizerEnabledGuard without_optimiser(false);
  NodeRunner runner(graph);
  runner.run(clones_of(arguments), /*look=*/false);
  std::vector<double> totals;
  std::vector<std::vector<double>> samples;
  for (int64_t i = 0; i < runs; ++i) {
    totals.push_back(runner.run(clones_of(arguments), /*look=*/false));
    const auto& seconds = runner.run_seconds();
    samples.resize(seconds.size());
    for (size_t id = 0; id < seconds.size(); ++id)
      samples[id].push_back(seconds[id]);
  }
  runner.run(clones_of(arguments), /*look=*/true);
  GraphObservation observation{median(totals), runs, runner.observed()};
  for (size_t id = 0; id < samples.size(); ++id)
    observation.nodes[id].seconds = median(samples[id]);
  return observation;
}

}  // namespace opsmith
