#include <torch/extension.h>

struct Counter {
  int64_t count = 0;
  void step() { ++count; }
};

torch::Tensor f(const torch::Tensor& x) { return 2 * x; }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("f", &f);
  py::class_<Counter>(m, "Counter").def(py::init<>()).def("step", &Counter::step);
}
