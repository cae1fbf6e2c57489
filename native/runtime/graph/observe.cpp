#include "runtime/graph/observe.h"

#include <ATen/detail/CUDAHooksInterface.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "runtime/clock.h"
#include "runtime/dtypes.h"
#include "runtime/elements.h"
#include "runtime/failure.h"
#include "runtime/graph/runner.h"
#include "runtime/values.h"

namespace opsmith {
namespace {

namespace jit = torch::jit;
using c10::IValue;
using Stack = std::vector<IValue>;

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

class Observer : public GraphRunner {
 public:
  explicit Observer(jit::Graph& graph) : GraphRunner(graph) {
    calls_.assign(nodes().size(), 0);
    run_seconds_.assign(nodes().size(), 0);
    bytes_.assign(nodes().size(), 0);
  }

  double run(const Stack& arguments, bool look) {
    look_ = look;
    std::fill(calls_.begin(), calls_.end(), 0);
    std::fill(run_seconds_.begin(), run_seconds_.end(), 0);
    std::fill(bytes_.begin(), bytes_.end(), 0);
    const auto start = Clock::now();
    run_graph(arguments);
    const double seconds = seconds_since(start);
    storages_.clear();
    return seconds;
  }

  const std::vector<double>& run_seconds() const { return run_seconds_; }

  std::vector<ObservedNode> observed() {
    std::vector<ObservedNode> result(nodes().size());
    for (size_t i = 0; i < nodes().size(); ++i) {
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
  void run_node(jit::Node& node, size_t id) override {
    ++calls_[id];
    const auto start = Clock::now();
    GraphRunner::run_node(node, id);
    run_seconds_[id] += seconds_since(start);
    if (look_) look_at(node, id);
  }

  void call(jit::Node& node, size_t id, Stack& stack) override {
    if (look_) note_storages(stack);
    GraphRunner::call(node, id, stack);
    if (is_on_cuda(stack)) at::detail::getCUDAHooks().deviceSynchronize(-1);
  }

  static const void* storage_of(const IValue& value) {
    if (!value.isTensor() || !value.toTensor().defined() || !value.toTensor().has_storage()) {
      return nullptr;
    }
    return value.toTensor().storage().unsafeGetStorageImpl();
  }

  void note_storages(const Stack& inputs) {
    storages_.clear();
    for (const auto& input : flatten_deeply(inputs))
      storages_.insert(storage_of(input));
  }

  void look_at(const jit::Node& node, size_t id) {
    std::vector<ObservedValue> found;
    // What a block puts out, nodes within it hold.
    const bool holds_memory = node.blocks().empty() && node.kind() != c10::prim::Constant;
    for (const auto* output : node.outputs()) {
      for (const auto& value : flatten_deeply({value_of(output)})) {
        if (!value.isTensor() || !value.toTensor().defined()) continue;
        const auto tensor = value.toTensor().detach();
        if (holds_memory && tensor.has_storage() && storages_.insert(storage_of(value)).second) {
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

  const IValue& value_of(const jit::Value* name) const { return value(name); }

  std::vector<int64_t> calls_;
  std::vector<double> run_seconds_;  // of the last run
  std::vector<int64_t> bytes_;
  std::set<const void*> storages_;  // those that the node's inputs hold
  std::unordered_map<size_t, std::vector<ObservedValue>> looked_at_;
  bool look_ = false;
};

}  // namespace

GraphObservation observe_graph(jit::Graph& graph, const Stack& arguments, int64_t runs) {
  const Stage stage(ErrorCode::operator_check, "running the graph");
  Observer runner(graph);
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
