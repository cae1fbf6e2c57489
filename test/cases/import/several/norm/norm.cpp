#include <torch/extension.h>

torch::Tensor norm(torch::Tensor x) { return x / x.norm(); }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("norm", &norm, "x over its norm"); }
