// A class that TorchScript programs can hold: mean and variance of all rows seen so far.

#include <ATen/ATen.h>
#include <torch/custom_class.h>
#include <torch/library.h>

#include <string>
#include <tuple>

namespace {

/// Mean and variance per feature, batch by batch, without keeping the batches.
/// Algorithm: Chan, Golub, LeVeque, "Updating formulae and a pairwise algorithm for computing
/// sample variances" (1979), which stays accurate where a sum of squares would cancel.
class RunningStatistics : public torch::CustomClassHolder {
 public:
  explicit RunningStatistics(int64_t features)
      : mean_(at::zeros({features}, at::kDouble)), deviation_(at::zeros({features}, at::kDouble)) {
    TORCH_CHECK(features > 0, "RunningStatistics: features must be positive, got ", features);
  }

  /// batch [rows, features], floating point.
  void update(const at::Tensor& batch) {
    TORCH_CHECK(batch.dim() == 2 && batch.size(1) == mean_.size(0),
                "RunningStatistics.update: a batch of shape [rows, ", mean_.size(0),
                "] expected, got ", batch.sizes());
    if (batch.size(0) == 0) return;
    const at::Tensor rows = batch.detach().to(at::kCPU, at::kDouble);
    const at::Tensor mean = rows.mean(0);
    combine(rows.size(0), mean, (rows - mean).square().sum(0));
  }

  /// Takes in what another object has seen, as if it had been given here.
  void merge(const c10::intrusive_ptr<RunningStatistics>& other) {
    TORCH_CHECK(other->mean_.size(0) == mean_.size(0), "RunningStatistics.merge: ", mean_.size(0),
                " features expected, got ", other->mean_.size(0));
    if (other->count_ > 0) combine(other->count_, other->mean_, other->deviation_);
  }

  int64_t count() const { return count_; }

  /// [features], float64
  at::Tensor mean() const { return mean_.clone(); }

  /// [features], float64: the variance of the rows seen, not the estimate for a population.
  at::Tensor variance() const {
    TORCH_CHECK(count_ > 0, "RunningStatistics.variance: call update first");
    return deviation_ / count_;
  }

  std::string describe() const {
    return c10::str("RunningStatistics of ", count_, " rows, ", mean_.size(0), " features");
  }

  using State = std::tuple<int64_t, at::Tensor, at::Tensor>;
  State state() const { return {count_, mean_, deviation_}; }
  static c10::intrusive_ptr<RunningStatistics> restore(const State& state) {
    auto restored = c10::make_intrusive<RunningStatistics>(std::get<1>(state).size(0));
    std::tie(restored->count_, restored->mean_, restored->deviation_) = state;
    return restored;
  }

 private:
  void combine(int64_t count, const at::Tensor& mean, const at::Tensor& deviation) {
    const int64_t total = count_ + count;
    const at::Tensor shift = mean - mean_;
    deviation_ = deviation_ + deviation +
                 shift.square() * (static_cast<double>(count_) * static_cast<double>(count) /
                                   static_cast<double>(total));
    mean_ = mean_ + shift * (static_cast<double>(count) / static_cast<double>(total));
    count_ = total;
  }

  int64_t count_ = 0;
  at::Tensor mean_;
  at::Tensor deviation_;  // sum of squared distances from the mean
};

/// x [rows, features]. Each feature shifted and scaled by what the statistics have seen.
at::Tensor normalize(const at::Tensor& x, const c10::intrusive_ptr<RunningStatistics>& statistics,
                     double eps) {
  const at::Tensor scale = (statistics->variance() + eps).rsqrt();
  return (x - statistics->mean().to(x)) * scale.to(x);
}

/// x [rows, features], shifted and scaled by the statistics of history [rows, features]. Tensors in
/// and out, so that it can be traced: a tracer cannot follow an object that is made on the way.
at::Tensor normalize_by(const at::Tensor& x, const at::Tensor& history, double eps) {
  TORCH_CHECK(history.dim() == 2, "running::normalize_by: history [rows, features] expected, got ",
              history.sizes());
  const auto statistics = c10::make_intrusive<RunningStatistics>(history.size(1));
  statistics->update(history);
  return normalize(x, statistics, eps);
}

TORCH_LIBRARY(running, m) {
  m.class_<RunningStatistics>("RunningStatistics")
      .def(torch::init<int64_t>(), "Empty statistics for rows of this many features",
           {torch::arg("features")})
      .def("update", &RunningStatistics::update, "Adds the rows of a batch", {torch::arg("batch")})
      .def("merge", &RunningStatistics::merge, "Adds the rows of another object",
           {torch::arg("other")})
      .def("count", &RunningStatistics::count, "Rows seen so far")
      .def("mean", &RunningStatistics::mean, "Mean of each feature")
      .def("variance", &RunningStatistics::variance, "Variance of each feature")
      .def("__str__", &RunningStatistics::describe)
      .def_pickle([](const c10::intrusive_ptr<RunningStatistics>& self) { return self->state(); },
                  [](RunningStatistics::State state) { return RunningStatistics::restore(state); });
  m.def(
      "normalize(Tensor x, __torch__.torch.classes.running.RunningStatistics statistics, "
      "float eps=1e-05) -> Tensor",
      &normalize);
  m.def("normalize_by(Tensor x, Tensor history, float eps=1e-05) -> Tensor", &normalize_by);
}

}  // namespace
