// Operators that take only some inputs, and operators that are wrong only for some.
#include <ATen/ATen.h>
#include <torch/library.h>

#include <cstdlib>
#include <string>

namespace {

using at::Tensor;

at::Tensor written(const Tensor& x, const Tensor& where) {
  at::NoGradGuard unrecorded;
  x.detach().masked_fill_(where, 7);
  return x * 2;
}

// ---- what is accepted

Tensor matrices(const Tensor& a, const Tensor& b, const std::optional<Tensor>& bias) {
  TORCH_CHECK(a.dim() == 2 && b.dim() == 2 && a.size(1) == b.size(0) && a.size(0) != a.size(1),
              "a and b must be matrices that fit");
  const Tensor product = a.matmul(b);
  return bias ? product + *bias : product;
}

Tensor labelled(const Tensor& x, const Tensor& label) {
  TORCH_CHECK(label.scalar_type() == at::kLong, "label must be int64, got ", label.scalar_type());
  TORCH_CHECK(
      x.is_floating_point() && x.dim() == 2 && label.dim() == 1 && label.size(0) == x.size(0),
      "a label for each row");
  return at::nll_loss(at::log_softmax(x, 1), label);
}

Tensor of_everything(at::TensorList many, at::IntArrayRef steps, const at::Scalar& factor,
                     double eps, bool flag, c10::string_view mode,
                     const std::optional<Tensor>& mask) {
  TORCH_CHECK(mode == "mean", "there is no mode ", std::string(mode));
  TORCH_CHECK(mask.has_value() && steps.size() == 2 && many.size() == 2, "mask and two steps");
  const Tensor sum = many[0] + many[1] * factor + eps + (flag ? 1 : 0) + steps[0];
  return sum * mask->to(sum.scalar_type());
}

Tensor never(const Tensor&) {
  TORCH_CHECK(false, "not today");
}

Tensor ends_the_process(const Tensor&) {
  std::abort();
}

// ---- what is wrong

Tensor wrong_between(const Tensor& x) {
  return written(x, x.gt(0.25).logical_and(x.lt(0.75)));
}

Tensor wrong_when_long(const Tensor& x, int64_t) {
  return written(x, at::full_like(x, x.size(0) > 40 && x.size(0) < 1000, at::kBool));
}

Tensor wrong_at(const Tensor& x, int64_t k, double alpha) {
  return written(x, at::full_like(x, k == -3 && alpha > 1.5, at::kBool));
}

Tensor wrong_in_float32(const Tensor& x) {
  return written(x, at::full_like(x, x.scalar_type() == at::kFloat, at::kBool));
}

}  // namespace

TORCH_LIBRARY(generated_inputs, m) {
  m.def("matrices(Tensor a, Tensor b, Tensor? bias=None) -> Tensor", &matrices);
  m.def("labelled(Tensor x, Tensor label) -> Tensor", &labelled);
  m.def(
      "of_everything(Tensor[] many, int[2] steps, Scalar factor, float eps, bool flag, str mode, "
      "Tensor? mask) -> Tensor",
      &of_everything);
  m.def("never(Tensor x) -> Tensor", &never);
  m.def("ends_the_process(Tensor x) -> Tensor", &ends_the_process);
  m.def("wrong_between(Tensor x) -> Tensor", &wrong_between);
  m.def("wrong_when_long(Tensor x, int size) -> Tensor", &wrong_when_long);
  m.def("wrong_at(Tensor x, int k, float alpha) -> Tensor", &wrong_at);
  m.def("wrong_in_float32(Tensor x) -> Tensor", &wrong_in_float32);
}
