#include <torch/extension.h>

torch::Tensor twice(torch::Tensor x);

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  py::class_<int>(m, "Held");
  m.def("twice", &twice);
}
