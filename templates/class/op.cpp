#include <ATen/ATen.h>
#include <torch/custom_class.h>
#include <torch/library.h>

namespace {

/// The sum of all tensors that it was given.
class MyOp : public torch::CustomClassHolder {
 public:
  /// value: any shape that broadcasts with those before it.
  void add(const at::Tensor& value) {
    sum_ = sum_.defined() ? sum_ + value : value.clone();
    count_ += 1;
  }

  int64_t count() const { return count_; }

  /// Returns the sum divided by the count.
  at::Tensor mean() const {
    TORCH_CHECK(count_ > 0, "MyOp.mean: call add first");
    return sum_ / count_;
  }

 private:
  at::Tensor sum_;
  int64_t count_ = 0;
};

TORCH_LIBRARY(my_op, m) {
  m.class_<MyOp>("MyOp")
      .def(torch::init<>(), "No tensors yet")
      .def("add", &MyOp::add, "Adds a tensor", {torch::arg("value")})
      .def("count", &MyOp::count, "How many tensors were added")
      .def("mean", &MyOp::mean, "Mean of the tensors that were added");
}

}  // namespace
